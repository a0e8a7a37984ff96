// For each promise of a host there are hosts that break it: the guide's host with a mistake. The suite must detect each of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lacks, openMini } from "./mini.mjs";

const { checkHost, hostTests } = await import("../../dist/host-tests.js");

/** The mistakes by the promise that they break. Each is a list of edits: a part of the host's source, and its replacement. */
const MISTAKES = {
  equal: {
    "retries tasks by itself": [
      [
        ".then((output) =>",
        ".catch(() => this.#worker.program.tasks[resource]!(input, { ...context, attempt: attempt + 1 }))\n      .then((output) =>",
      ],
    ],
    "ignores the given seed": [["start(Math.trunc(seed))", "start(1)"]],
    "does not pass the names of machine and execution to tasks": [["stateMachineName: machine, ", ""]],
  },
  start: {
    "starts an execution again at each start": [
      ["let one = this.#running.get(arn);", "let one = begin === undefined ? this.#running.get(arn) : undefined;"],
    ],
    "accepts another input for a running name": [[" || one.kept.input !== kept.input)", ")"]],
    "lets the name of an ended execution be used again": [['one.engine.status.status !== "RUNNING" || ', ""]],
    "waits between the check for an existing execution and the start": [
      ["this.#running.get(arn);", "this.#running.get(arn);\n    if (begin) await new Promise((resolve) => setTimeout(resolve, 1));"],
    ],
  },
  keys: {
    "has the attempt in the key": [["[this.arn, child, entered,", "[this.arn, child, entered, attempt,"]],
    "has only the state in the key": [["[this.arn, child, entered,", "[this.arn, child, state,"]],
    "leaves the execution out of the key": [["[this.arn, child, entered,", "[child, entered,"]],
  },
  answers: {
    "accepts every answer of a token": [
      [
        "return task === undefined ? false : one!.feed(method, task.task, ...given);",
        "return task === undefined ? true : one!.feed(method, task.task, ...given);",
      ],
    ],
    "does not check whether a task is still pending before it accepts its answer": [
      ["if (!this.engine.pending().some(({ task }) => task === given[0])) return false;", ""],
    ],
    "identifies a task by the beginning of its token": [["task.token === token", "task.token?.slice(0, 10) === token.slice(0, 10)"]],
    "does not abort tasks that are no longer needed": [['if (command.type === "Cancel") this.#handlers.get(command.task)?.abort();', ""]],
  },
  stop: {
    "waits for the running task when it is stopped": [
      ["stop: async (error, cause) => void", "stop: async (error, cause) => (engine.pending().length > 0 && (await result)) || void"],
    ],
    "drops the error of a stop": [['this.feed("stop", error, cause)', 'this.feed("stop")']],
    "acknowledges a stop without stopping": [
      ["stop: async (error, cause) => void (await", "stop: async (error, cause) => void (engine.deadline && await"],
    ],
  },
  timers: {
    "does not wake for timers": [["if (wake !== null && ", "if (false && "]],
    "wakes too early with a time in the future": [
      ["Math.max(0, wake - Date.now())", "0"],
      ["Date.now(), ...given.filter", "method === 'tick' ? (this.engine.deadline ?? Date.now()) : Date.now(), ...given.filter"],
    ],
  },
  apart: {
    "gives the answer of a task to another execution": [
      [".then((output) => this.feed(", ".then(async (output) => (await this.#worker.first(this)).feed("],
      [
        "  leave(): void {\n    this.alive",
        "  async first(other: Running) {\n    return [...await Promise.all(this.#running.values())].findLast((one) => one.engine.status.status === 'RUNNING') ?? other;\n  }\n\n  leave(): void {\n    this.alive",
      ],
    ],
  },
  history: {
    "counts pages from one": [[".slice(from, from + limit)", ".slice(Math.max(0, from - 1), from - 1 + limit)"]],
    "takes a page before it reverses the history": [
      [
        "(reverse ? engine.history().reverse() : engine.history()).slice(from, from + limit)",
        "((page) => (reverse ? page.reverse() : page))(engine.history().slice(from, from + limit))",
      ],
    ],
    "shows no history of running executions": [
      ["(reverse ? engine.history().reverse()", "(engine.status.status === 'RUNNING' ? [] : reverse ? engine.history().reverse()"],
    ],
  },
  crash: {
    "acts before it stores": [
      [
        "await this.#worker.texts.put(this.arn, JSON.stringify(this.kept));\n",
        "const kept = JSON.stringify(this.kept);\n    setTimeout(() => this.#worker.alive && this.#worker.texts.put(this.arn, kept), 20);\n",
      ],
    ],
    "restarts executions from the beginning after a crash": [
      ["for (const [method, ...given] of this.kept.facts)", "for (const [method, ...given] of this.kept.facts.slice(0, 1))"],
    ],
    "does not call open tasks again after a crash": [['if (task.phase === "scheduled")', "if (task.task < 0)"]],
    "replays its facts at the time of the replay": [
      [
        "(this.engine[method] as (...given: any[]) => Step)(...given);",
        "(this.engine[method] as (...given: any[]) => Step)(given[0] + 250, ...given.slice(1));",
      ],
    ],
    "calls each task with a new key": [["[this.arn, child, entered,", "[this.arn, child, entered, Math.random(),"]],
    "accepts answers of handlers from before a crash": [
      ["if (!this.#worker.alive) return new Promise(() => {});\n    const", "const"],
      ["    if (!this.#worker.alive) return new Promise(() => {});\n    for", "    for"],
    ],
  },
};

test("the suite detects hosts with mistakes", { concurrency: 8 }, async (t) => {
  const hosts = Object.entries(MISTAKES).flatMap(([promise, mistakes]) => Object.entries(mistakes).map((mistake) => [promise, ...mistake]));
  await Promise.all(
    hosts.map(([promise, name, edits]) =>
      t.test(`${promise}: a host that ${name}`, async () => {
        const open = await openMini(edits);
        const { failed, passed } = await checkHost({ name, lacks, open }, { promises: [promise], patience: 2500, concurrency: 8 });
        const names = failed.map((one) => one.name);
        assert.ok(names.length > 0, `it passes all ${passed.length} tests of ${promise}`);
      }),
    ),
  );
});

test("the suite explains what is wrong with an adapter", async () => {
  assert.throws(() => hostTests({ name: "none" }), { code: "INVALID_OPTION", message: /an adapter must have a function open\(\)/ });
  assert.throws(() => hostTests({ name: "none", open() {} }, { promises: ["fast"] }), {
    code: "INVALID_OPTION",
    message: /"fast"; there are equal/,
  });
  const { failed } = await checkHost({ name: "no crash", open: async () => ({ close: async () => {} }) }, { promises: ["crash"] });
  assert.match(failed[0].error.message, /has no crash\(\)/);
  const all = await checkHost({ name: "none", lacks: { crash: "a test" }, open() {} }, { promises: ["crash"] });
  assert.deepEqual([all.passed.length, all.failed.length, all.skipped[0].reason], [0, 0, "a test"]);
});
