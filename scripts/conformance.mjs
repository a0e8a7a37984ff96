// Runs recorded cases, and those that others measured (tests/measured), and prints how many we get right.
//
//   npm run conformance -- [FILE…] [--json] [--engine native|wasm|both] [--write] [--models DIR]
//   npm run conformance -- --host durable|restate     the executions on a host, beside memory (scripts/conformance/host.mjs)
//
// DIR: models of AWS's services, which TestState checks mocks against: botocore's `data` folder, or none. By default the models of
// the time of the recordings, which pip installs for this (scripts/models.mjs), else those that are installed on this machine. Without
// any, those cases count as failed.
// FILE: cases in the format of the recorded ones (scripts/recordings.mjs), instead of those and the measured ones. Skipped is failed.
// Exit code 0 whatever the score.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { matches, matchesHistory } from "./conformance/compare.mjs";
import { measuredScore, printMeasured, writeMeasured } from "./conformance/measured.mjs";
import { recordedModels } from "./models.mjs";
import { NO_RECORDINGS, casesIn, recordedFiles } from "./recordings.mjs";
import { importSource } from "./sources.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const args = process.argv.slice(2);
const flag = (name) => args.includes(name);
const value = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const files = args.filter((arg, i) => !arg.startsWith("--") && !["--engine", "--models", "--host", "--longest"].includes(args[i - 1]));
const engines = { native: ["native"], wasm: ["wasm"], both: ["native", "wasm"] }[value("--engine") ?? "both"];
if (!engines) {
  console.error("--engine takes native, wasm or both");
  process.exit(2);
}

const measured = files.length === 0 && !flag("--host") ? measuredScore(root) : undefined;
if (measured) {
  printMeasured(measured);
  if (flag("--write")) writeMeasured(root, measured);
}
if (files.length === 0) files.push(...recordedFiles("aws-recorded.jsonl", "definitions.jsonl"));
if (files.length === 0) {
  console.log(`skipped: ${NO_RECORDINGS}, or name a file of cases`);
  if (flag("--json") && measured) console.log(JSON.stringify({ measured }));
  process.exit(0);
}

const cases = files.flatMap((file) => casesIn(file).map((one) => ({ file: basename(file), ...one })));
if (value("--host")) {
  const { main } = await import("./conformance/host.mjs");
  const runs = cases.filter(({ kind }) => kind === "execution" || kind === "choice" || kind === "express_sync");
  const options = { json: flag("--json"), longest: Number(value("--longest") ?? 60) };
  process.exit(
    await main(
      value("--host"),
      runs.map((one) => ({ name: one.name, ...prepare(one) })),
      options,
    ),
  );
}
const UNHEARD = "The recording lacks the answer of a service that the case calls";
const models = cases.some(({ kind }) => kind === "test_state") ? await findModels() : undefined;
const groups = new Map();
const failed = [];
// The correct parts of each case in every engine that ran it.
const right = cases.map(() => ({ status: true, result: true, history: true }));
const all = {};
for (const engine of engines) {
  const runnable = cases.map(prepare);
  const results = engine === "native" ? native(runnable) : await throughWasm(runnable);
  cases.forEach((one, i) => judge(engine, one, results[i], right[i]));
  all[engine] = results;
}
const agreement = all.native && all.wasm ? agree(all.native, all.wasm) : undefined;
report();

/** Returns the answers of tasks. Outputs that were recorded as JSON text are parsed. */
function parsedMocks(mocks) {
  const parsed = (event) => (typeof event.output === "string" ? { ...event, output: lenient(event.output) } : event);
  return Object.fromEntries(Object.entries(mocks).map(([name, events]) => [name, events.map(parsed)]));
}

/** Parses a payload. A text that does not begin like an object stays text. */
function lenient(value) {
  try {
    return JSON.parse(value);
  } catch {
    return value; // The value is a string in JSON as well.
  }
}

/** Returns the service models, if there are any. The reason why there are none is printed once. */
async function findModels() {
  if (value("--models") === "none") return undefined;
  const { findServiceModels } = await importSource("js/language/files/models.ts");
  if (value("--models")) return findServiceModels({ folder: value("--models") });
  const { folder, reason } = recordedModels();
  const found = folder ? findServiceModels({ folder }) : findServiceModels();
  if (reason)
    console.error(`conformance: without the models of the time of the recordings: ${reason}; ${found ? `with ${found.package}` : "none"}`);
  return found;
}

