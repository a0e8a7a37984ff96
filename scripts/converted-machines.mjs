// Runs public machines beside their conversions by `stepglass convert --jsonata`, and counts the runs that end otherwise.
//
//   node scripts/converted-machines.mjs FILE [--machines 60] [--inputs 60] [--seed 1] [--show]
//
// FILE has a case on each line, with a machine in `definition`. Of those in JSONPath that are valid and have a state that can be
// converted, the seed draws the machines. The inputs are what a machine's paths ask for; half of them are changed in one or two
// places: a part is missing, is null or has another type. `--show` prints the runs whose success became a failure. Exit code 1 if a
// failure became a success. The package in dist answers.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { changed, inputFor, outcome } from "./conversions.mjs";
import { generator } from "./random.mjs";
import { importSource } from "./sources.mjs";
import { simulate, validate } from "../dist/node.js";

const { toJsonata } = await importSource("js/language/convert/jsonata.ts");

const args = process.argv.slice(2);
const number = (name, otherwise) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : otherwise);
const file = args.find((arg, i) => !arg.startsWith("--") && !["--machines", "--inputs", "--seed"].includes(args[i - 1]));
if (file === undefined) {
  console.error("usage: node scripts/converted-machines.mjs FILE [--machines 60] [--inputs 60] [--seed 1] [--show]");
  process.exit(2);
}
const random = generator(number("--seed", 1));
const inputs = number("--inputs", 60);
const machines = drawn(candidates(), number("--machines", 60));

const counts = { same: 0, otherOutput: 0, otherError: 0, succeededOnlyBefore: 0, succeededOnlyAfter: 0 };
let states = 0;
let left = 0;
for (const { definition, conversion } of machines) {
  states += conversion.converted.length;
  left += conversion.left.length;
  for (let n = 0; n < inputs; n++) {
    const fitting = inputFor(definition, random);
    const input = n % 2 === 0 ? fitting : changed(fitting, random, 1 + Math.floor(random() * 2));
    const answers = Math.floor(random() * 2 ** 31);
    const [before, after] = [definition, conversion.definition].map((machine) => outcome(simulate, machine, definition, input, answers));
    const kind = kindOf(before, after);
    counts[kind] += 1;
    if (args.includes("--show") && kind.startsWith("succeededOnly"))
      console.log(JSON.stringify({ kind, definition, converted: conversion.definition, input, before: before.cause, after: after.cause }));
  }
}

console.log(`${machines.length} machines (${states} states converted, ${left} left), ${machines.length * inputs} runs:`);
for (const [what, count] of [
  ["the same outcome", counts.same],
  ["both succeed, with other outputs", counts.otherOutput],
  ["both fail, with other errors", counts.otherError],
  ["successes that became failures", counts.succeededOnlyBefore],
  ["failures that became successes", counts.succeededOnlyAfter],
])
  console.log(`${String(count).padStart(8)}  ${what}`);
process.exitCode = counts.succeededOnlyAfter > 0 ? 1 : 0;

function kindOf(before, after) {
  if (before.status !== after.status) {
    if (before.status === "SUCCEEDED") return "succeededOnlyBefore";
    if (after.status === "SUCCEEDED") return "succeededOnlyAfter";
    return "otherError";
  }
  if (before.status !== "SUCCEEDED") return before.error === after.error ? "same" : "otherError";
  return isDeepStrictEqual(before.output, after.output) ? "same" : "otherOutput";
}

/** The different machines of the file that have something to convert, with their conversions. */
function candidates() {
  const texts = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.stringify(JSON.parse(line).definition));
  return [...new Set(texts)].flatMap((text) => {
    const definition = text === undefined ? undefined : JSON.parse(text);
    if (typeof definition?.States !== "object" || definition.QueryLanguage === "JSONata" || hasErrors(definition)) return [];
    const conversion = toJsonata(definition);
    return conversion.converted.length === 0 ? [] : [{ definition, conversion }];
  });
}

function hasErrors(definition) {
  return validate(definition).some(({ severity }) => severity === "error");
}

function drawn(from, count) {
  const all = [...from];
  const chosen = [];
  while (chosen.length < count && all.length > 0) chosen.push(...all.splice(Math.floor(random() * all.length), 1));
  return chosen;
}
