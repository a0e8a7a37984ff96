// Draws an environment for scripts/elsewhere.mjs: the same seed gives the same environment.
import { generator } from "../random.mjs";

/** What differs between the machines of people. Each list begins with what most of them have. */
export const CHOICES = {
  folder: ["stepglass", "step glass (copy)", "Übung – ß ł ñ", "開発 プロジェクト"],
  zone: ["UTC", "America/Los_Angeles", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia", "Australia/Lord_Howe"],
  locale: ["en_US.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "fr_CA.UTF-8", "C"],
  node: [20, 22, 24, "latest"],
  fonts: ["recommended", "without"],
  root: [false, true],
  /** Megabytes of /tmp; 0: as it is. */
  tmp: [0, 512],
  /** Busy processes beside the tests. */
  load: [0, 4],
  /** Days by which the system's clock is ahead. */
  ahead: [0, 365],
};

/**
 * The environment of a seed: one of each list. `can` names the parts that this machine can vary; the others stay as they are,
 * and `fixed` lists them.
 */
export function draw(seed, can = Object.keys(CHOICES)) {
  const random = generator(seed);
  const environment = {};
  for (const [part, choices] of Object.entries(CHOICES)) {
    // Drawn in any case, so that a seed means the same on every machine.
    const chosen = choices[Math.floor(random() * choices.length)];
    environment[part] = can.includes(part) ? chosen : undefined;
  }
  return { ...environment, fixed: Object.keys(CHOICES).filter((part) => !can.includes(part)) };
}

/** One line that says what was drawn. */
export function described({ fixed, ...environment }) {
  const parts = Object.entries(environment)
    .filter(([, value]) => value !== undefined)
    .map(([part, value]) => `${part} ${JSON.stringify(value)}`);
  return parts.join(", ") + (fixed.length > 0 ? `; not varied here: ${fixed.join(", ")}` : "");
}