/**
 * Returns the response shapes for the check of a tested state's mock. For jobs, AWS checks the response of the API that is polled.
 */
function modelsFor(definition) {
  const resource = /"Resource\\?":\s*\\?"arn:[^:]*:states:[^:]*:[^:]*:(?:aws-sdk:)?([a-z0-9-]+):([\w.]+)/.exec(
    JSON.stringify(definition) ?? "",
  );
  if (!resource || !models) return undefined;
  const [, service, action] = resource;
  const model = { operations: {}, shapes: {} };
  for (const name of [action, "describeExecution", "describeJobs"]) {
    const { shapes, ...output } = models(service, name) ?? {};
    if (shapes === undefined) continue;
    model.operations[name.charAt(0).toUpperCase() + name.slice(1)] = { output };
    Object.assign(model.shapes, shapes);
  }
  return { [service]: model };
}

/** Returns the input of the runners for a case. */
function prepare(one) {
  if (one.kind === "test_state") return { args: one.args, models: modelsFor(one.args?.definition) };
  const expected = one.expected ?? {};
  const runs = one.kind === "execution" || one.kind === "choice" || one.kind === "express_sync";
  let input = one.input;
  // Uses the input that AWS recorded, unless a part of it was blanked in the recording.
  const blanked = /<|"(timestamp|date|datetime)"/;
  if (expected.recorded_input !== undefined && !blanked.test(JSON.stringify(expected.recorded_input))) {
    input = expected.recorded_input;
    if (typeof input === "string") input = lenient(input);
  }
  // A recorded execution that is ABORTED was stopped by hand, so this one is stopped, too.
  return {
    definition: one.definition,
    type: one.type,
    input: input === undefined ? {} : input,
    mocks: parsedMocks(one.mocks ?? {}),
    objects: one.objects ?? {},
    stop: expected.status === "ABORTED",
    run: runs,
  };
}

