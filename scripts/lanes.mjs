// Runs test steps concurrently: their order, their access to the terminal, and the CPU time of commands.
import { spawn } from "node:child_process";
import { root, windows } from "./steps.mjs";

/**
 * Runs steps side by side, those at the front of the list first. A step that fails stops no other, except those that need it.
 * Resolves to whether all steps succeeded.
 *
 * - `width`: how many steps run at a time, besides those for which `idle(step)` is true
 * - `name(step)`, `needs(step)`: its name, and the names of the steps that must have ended before, if they are in the list
 * - `turn(step)`: steps with the same turn run one after the other
 * - `begin(step)`: runs a step, and resolves to whether it succeeded
 * - `omit(step, needed)`: called instead of `begin`, with the name of the step that it needs and that failed or was omitted itself
 */
export function sideBySide(steps, { width, name, needs = () => [], turn = () => undefined, idle = () => false, begin, omit = () => {} }) {
  const waiting = [...steps];
  const running = new Set();
  const failed = new Set();
  const isReady = (step) =>
    (idle(step) || [...running].filter((other) => !idle(other)).length < width) &&
    !(turn(step) !== undefined && [...running].some((other) => turn(other) === turn(step))) &&
    ![...waiting, ...running].some((other) => needs(step).includes(name(other)));
  const missing = (step) => needs(step).find((needed) => failed.has(needed));
  return new Promise((resolve, reject) => {
    const omitted = () => {
      for (let next; (next = waiting.find((step) => missing(step) !== undefined)) !== undefined;) {
        waiting.splice(waiting.indexOf(next), 1);
        failed.add(name(next));
        omit(next, missing(next));
      }
    };
    const go = () => {
      omitted();
      for (let next; (next = waiting.find(isReady)) !== undefined;) {
        const step = next;
        waiting.splice(waiting.indexOf(step), 1);
        running.add(step);
        begin(step).then((succeeded) => {
          running.delete(step);
          if (!succeeded) failed.add(name(step));
          go();
        }, reject);
      }
      if (running.size > 0) return;
      if (waiting.length > 0) reject(new Error(`these steps wait for each other: ${waiting.map(name).join(", ")}`));
      else resolve(failed.size === 0);
    };
    go();
  });
}

/**
 * Gives the terminal to one speaker at a time. The output of others is buffered until it is their turn, so that the output of
 * concurrent steps is not mixed.
 */
export class Floor {
  #write;
  #waiting = [];

  constructor(write = (chunk) => process.stdout.write(chunk)) {
    this.#write = write;
  }

  /** A speaker: `{say(chunk), end()}`. */
  speaker() {
    const speaker = { kept: [], ended: false };
    this.#waiting.push(speaker);
    return {
      say: (chunk) => (this.#waiting[0] === speaker ? this.#write(chunk) : speaker.kept.push(chunk)),
      end: () => {
        speaker.ended = true;
        this.#next();
      },
    };
  }

  #next() {
    while (this.#waiting[0]?.ended) {
      this.#waiting.shift();
      for (const chunk of this.#waiting[0]?.kept.splice(0) ?? []) this.#write(chunk);
    }
  }
}

/**
 * Runs a command in the root, with its output passed on. Resolves to `{code, cpu}`; `cpu` are the seconds of CPU of the command and
 * of its children that it has waited for.
 */
export async function command([program, ...args], { env, stdout, stderr = stdout }) {
  let times = "";
  let problem;
  // A shell can report the CPU time of its children, which Node cannot.
  const asked = windows ? [program, args] : ["/bin/sh", ["-c", '"$@" 3>&-; code=$?; times >&3; exit $code', "sh", program, ...args]];
  const code = await new Promise((resolve) => {
    const child = spawn(...asked, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe", ...(windows ? [] : ["pipe"])],
      env: { ...process.env, ...env },
    });
    child.stdout.on("data", stdout);
    child.stderr.on("data", stderr);
    child.stdio[3]?.on("data", (chunk) => (times += chunk));
    child.on("error", (error) => {
      problem = error;
      resolve(1);
    });
    child.on("close", resolve);
  });
  if (problem) stderr(`${program}: ${problem.message}\n`);
  return { code, cpu: secondsOf(times) };
}

/** Returns the sum of the shell's `times`: minutes and seconds, of itself and of its children, in user and system mode. */
export function secondsOf(times) {
  const found = [...times.matchAll(/(\d+)m([\d.,]+)s/g)];
  return found.length === 0
    ? undefined
    : found.reduce((sum, [, minutes, seconds]) => sum + 60 * minutes + Number(seconds.replace(",", ".")), 0);
}
