// Runs every recorded execution again by `replayHistory` and prints how many come out as recorded.
//
//   node scripts/conformance/replay.mjs [FILE…] [--verbose]
//
// What a recording has blanked (timestamps, tokens, names) is filled in with the replay's own value, as often as it takes.
import { fileURLToPath } from "node:url";
import { replayHistory } from "../../dist/node.js";
import { NO_RECORDINGS, casesIn, recordedFiles } from "../recordings.mjs";
import { matches } from "./compare.mjs";

const MEMBERS = {
  input: ["input", "parameters"],
  output: ["output"],
  variables: ["assignedVariables"],
  error: ["error"],
  cause: ["cause"],
  resource: ["resource", "resourceType"],
  length: ["length"],
};

/** The replay of one case, with all blanks of its recording filled in. */
export function replayCase(one) {
  const history = structuredClone(one.expected.history);
  const type = one.type === "EXPRESS" ? "EXPRESS" : "STANDARD";
  const started = history.find((event) => event.executionStartedEventDetails)?.executionStartedEventDetails;
  // An input that the recording has blanked is the case's own.
  if (started && /<|"(timestamp|date|datetime)"/.test(JSON.stringify(started.input))) {
    for (const details of [started, history[1]?.stateEnteredEventDetails]) if (details) details.input = one.input;
  }
  const definition = typeof one.definition === "object" ? one.definition : String(one.definition);
  let last;
  for (let i = 0; i < 400; i++) {
    const replay = replayHistory(definition, history, { type });
    const { divergence } = replay;
    if (!divergence || !fill(history, divergence)) return replay;
    const now = JSON.stringify(divergence);
    if (now === last) return replay;
    last = now;
  }
  throw new Error("endless blanks");
}

/** Puts the replay's value in place of a blank; whether there was one. */
function fill(history, { event: id, aspect, pointer = "", expected, got }) {
  const key = pointer.split("/").at(-1) || aspect;
  const event = history.find((one) => one.id === id);
  if (event === undefined || MEMBERS[aspect] === undefined || !matches(expected, got, key)) return false;
  const details = event[Object.keys(event).find((name) => name.endsWith("EventDetails"))];
  const member = MEMBERS[aspect].find((name) => details?.[name] !== undefined);
  if (member === undefined) return false;
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (aspect === "variables") parseAll(details.assignedVariables);
  let place = { object: details, name: member };
  for (const step of steps) {
    let value = place.object[place.name];
    if (typeof value === "string") value = place.object[place.name] = JSON.parse(value);
    place = { object: value, name: step };
  }
  if (got === null && expected === null) return false;
  if (got === null) delete place.object[place.name];
  // A text that stands for itself is written as JSON text, like every payload.
  else
    place.object[place.name] =
      steps.length === 0 && typeof got === "string" && ["input", "output"].includes(aspect) ? JSON.stringify(got) : got;
  return true;
}

function parseAll(members) {
  for (const name of Object.keys(members)) {
    if (typeof members[name] === "string") {
      try {
        members[name] = JSON.parse(members[name]);
      } catch {
        // A text of its own.
      }
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
  const verbose = process.argv.includes("--verbose");
  if (files.length === 0) files.push(...recordedFiles("aws-recorded.jsonl"));
  if (files.length === 0) {
    console.log(`skipped: ${NO_RECORDINGS}, or name a file of cases`);
    process.exit(0);
  }
  const cases = files.flatMap(casesIn);
  const counts = { total: 0, matches: 0, refused: 0 };
  for (const one of cases) {
    if (one.kind !== "execution" || !one.expected?.history || one.expected.history.some(({ id }) => typeof id !== "number")) continue;
    counts.total += 1;
    try {
      const replay = replayCase(one);
      if (replay.matches) counts.matches += 1;
      else
        console.log(
          `${one.name}\n    event ${replay.divergence.event} [${replay.divergence.aspect}] ${replay.divergence.message}\n    ${replay.divergence.reason ?? ""}`,
        );
      if (verbose) console.log(one.name, replay.compared, replay.recorded, replay.missing);
    } catch (error) {
      counts.refused += 1;
      console.log(`${one.name}\n    ${error.message.split("\n")[0]}`);
    }
  }
  console.log(JSON.stringify(counts));
}
