// The steps of `npm test` run in parallel: their output is not mixed, and their CPU time is measured.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Floor, command, secondsOf, sideBySide } from "../../scripts/lanes.mjs";

test("one step prints at a time, and the buffered output of the others follows in their order", () => {
  let shown = "";
  const floor = new Floor((chunk) => (shown += chunk));
  const [one, two, three] = [floor.speaker(), floor.speaker(), floor.speaker()];
  one.say("a");
  two.say("c");
  three.say("e");
  one.say("b");
  assert.equal(shown, "ab");
  three.end();
  assert.equal(shown, "ab");
  one.end();
  assert.equal(shown, "abc");
  two.say("d");
  two.end();
  assert.equal(shown, "abcde");
  const four = floor.speaker();
  four.say("f");
  assert.equal(shown, "abcdef");
});

test("command() returns the output, the exit code and the CPU time of a command", async () => {
  let out = "";
  let err = "";
  const busy = "for (const end = process.cpuUsage().user + 2e5; process.cpuUsage().user < end; );";
  const child = `require("node:child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(busy)}])`;
  const { code, cpu } = await command([process.execPath, "-e", `${child}; console.log("a b"); console.error("no"); process.exit(3)`], {
    env: {},
    stdout: (chunk) => (out += chunk),
    stderr: (chunk) => (err += chunk),
  });
  assert.deepEqual([code, out, err], [3, "a b\n", "no\n"]);
  // The CPU time includes the children of the command.
  if (process.platform !== "win32") assert.ok(cpu >= 0.2, String(cpu));
});

test("a command that does not exist fails", async () => {
  const { code } = await command(["there-is-no-such-program"], { stdout: () => {} });
  assert.notEqual(code, 0);
});

test("secondsOf() adds the times that a shell prints", () => {
  assert.equal(secondsOf("0m0.25s 0m0.25s\n1m1.50s 0m2.00s\n"), 64);
  assert.equal(secondsOf("0m0,50s 0m0,00s\n"), 0.5);
  assert.equal(secondsOf(""), undefined);
});

/** Runs steps with the given needs. `names` lists the steps in the order of their start; `end(name, well)` ends one. */
function begun(needs, options) {
  const names = [];
  const ends = {};
  const all = sideBySide(Object.keys(needs), {
    width: 2,
    name: (step) => step,
    needs: (step) => needs[step],
    begin: (step) => {
      names.push(step);
      return new Promise((resolve) => (ends[step] = resolve));
    },
    ...options,
  });
  const end = async (name, well = true) => {
    ends[name](well);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { all, names, end };
}

test("steps start in their order, at most `width` at a time, each after the steps that it needs", async () => {
  const { all, names, end } = begun({ types: ["build"], build: [], lints: [], page: ["types", "not chosen"], fuzz: [] });
  assert.deepEqual(names, ["build", "lints"]);
  await end("lints");
  assert.deepEqual(names.slice(2), ["fuzz"]);
  await end("build");
  assert.deepEqual(names.slice(3), ["types"]);
  await end("fuzz");
  assert.equal(names.length, 4);
  await end("types");
  await end("page");
  assert.equal(await all, true);
});

test("steps of one turn do not run at the same time, and an idle step does not count towards `width`", async () => {
  const { all, names, end } = begun(
    { tests: [], lints: [], drivers: [], build: [], size: [] },
    { turn: (step) => (["tests", "lints"].includes(step) ? "rust" : undefined), idle: (step) => step === "drivers" },
  );
  assert.deepEqual(names, ["tests", "drivers", "build"]);
  await end("tests");
  assert.deepEqual(names.slice(3), ["lints"]);
  for (const name of ["build", "lints", "drivers", "size"]) await end(name);
  assert.equal(await all, true);
});

test("a step that fails stops only the steps that need it", async () => {
  const omitted = [];
  const { all, names, end } = begun(
    { build: [], lints: [], page: ["build"], browser: ["page", "lints"], rust: [] },
    { omit: (step, needed) => omitted.push(`${step} needs ${needed}`) },
  );
  await end("build", false);
  assert.deepEqual(omitted, ["page needs build", "browser needs page"]);
  await end("lints");
  await end("rust");
  assert.equal(await all, false);
  assert.deepEqual(names, ["build", "lints", "rust"]);
  await assert.rejects(sideBySide(["a"], { width: 1, name: (step) => step, begin: () => Promise.reject(new Error("broken")) }), /broken/);
  await assert.rejects(begun({ a: ["b"], b: ["a"] }).all, /wait for each other: a, b/);
});
