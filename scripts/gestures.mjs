// Random gestures on random machines, in JSON and YAML:
//
//   node scripts/gestures.mjs [--count 100000] [--seed 1] [--show 3] [--definitions FILE]
//
// gestures/check.mjs has what must hold after each of them. The machines are the gallery's and generated ones; with --definitions
// also those of a file that has a JSON object with a `definition` on each line. A machine is changed a few times before the next
// takes its place.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse, stringify } from "yaml";
import { check } from "./gestures/check.mjs";
import { randomGesture, randomMachine, scopesOf } from "./gestures/draw.mjs";
import { generator } from "./random.mjs";
import { importSource } from "./sources.mjs";
import { root } from "./steps.mjs";

/** Number of gestures on a machine before the next one is used. */
const ON_ONE = 12;

/** Returns the texts of the gallery, and of the definitions of a file if one is given. */
function known(file) {
  const examples = join(root, "www/examples");
  const found = readdirSync(examples).flatMap((name) =>
    ["machine.asl.json", "machine.asl.yaml"]
      .map((file) => join(examples, name, file))
      .filter(existsSync)
      .map((file) => ({ text: readFileSync(file, "utf8"), yaml: file.endsWith("yaml") })),
  );
  const lines = file === undefined ? [] : readFileSync(file, "utf8").split("\n").filter(Boolean);
  const definitions = lines.map((line) => JSON.parse(line).definition).filter((one) => one && typeof one === "object");
  return [...found, ...definitions.map((definition) => ({ text: JSON.stringify(definition, null, 2), yaml: false }))];
}

/** Parses a text as JSON. Bare placeholders become strings. */
function read(text) {
  return JSON.parse(
    text.includes("${") ? text.replaceAll(/"(?:[^"\\]|\\.)*"|\$\{\w+\}/g, (one) => (one.startsWith('"') ? one : `"${one}"`)) : text,
  );
}

/** Returns a definition in which some states and numbers are bare placeholders. */
function open(random, definition) {
  let number = 0;
  const holed = JSON.stringify(
    definition,
    function (key, value) {
      const isState = typeof value?.Type === "string" && this !== definition;
      const may = isState ? 0.1 : typeof value === "number" ? 0.5 : 0;
      number += 1;
      return random() < may ? `\u0001${random() < 0.5 ? "Def" : "ALongNameOfSomething"}${number}` : value;
    },
    2,
  );
  return holed.replaceAll(/"\\u0001(\w+)"/g, (_, name) => `\${${name}}`);
}

/** Makes a state, or a list of a state, equal to an earlier one, so that YAML gets an anchor for it. */
function shared(random, definition) {
  for (const { scope } of scopesOf(definition)) {
    const names = Object.keys(scope.States ?? {});
    const [one, other] = [names[Math.floor(random() * names.length)], names[Math.floor(random() * names.length)]];
    if (one === undefined || random() < 0.4) continue;
    const [from, to] = [scope.States[one], scope.States[other]];
    const list = ["Retry", "Catch", "Choices"].find((field) => from?.[field] !== undefined && from.Type === to?.Type);
    if (list !== undefined && random() < 0.7) to[list] = from[list];
    else if (random() < 0.5) scope.States[other] = from;
  }
}

