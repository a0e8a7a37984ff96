// The endpoint gives the same answers as AWS has given to recorded requests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { recordings } from "../../scripts/recordings.mjs";
import { findServiceModels } from "../../dist/folder.js";
import { recordedModels } from "../../scripts/models.mjs";
import { matches, matchesHistory } from "../../scripts/conformance/compare.mjs";
import { eventually, role, start } from "./endpoint.mjs";

const { file, skip } = recordings("aws-recorded.jsonl");
const cases = skip
  ? []
  : readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));

/** AWS checks some mocks against the models of its services. These recordings can be compared only with the models of that time. */
const { folder } = skip ? {} : recordedModels();
const needsModel = ({ expected }) => /^Mock result schema validation error: Field/.test(expected.Error?.Message ?? "");
// The functions that the recorded tests called.
const tasks = {
  "<lambda_function_name>": () => "HelloWorld!",
  lambda_function_name: ({ body }) => {
    if (body !== undefined) return { body };
    throw Object.assign(new Error("Some exception was raised."), { name: "Exception" });
  },
};
const server = await start({ tasks, ...(folder !== undefined && { serviceModel: findServiceModels({ folder }) }) });
const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
let count = 0;

/** Returns the answer of an operation, or its error in the form that clients receive. */
async function ask(operation, input) {
  try {
    return await server.call(operation, input);
  } catch (error) {
    if (error.type === undefined) throw error;
    return { Error: { Code: error.type, Message: error.message } };
  }
}

const create = ({ definition, type }, more = {}) =>
  ask("CreateStateMachine", {
    name: `M${count++}`,
    definition: text(definition),
    roleArn: role,
    ...(["STANDARD", "EXPRESS"].includes(type) && { type }),
    ...more,
  });

/** For each kind of recording, a function that returns the answer that differs from it, or undefined if none does. */
const KINDS = {
  async create_error(one) {
    // The next two cases were refused because of another member than the definition.
    if (/test_create_duplicate_sm_name/.test(one.name)) {
      await create(one, { name: "Twice" });
      return refusal(one, await create({ ...one, definition: { ...one.definition, Comment: "another" } }, { name: "Twice" }));
    }
    if (/version_description_no_publish/.test(one.name)) return refusal(one, await create(one, { versionDescription: "first" }));
    return refusal(one, await create(one));
  },
  async validate({ definition, type, expected }) {
    const { ResponseMetadata, ...want } = expected;
    const got = await ask("ValidateStateMachineDefinition", { definition: text(definition), type });
    return matches(want, got) ? undefined : got;
  },
  async test_state(one) {
    const args = { roleArn: role, ...one.args };
    for (const member of ["definition", "input", "context", "variables"]) if (args[member] !== undefined) args[member] = text(args[member]);
    const got = await ask("TestState", args);
    if (one.expected.Error !== undefined) return refusal(one, got);
    const parts = ["status", "output", "error", "cause", "nextState", "inspectionData"];
    return parts.every((part) => matches(one.expected[part] ?? null, got[part] ?? null, part)) ? undefined : got;
  },
  async express_sync(one) {
    const { stateMachineArn } = await create(one);
    const got = await ask("StartSyncExecution", { stateMachineArn, input: text(one.expected.recorded_input ?? one.input ?? {}) });
    // Metadata of the called service and the stack trace of a Python function cannot be reproduced, so they are not compared.
    const { output, status } = one.expected;
    const expected = output.Payload === undefined ? (output.Error ?? output) : output.Payload;
    const ours = JSON.parse(got.output);
    return got.status === status && matches(expected, output.Payload === undefined ? (ours.Error ?? ours) : ours.Payload) ? undefined : got;
  },
  async execution(one) {
    const { stateMachineArn } = await create(one);
    const { executionArn } = await ask("StartExecution", { stateMachineArn, input: text(one.input ?? {}) });
    if (one.expected.status === "ABORTED") await ask("StopExecution", { executionArn });
    await eventually(async () => (await ask("DescribeExecution", { executionArn })).status === one.expected.status);
    const reverseOrder = one.name.endsWith("reverseOrder[True]");
    const { events } = await ask("GetExecutionHistory", { executionArn, reverseOrder });
    const ids = (list) => list.map(({ id, previousEventId, type }) => `${id} ${previousEventId} ${type}`).join();
    if (ids(events) !== ids(one.expected.history)) return ids(events);
    const straight = (list) => (reverseOrder ? [...list].reverse() : list);
    return matchesHistory(straight(one.expected.history), straight(events));
  },
};

/** Returns an answer that differs from the recorded refusal. Messages of the recorder's own parser are not AWS's, so they are skipped. */
function refusal({ expected: { Error: want } }, got) {
  if (got.Error?.Code !== want.Code) return got;
  return /^Error=ValueError Args=/.test(want.Message) || matches(want.Message, got.Error.Message) ? undefined : got;
}

for (const [kind, judge] of Object.entries(KINDS)) {
  test(`recorded requests are answered like AWS answered them: ${kind}`, { skip }, async () => {
    const own = cases.filter((one) => one.kind === kind && (kind !== "execution" || /test_sfn_api\.py/.test(one.name)));
    assert.ok(own.length > 0);
    const different = [];
    for (const one of own) {
      if (folder === undefined && needsModel(one)) continue;
      const difference = await judge(one);
      if (difference !== undefined) different.push({ name: one.name, answer: difference, recorded: one.expected.Error ?? one.expected });
    }
    assert.deepEqual(different, []);
  });
}