function native(runnable) {
  const build = spawnSync("cargo", ["build", "--quiet", "--example", "run_cases"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (build.status !== 0) process.exit(1);
  const program = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug", "examples", "run_cases");
  const input = runnable.map((one) => JSON.stringify(one)).join("\n");
  const run = spawnSync(program, { input, maxBuffer: 1 << 30, encoding: "utf8", stdio: ["pipe", "pipe", "inherit"] });
  const lines = run.stdout.split("\n").filter(Boolean);
  return runnable.map((_, i) => (lines[i] ? JSON.parse(lines[i]) : { problem: "the runner stopped before this case" }));
}

async function throughWasm(runnable) {
  const { runCase } = await import("./conformance/wasm.mjs");
  const results = [];
  for (const one of runnable) {
    try {
      results.push(await runCase(one));
    } catch (error) {
      results.push({ problem: String(error) });
    }
  }
  return results;
}

/** Returns whether both engines have the same result and exactly the same history. Counts the cases, and names the others. */
function agree(native, wasm) {
  const differing = cases.flatMap((one, i) => {
    const part = [...new Set([...Object.keys(native[i]), ...Object.keys(wasm[i])])].find(
      (part) => JSON.stringify(native[i][part]) !== JSON.stringify(wasm[i][part]),
    );
    return part === undefined
      ? []
      : [{ name: one.name, reason: `${part}: native ${brief(native[i][part])}, wasm ${brief(wasm[i][part])}` }];
  });
  return { total: cases.length, agreeing: cases.length - differing.length, differing };
}

function judge(engine, one, result, right) {
  const kind = one.kind ?? "definition";
  const languages = one.query_languages ?? [];
  const named = JSON.stringify(one.definition ?? one.args?.definition ?? "");
  const jsonata = languages.includes("JSONata") || (!one.query_languages && /"QueryLanguage\\?":\\? ?\\?"JSONata/.test(named));
  const language = languages.length > 1 ? "mixed" : jsonata ? "JSONata" : "JSONPath";
  const key = `${engine} ${kind} ${language}`;
  const group = groups.get(key) ?? { total: 0, status: 0, result: 0, history: 0, histories: 0 };
  groups.set(key, group);
  group.total += 1;
  const reasons = verdict(kind, one, result);
  const hasHistory = kind === "execution";
  const status = !reasons.status;
  const output = status && !reasons.result;
  const history = hasHistory && output && !reasons.history;
  right.status &&= status;
  right.result &&= output;
  right.history &&= history;
  if (status) group.status += 1;
  if (output) group.result += 1;
  if (history) group.history += 1;
  if (hasHistory) group.histories += 1;
  const reason = reasons.status ?? reasons.result ?? reasons.history;
  // Without recorded answers a substitute plays the service, which may differ from it.
  const unheard = Object.keys(one.mocks ?? {}).length === 0 && named.includes('"Task"') && (hasHistory || kind === "express_sync");
  // The newer evidence counts: in the Developer Guide of 2025, a Map iterates over the members of an object in a file.
  const isObject = Object.values(one.objects ?? {}).some((text) => text.trimStart().startsWith("{"));
  if (reason)
    failed.push({
      engine,
      one,
      name: one.name,
      reason: unheard
        ? `${UNHEARD} (${reason})`
        : isObject
          ? `A Map goes over a JSON object in a file today, and failed when this was recorded (${reason})`
          : reason,
    });
}

function verdict(kind, one, result) {
  const expected = one.expected ?? {};
  const errors = (result.diagnostics ?? []).filter((d) => d.severity === "error");
  const first = errors[0] ? `${errors[0].code} at ${errors[0].pointer || "/"}: ${errors[0].message}` : undefined;
  if (kind === "definition") {
    if (one.valid === (errors.length === 0)) return {};
    return { status: one.valid ? `valid, but rejected: ${first}` : "The definition is invalid, but Stepglass accepts it" };
  }
  if (kind === "create_error") return errors.length > 0 ? {} : { status: "AWS rejects the definition, Stepglass accepts it" };
  if (kind === "validate") {
    const fails = expected.result === "FAIL";
    return fails === errors.length > 0 ? {} : { status: fails ? "AWS rejects the definition, Stepglass accepts it" : `rejected: ${first}` };
  }
  if (kind === "test_state") return judgeTestState(expected, result);
  if (result.problem) return { status: result.problem };
  if (errors.length > 0) return { status: `rejected: ${first}` };
  if (result.status !== expected.status) {
    return { status: `status ${result.status} (${result.error ?? ""} ${result.cause ?? ""}), AWS: ${expected.status}` };
  }
  const reasons = {};
  for (const part of ["output", "error", "cause"]) {
    const theirs = expected[part] ?? undefined;
    if (part !== "output" && expected.error === undefined && expected.cause === undefined) continue;
    if (part === "output" && expected.status !== "SUCCEEDED") continue;
    if (!matches(theirs ?? null, result[part] ?? null, part)) {
      reasons.result ??= `${part} ${brief(result[part])}, AWS: ${brief(theirs)}`;
    }
  }
  if (expected.history) {
    const last = expected.history.at(-1);
    const details = last && Object.entries(last).find(([name]) => name.endsWith("EventDetails"))?.[1];
    if (expected.status === "FAILED" && details) {
      for (const part of ["error", "cause"]) {
        if (!matches(details[part] ?? null, result[part] ?? null, part)) {
          reasons.result ??= `${part} ${brief(result[part])}, AWS: ${brief(details[part])}`;
        }
      }
    }
    const difference = matchesHistory(expected.history, result.history ?? []);
    if (difference) reasons.history = difference;
  }
  return reasons;
}

/** Writes the score, and every miss with its reason, into docs/compatibility.md. */
function writeScore(rows, percent) {
  const file = join(root, "docs", "compatibility.md");
  const engine = engines[0];
  const lines = ["| cases | verdict | result | history |", "|---|---|---|---|"];
  for (const [key, group] of rows) {
    if (!key.startsWith(`${engine} `)) continue;
    const cells = [percent(group.status, group.total), percent(group.result, group.total), percent(group.history, group.histories)];
    lines.push(`| ${key.slice(engine.length + 1)} | ${cells.join(" | ")} |`);
  }
  lines.push("", "What is missing:", "");
  const reasons = new Map();
  for (const { engine: by, name, reason } of failed) {
    if (by !== engine) continue;
    const short = why(reason);
    reasons.set(short, [...(reasons.get(short) ?? []), name.replace(/^.*::/, "").replace(/#.*$/, "")]);
  }
  for (const [reason, names] of reasons) lines.push(`- ${reason}: ${[...new Set(names)].map((name) => `\`${name}\``).join(", ")}`);
  if (models) lines.push("", `Mocks of TestState were checked against the models of ${models.package}.`);
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace(/(<!-- score -->\n)[^]*(<!-- \/score -->)/, (_, open, close) => `${open}${lines.join("\n")}\n${close}`),
  );
}

/** Returns the cause of a miss, if no interpreter could avoid it. */
function why(reason) {
  if (/object that was read is not in the recording/.test(reason)) return "The recording lacks the S3 object that the Map reads";
  if (/schema validation/.test(reason) && models)
    return "The service's model has a different limit today than at the time of the recording";
  if (/schema validation/.test(reason)) return "AWS checks the mock against the API model of its service";
  if (/not null/.test(reason)) return "The recording lacks the definition";
  if (reason.startsWith(UNHEARD) || /there is no service to call/.test(reason)) return UNHEARD;
  return reason.replaceAll("|", "\\|").replaceAll("\n", " ").slice(0, 160);
}

/** A TestState call is right if its whole response is. The verdict is its status, or that it is refused. */
function judgeTestState(expected, result) {
  const refused = result.refused;
  if (expected.Error) {
    const message = expected.Error.Message;
    if (!refused) return { status: `answers, AWS refuses: ${message}` };
    const own = refused.Message;
    return matches(message, own) && refused.Code === expected.Error.Code ? {} : { result: `${refused.Code}: ${own}, AWS: ${message}` };
  }
  if (refused) return { status: `refused (${refused.Code}: ${refused.Message}), AWS answers ${expected.status}` };
  const response = result.response ?? {};
  if (response.status !== expected.status) return { status: `status ${response.status}, AWS: ${expected.status}` };
  for (const part of ["output", "error", "cause", "nextState", "inspectionData"]) {
    if (!matches(expected[part] ?? null, response[part] ?? null, part)) {
      return { result: `${part} ${brief(response[part])}, AWS: ${brief(expected[part])}` };
    }
  }
  return {};
}

function brief(value) {
  const text = value === undefined ? "nothing" : typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function report() {
  const rows = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  const percent = (n, of) => (of === 0 ? "–" : `${n}/${of} ${((100 * n) / of).toFixed(1)} %`);
  console.log(`${"".padEnd(36)}${"verdict".padEnd(18)}${"result".padEnd(18)}history`);
  for (const [key, group] of rows) {
    console.log(
      key.padEnd(36) +
        percent(group.status, group.total).padEnd(18) +
        percent(group.result, group.total).padEnd(18) +
        percent(group.history, group.histories),
    );
  }
  if (agreement) {
    console.log(`native and wasm agree on ${agreement.agreeing} of ${agreement.total}`);
    for (const one of agreement.differing) console.log(`\n≠ ${one.name}\n  ${one.reason}`);
  }
  if (flag("--write")) writeScore(rows, percent);
  const misses = missed();
  if (!flag("--json")) {
    for (const { name, reason } of misses) console.log(`\n✗ ${name}\n  ${reason}`);
    return;
  }
  const count = (part) => right.filter((one) => one[part]).length;
  const sum = { total: cases.length, status: count("status"), result: count("result"), history: count("history") };
  const differing = agreement && { differing: agreement.differing };
  console.log(JSON.stringify({ ...sum, groups: Object.fromEntries(rows), ...differing, failed: misses, ...(measured && { measured }) }));
}

/** Returns the misses. If both engines miss in the same way, a miss is listed once; otherwise its name contains the engine. */
function missed() {
  const alike = new Map();
  for (const { engine, one, name, reason } of failed) {
    const key = `${cases.indexOf(one)} ${reason}`;
    alike.set(key, { name, reason, by: [...(alike.get(key)?.by ?? []), engine] });
  }
  return [...alike.values()].map(({ name, reason, by }) => ({ name: by.length === engines.length ? name : `${by}: ${name}`, reason }));
}