/** Formats a machine in one of the styles in which people write them. */
function dressed(random, { text, yaml }) {
  if (yaml || random() < 0.35) return { text, yaml };
  const definition = JSON.parse(text);
  if (random() < 0.05) return { text: open(random, definition), yaml: false };
  if (random() < 0.15) {
    shared(random, definition);
    return { text: stringify(definition), yaml: true };
  }
  if (random() < 0.35) return { text: JSON.stringify(definition, null, [0, 2, 4, "\t"][Math.floor(random() * 4)]), yaml: false };
  const options = {
    indentSeq: random() < 0.5,
    indent: random() < 0.7 ? 2 : 4,
    lineWidth: random() < 0.5 ? 0 : 60,
    ...(random() < 0.3 && { defaultStringType: random() < 0.5 ? "QUOTE_DOUBLE" : "QUOTE_SINGLE", defaultKeyType: "PLAIN" }),
  };
  const lines = stringify(definition, options).split("\n");
  // Adds comments above or after lines that contain one member.
  const commented = lines.flatMap((line, i) => {
    const plain = /^(\s*)[\w"]+:(\s|$)/.exec(line);
    if (plain === null || /[|>][-+]?\d?$/.test(line) || random() < 0.9) return [line];
    const above = /^\s*(#|[\w" -]+:)/.test(lines[i - 1] ?? "a:") && !/[|>][-+]?\d?$/.test(lines[i - 1] ?? "");
    if (random() < 0.5 && above) return [`${plain[1]}# about line ${i}`, line];
    return [/:$/.test(line) ? `${line} # of line ${i}` : line];
  });
  const made = commented.join(random() < 0.1 ? "\r\n" : "\n");
  return JSON.stringify(safeParse(made)) === JSON.stringify(definition)
    ? { text: made, yaml: true }
    : { text: lines.join("\n"), yaml: true };
}

function safeParse(text) {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Makes `count` random gestures. The same `seed` and the same `definitions` give the same gestures on every machine. */
export async function run({ count, seed, language, validate, definitions, say = () => {} }) {
  const { yaml } = await importSource("js/entries/yaml.ts");
  const random = generator(seed);
  const texts = known(definitions);
  const result = { done: 0, refused: 0, yaml: 0, codes: {}, kinds: {}, failures: [] };
  let machine;
  for (let i = 0; i < count; i++) {
    if (i % ON_ONE === 0) {
      machine = dressed(random, random() < 0.6 ? texts[Math.floor(random() * texts.length)] : randomMachine(random));
    }
    const options = machine.yaml ? { syntax: yaml } : {};
    const definition = machine.yaml ? parse(machine.text, { merge: true, logLevel: "silent" }) : read(machine.text);
    const gesture = randomGesture(random, definition, language);
    const about = () => ({ number: i, seed, yaml: machine.yaml, gesture, text: machine.text });
    let edited;
    try {
      edited = language.edit(machine.text, gesture, options);
    } catch (error) {
      result.failures.push({ ...about(), problems: [String(error.stack)] });
      continue;
    }
    const kind = (result.kinds[gesture.kind] ??= { done: 0, refused: 0 });
    if ("refused" in edited) {
      result.refused += 1;
      kind.refused += 1;
      const name = `${gesture.kind} ${edited.refused.code}`;
      result.codes[name] = (result.codes[name] ?? 0) + 1;
      const known = definition.States === undefined || !["broken", "alias"].includes(edited.refused.code);
      if (!known && !machine.text.includes("&")) result.failures.push({ ...about(), problems: [`refused: ${edited.refused.message}`] });
      continue;
    }
    const { text, problems } = check({ ...machine, read, syntax: yaml, definition, gesture, edited, language, validate });
    if (problems.length > 0) {
      result.failures.push({ ...about(), problems, after: text });
      machine = dressed(random, randomMachine(random));
      continue;
    }
    result.done += 1;
    kind.done += 1;
    if (machine.yaml) result.yaml += 1;
    if (text.length < 60_000) machine = { ...machine, text };
    if (i % 10_000 === 9_999) say(`${i + 1} gestures, ${result.failures.length} failures`);
  }
  return result;
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "100000" },
      seed: { type: "string", default: "1" },
      show: { type: "string", default: "3" },
      definitions: { type: "string" },
    },
  });
  const { language, validate } = await import("../dist/node.js");
  const began = Date.now();
  const result = await run({
    count: Number(values.count),
    seed: Number(values.seed),
    language,
    validate,
    definitions: values.definitions,
    say: console.log,
  });
  for (const failure of result.failures.slice(0, Number(values.show))) {
    const { text, after, ...rest } = failure;
    console.error(`${JSON.stringify(rest, null, 1)}\n--- before\n${text}\n--- after\n${after}`);
  }
  const groups = {};
  for (const { gesture, yaml, problems } of result.failures) {
    const name = `${gesture.kind} ${yaml ? "YAML" : "JSON"}: ${problems[0].replaceAll(/`[^`]*`|\d+|\/\S+/g, "…").slice(0, 100)}`;
    groups[name] = (groups[name] ?? 0) + 1;
  }
  for (const [name, number] of Object.entries(groups)) console.error(`${number} × ${name}`);
  console.table(result.kinds);
  console.log(JSON.stringify(result.codes));
  const seconds = ((Date.now() - began) / 1000).toFixed(0);
  console.log(`${result.done} made (${result.yaml} in YAML), ${result.refused} refused, ${result.failures.length} failed; ${seconds} s`);
  process.exitCode = result.failures.length > 0 ? 1 : 0;
}
