// The suite `measured`: what others measured on AWS (tests/measured). Its test in Rust judges the cases, and this reads its score.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `{ subjects: [{ name, right, total }], right, total, misses: [{ name, reason }], steady }`; not steady when misses.json is out of date. */
export function measuredScore(root) {
  const run = spawnSync("cargo", ["test", "--quiet", "--test", "measured", "--", "--nocapture"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, MEASURED: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const subjects = [...run.stdout.matchAll(/^measured (\S+) (\d+)\/(\d+)$/gm)].map(([, name, right, total]) => ({
    name,
    right: Number(right),
    total: Number(total),
  }));
  if (subjects.length === 0) throw new Error(`the test of the measured cases gave no score\n${run.stdout}`);
  const sum = (part) => subjects.reduce((all, subject) => all + subject[part], 0);
  const table = JSON.parse(readFileSync(join(root, "tests", "measured", "misses.json"), "utf8"));
  const misses = Object.entries(table).map(([name, reason]) => ({ name, reason }));
  return { subjects, right: sum("right"), total: sum("total"), misses, steady: run.status === 0 };
}

/** Prints the score as the other suites' is printed. */
export function printMeasured({ subjects, right, total, misses, steady }) {
  const share = (right, total) => `${right}/${total} ${((100 * right) / total).toFixed(1)} %`;
  for (const subject of subjects) console.log(`${`measured ${subject.name}`.padEnd(36)}${share(subject.right, subject.total)}`);
  console.log(`${"measured".padEnd(36)}${share(right, total)}\n`);
  if (!steady) console.log("tests/measured/misses.json is out of date: see cargo test --test measured\n");
  for (const { name, reason } of misses) console.log(`✗ measured ${name}\n  ${reason}`);
  if (misses.length > 0) console.log();
}

/** Puts the score, the misses, and the behaviours that nobody has measured into docs/compatibility.md. */
export function writeMeasured(root, score) {
  const file = join(root, "docs", "compatibility.md");
  const reasons = new Map();
  for (const { reason } of score.misses) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const lines = [
    "| subject | right |",
    "|---|---|",
    ...score.subjects.map(({ name, right, total }) => `| ${name} | ${right}/${total} |`),
    `| all | ${score.right}/${score.total} |`,
  ];
  if (reasons.size > 0) lines.push("", "What is wrong:", "");
  for (const [reason, count] of reasons) lines.push(`- ${reason} (${count === 1 ? "1 case" : `${count} cases`})`);
  const behaviours = JSON.parse(readFileSync(join(root, "tests", "measured", "unmeasured.json"), "utf8"));
  const open = behaviours.map(({ name, question }) => `- ${name}: ${question}`);
  let text = readFileSync(file, "utf8");
  for (const [mark, block] of [
    ["measured", lines],
    ["unmeasured", open],
  ]) {
    const place = new RegExp(`(<!-- ${mark} -->\n)[^]*(<!-- /${mark} -->)`);
    text = text.replace(place, (_, begin, end) => `${begin}${block.join("\n")}\n${end}`);
  }
  writeFileSync(file, text);
}
