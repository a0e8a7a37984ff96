// Compares two definitions: the changes, and their effect on running executions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compare } from "stepglass";
import { folderWith } from "./command.mjs";

const base = () => ({
  StartAt: "Prepare",
  States: {
    Prepare: { Type: "Pass", Parameters: { "id.$": "$.order" }, Next: "Charge" },
    Charge: {
      Type: "Task",
      Resource: "arn:aws:lambda:us-east-1:123456789012:function:charge",
      Retry: [{ ErrorEquals: ["Busy"], MaxAttempts: 2 }],
      ResultPath: "$.receipt",
      Next: "Both",
    },
    Both: {
      Type: "Parallel",
      Branches: [
        { StartAt: "Mail", States: { Mail: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", End: true } } },
        { StartAt: "Nap", States: { Nap: { Type: "Wait", Seconds: 60, End: true } } },
      ],
      Next: "Ok",
    },
    Ok: { Type: "Succeed" },
  },
});

/** Returns the changes as lines, and their effect on running executions. */
function check(change, expect) {
  const now = base();
  change(now.States, now);
  const { states, running, compatible, identical, machine } = compare(base(), JSON.stringify(now));
  const lines = [
    ...machine.map(({ pointer, change }) => `machine ${change} ${pointer}`),
    ...states.map(
      ({ state, change, to, fields = [] }) =>
        `${change} ${state}${to ? `>${to}` : ""}${fields.map(({ pointer, change }) => ` ${change[0]}${pointer}`).join("")}`,
    ),
    ...running.map(({ severity, kind, state }) => `${severity} ${kind} ${state}`),
  ];
  assert.deepEqual(lines, expect);
  assert.equal(compatible, !expect.some((line) => line.startsWith("breaks")));
  assert.equal(identical, expect.length === 0);
}

test("an unchanged definition has no changes", () => check(() => {}, []));

test("harmless changes are compatible", () => {
  check((states) => (states.Charge.Retry[0].MaxAttempts = 5), ["changed Charge c/Retry/0/MaxAttempts"]);
  check((states) => (states.Charge.TimeoutSeconds = 5), ["changed Charge a/TimeoutSeconds"]);
  check((_, machine) => (machine.Comment = "x"), ["machine added /Comment"]);
  check(
    (states) => {
      states.Log = { Type: "Task", Resource: "arn:aws:states:::sns:publish", Next: "Both" };
      states.Charge.Next = "Log";
    },
    ["changed Charge c/Next", "added Log"],
  );
  // An execution is never between events in a Pass state.
  check(
    (states, machine) => {
      delete states.Prepare;
      machine.StartAt = "Charge";
    },
    ["machine changed /StartAt", "removed Prepare"],
  );
});

test("a removed state breaks the executions that are in it", () => {
  check(
    (states) => {
      delete states.Charge;
      states.Prepare.Next = "Both";
    },
    ["changed Prepare c/Next", "removed Charge", "breaks gone Charge"],
  );
  check(
    (states) => {
      states.Bill = { ...states.Charge };
      delete states.Charge;
      states.Prepare.Next = "Bill";
    },
    ["changed Prepare c/Next", "renamed Charge>Bill", "breaks gone Charge"],
  );
  check(
    (states) => (states.Charge = { Type: "Pass", Next: "Both" }),
    ["changed Charge c/Type r/Resource r/Retry r/ResultPath", "breaks gone Charge"],
  );
  check(
    (states) => {
      states.Both.Branches[0].States.Nap = states.Both.Branches[1].States.Nap;
      states.Both.Branches[0].States.Mail = { ...states.Both.Branches[0].States.Mail, End: undefined, Next: "Nap" };
      states.Both.Branches.pop();
    },
    ["changed Both c/Branches", "changed Mail r/End a/Next", "moved Nap", "breaks gone Nap", "breaks branches Both"],
  );
});

test("states inside a renamed state are matched", () => {
  check(
    (states) => {
      states.All = states.Both;
      delete states.Both;
      states.Charge.Next = "All";
    },
    ["changed Charge c/Next", "renamed Both>All", "breaks gone Both", "breaks gone Mail", "breaks gone Nap"],
  );
});

test("a state with another meaning is reported", () => {
  check(
    (states) => (states.Charge.Resource = "arn:aws:lambda:us-east-1:123456789012:function:pay"),
    ["changed Charge c/Resource", "breaks meaning Charge"],
  );
  check((states) => (states.Charge.ResultPath = "$.bill"), ["changed Charge c/ResultPath", "differs carried Charge"]);
  check((states) => (states.Prepare.Parameters["n"] = 1), ["changed Prepare a/Parameters/n", "differs carried Prepare"]);
  check(
    (states) => {
      states.Prepare.Assign = { "id.$": "$.order" };
      states.Both.Branches[0].States.Mail.Parameters = { "Body.$": "$id" };
    },
    ["changed Prepare a/Assign", "changed Mail a/Parameters", "breaks variable Mail", "differs carried Prepare"],
  );
});

test("a variable that the old definition never assigned is reported with the first states that assign it", () => {
  const machine = (fields) => ({
    StartAt: "A",
    States: Object.fromEntries(
      [..."ABCDE"].map((name, i) => [name, { Type: "Pass", ...fields(i), ...(i < 4 ? { Next: "ABCDE"[i + 1] } : { End: true }) }]),
    ),
  });
  const reading = (i) => ({ Assign: { v: i, [`own${i}`]: i }, Parameters: { "v.$": "$v", "own.$": `$own${i}` } });
  const { running, compatible } = compare(
    machine(() => ({})),
    machine(reading),
  );
  const told = running.filter(({ kind }) => kind === "variable").map(({ message }) => message);
  assert.equal(compatible, false);
  // A state that reads a variable that only it assigns finds it in new executions only.
  assert.deepEqual(
    told,
    [..."ABCDE"].map(
      (name) =>
        `'${name}' reads $v, which the old definition never set: an execution that is past 'A', 'B', 'C' and 2 more does not have it`,
    ),
  );
  assert.deepEqual(compare(machine(reading), machine(reading)).running, []);
});

test("a value that is not a definition is refused", () => {
  assert.throws(() => compare("{", base()), /the old definition is not JSON/);
  assert.throws(() => compare(base(), {}), { code: "INVALID_ARGUMENT", message: "the new definition has no States" });
});

const changed = base();
changed.States.Charge.ResultPath = "$.bill";
const broken = base();
delete broken.States.Charge;
const { stepglass } = folderWith({
  "old.json": base(),
  "new.json": changed,
  "broken.json": broken,
  "nothing.json": "[1",
  "empty.json": {},
});

test("the command prints the comparison", async () => {
  const same = await stepglass("diff", "old.json", "old.json");
  assert.deepEqual([same.code, same.stdout], [0, "the same definition\n"]);
  const { code, stdout } = await stepglass("diff", "old.json", "new.json");
  assert.equal(code, 0);
  assert.match(stdout, /^~ changed Charge Task\n {4}~ ResultPath: "\$\.receipt" → "\$\.bill"\n\ncompatible, but an execution/);
  assert.equal((await stepglass("diff", "old.json", "new.json", "--strict")).code, 1);
  const gone = await stepglass("diff", "-", "broken.json", { input: JSON.stringify(base()) });
  assert.equal(gone.code, 1);
  assert.match(gone.stdout, /incompatible[^]*breaks {3}an execution in Task state 'Charge' cannot continue: the state was removed/);
  assert.equal(JSON.parse((await stepglass("diff", "old.json", "broken.json", "--json")).stdout).compatible, false);
  for (const [args, wanted] of [
    [["old.json"], 2],
    [["-", "-"], 2],
    [["old.json", "nothing.json"], 1],
    [["old.json", "empty.json"], 2],
  ])
    assert.equal((await stepglass("diff", ...args)).code, wanted, args.join(" "));
});
