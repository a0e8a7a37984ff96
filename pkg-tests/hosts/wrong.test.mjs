// Each promise of a host has hosts that break it: the guide's one with a mistake. The suite finds each of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lacks, openMini } from "./mini.mjs";

const { checkHost, hostTests } = await import("../../dist/host-tests.js");

/** What is wrong, by the promise that it breaks: texts of the host, and what a mistaken one has in their place. */
const MISTAKES = {
  equal: {
    "tries tasks again by itself": [
      [
        ".then((output) =>",
        ".catch(() => this.#worker.program.tasks[resource]!(input, { ...context, attempt: attempt + 1 }))\n      .then((output) =>",
      ],
    ],
    "has a seed of its own": [["start(Math.trunc(seed))", "start(1)"]],
    "leaves out the names of the execution": [["stateMachineName: machine, ", ""]],
  },
  start: {
    "starts each time": [["let one = this.#running.get(arn);", "let one = begin === undefined ? this.#running.get(arn) : undefined;"]],
    "takes any input": [[" || one.kept.input !== kept.input)", ")"]],
    "lets a name be used again": [['one.engine.status.status !== "RUNNING" || ', ""]],
    "reads before it starts, and then waits": [
      ["this.#running.get(arn);", "this.#running.get(arn);\n    if (begin) await new Promise((resolve) => setTimeout(resolve, 1));"],
    ],
  },
  keys: {
    "has the attempt in the key": [["[this.arn, child, entered,", "[this.arn, child, entered, attempt,"]],
    "has only the state in the key": [["[this.arn, child, entered,", "[this.arn, child, state,"]],
    "leaves the execution out of the key": [["[this.arn, child, entered,", "[child, entered,"]],
  },
  answers: {
    "says that each answer counts": [
      [
        "return task === undefined ? false : one!.feed(method, task.task, ...given);",
        "return task === undefined ? true : one!.feed(method, task.task, ...given);",
      ],
    ],
    "asks before it waits": [["if (!this.engine.pending().some(({ task }) => task === given[0])) return false;", ""]],
    "knows a task by the beginning of its token": [["task.token === token", "task.token?.slice(0, 10) === token.slice(0, 10)"]],
    "does not abort what it no longer waits for": [['if (command.type === "Cancel") this.#handlers.get(command.task)?.abort();', ""]],
  },
  stop: {
    "waits for the task that is at work": [
      ["stop: async (error, cause) => void", "stop: async (error, cause) => (engine.pending().length > 0 && (await result)) || void"],
    ],
    "forgets the error": [['this.feed("stop", error, cause)', 'this.feed("stop")']],
    "only says that it has stopped": [
      ["stop: async (error, cause) => void (await", "stop: async (error, cause) => void (engine.deadline && await"],
    ],
  },
  timers: {
    "does not wake": [["if (wake !== null && ", "if (false && "]],
    "wakes early, and says that it is late": [
      ["Math.max(0, wake - Date.now())", "0"],
      ["Date.now(), ...given.filter", "method === 'tick' ? (this.engine.deadline ?? Date.now()) : Date.now(), ...given.filter"],
    ],
  },
  apart: {
    "answers the task of that number, whoever asked": [
      [".then((output) => this.feed(", ".then(async (output) => (await this.#worker.first(this)).feed("],
      [
        "  leave(): void {\n    this.alive",
        "  async first(other: Running) {\n    return [...await Promise.all(this.#running.values())].findLast((one) => one.engine.status.status === 'RUNNING') ?? other;\n  }\n\n  leave(): void {\n    this.alive",
      ],
    ],
  },
  history: {
    "counts pages from one": [[".slice(from, from + limit)", ".slice(Math.max(0, from - 1), from - 1 + limit)"]],
    "cuts the page before it turns it": [
      [
        "(reverse ? engine.history().reverse() : engine.history()).slice(from, from + limit)",
        "((page) => (reverse ? page.reverse() : page))(engine.history().slice(from, from + limit))",
      ],
    ],
    "shows nothing of what runs": [
      ["(reverse ? engine.history().reverse()", "(engine.status.status === 'RUNNING' ? [] : reverse ? engine.history().reverse()"],
    ],
  },
  crash: {
    "acts before it keeps": [
      [
        "await this.#worker.texts.put(this.arn, JSON.stringify(this.kept));\n",
        "const kept = JSON.stringify(this.kept);\n    setTimeout(() => this.#worker.alive && this.#worker.texts.put(this.arn, kept), 20);\n",
      ],
    ],
    "begins again": [
      ["for (const [method, ...given] of this.kept.facts)", "for (const [method, ...given] of this.kept.facts.slice(0, 1))"],
    ],
    "calls nothing again": [['if (task.phase === "scheduled")', "if (task.task < 0)"]],
    "replays its facts at the time of the replay": [
      [
        "(this.engine[method] as (...given: any[]) => Step)(...given);",
        "(this.engine[method] as (...given: any[]) => Step)(given[0] + 250, ...given.slice(1));",
      ],
    ],
    "calls each task with a new key": [["[this.arn, child, entered,", "[this.arn, child, entered, Math.random(),"]],
    "hears what was at work before": [
      ["if (!this.#worker.alive) return new Promise(() => {});\n    const", "const"],
      ["    if (!this.#worker.alive) return new Promise(() => {});\n    for", "    for"],
    ],
  },
};

test("hosts with mistakes are found out", { concurrency: 8 }, async (t) => {
  const hosts = Object.entries(MISTAKES).flatMap(([promise, mistakes]) => Object.entries(mistakes).map((mistake) => [promise, ...mistake]));
  await Promise.all(
    hosts.map(([promise, name, edits]) =>
      t.test(`${promise}: one that ${name}`, async () => {
        const open = await openMini(edits);
        const { failed, passed } = await checkHost({ name, lacks, open }, { promises: [promise], patience: 2500, concurrency: 8 });
        const names = failed.map((one) => one.name);
        assert.ok(names.length > 0, `it passes all ${passed.length} tests of ${promise}`);
      }),
    ),
  );
});

test("the suite says what is wrong with an adapter", async () => {
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
