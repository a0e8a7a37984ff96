// The quick fixes of the editor, and the conversion of states to JSONata.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { parse, stringify } from "yaml";
import { skip } from "../browser.mjs";
import { command, putCursor, text, toYaml } from "./definition.mjs";
import { eventually, visits } from "./playground.mjs";

const LAMBDA = "arn:aws:states:::lambda:invoke";
const task = (fields) => ({ StartAt: "A", States: { A: { Type: "Task", Resource: LAMBDA, ...fields, End: true } } });
const then = (fields, more = {}) => ({ StartAt: "A", States: { A: { Type: "Pass", ...fields }, B: { Type: "Succeed" }, ...more } });

/** Definition, position of the cursor, chosen fix, and the definition after it. */
const FIXES = [
  ["did you mean, of a state", then({ Next: "Bb" }), "Bb", /^Did you mean .*B/, then({ Next: "B" })],
  [
    "did you mean, of a field",
    then({ InputPth: "$.a", Next: "B" }),
    "InputPth",
    /^Did you mean .*InputPath/,
    then({ InputPath: "$.a", Next: "B" }),
  ],
  ["add Next", then({}), { name: "A" }, /^Continue to .?B/, then({ Next: "B" })],
  [
    "add End",
    { StartAt: "A", States: { A: { Type: "Pass" } } },
    { name: "A" },
    /[Ee]nd here/,
    { StartAt: "A", States: { A: { Type: "Pass", End: true } } },
  ],
  ["link an unreachable state", then({ End: true }), "B", /^Let .?A.? continue to .?B/, then({ Next: "B" })],
  ["remove an unreachable state", then({ End: true }), "B", /^Remove .?B/, { StartAt: "A", States: { A: { Type: "Pass", End: true } } }],
  [
    "States.ALL last",
    task({ Retry: [{ ErrorEquals: ["States.ALL"], MaxAttempts: 1 }, { ErrorEquals: ["X"] }] }),
    "States.ALL",
    /^Move it to the end/,
    task({ Retry: [{ ErrorEquals: ["X"] }, { ErrorEquals: ["States.ALL"], MaxAttempts: 1 }] }),
  ],
  [
    "Iterator",
    { StartAt: "A", States: { A: { Type: "Map", Iterator: { StartAt: "B", States: { B: { Type: "Succeed" } } }, End: true } } },
    "Iterator",
    /new name .?ItemProcessor/,
    { StartAt: "A", States: { A: { Type: "Map", ItemProcessor: { StartAt: "B", States: { B: { Type: "Succeed" } } }, End: true } } },
  ],
  ["add .$", task({ Parameters: { x: "$.y" } }), "$.y", /^To compute it, write .*x\.\$/, task({ Parameters: { "x.$": "$.y" } })],
  [
    "add {% %}",
    task({ QueryLanguage: "JSONata", Arguments: { x: "$.y" } }),
    "$.y",
    /^Make it an expression/,
    task({ QueryLanguage: "JSONata", Arguments: { x: "{% $states.input.y %}" } }),
  ],
  [
    "Parameters in JSONata",
    task({ QueryLanguage: "JSONata", Parameters: { "x.$": "$.y" } }),
    "Parameters",
    /^Make it .?Arguments/,
    task({ QueryLanguage: "JSONata", Arguments: { x: "{% $states.input.y %}" } }),
  ],
  [
    "InputPath in JSONata",
    task({ QueryLanguage: "JSONata", InputPath: "$.y" }),
    "InputPath",
    /^Make it .?Arguments/,
    task({ QueryLanguage: "JSONata", Arguments: "{% $states.input.y %}" }),
  ],
  ["Arguments in JSONPath", task({ Arguments: { x: 1 } }), "Arguments", /^Make it .?Parameters/, task({ Parameters: { x: 1 } })],
  [
    "Output in JSONPath",
    then({ Output: { x: 1 }, Next: "B" }),
    "Output",
    /^Make this a JSONata state/,
    then({ Output: { x: 1 }, Next: "B", QueryLanguage: "JSONata" }),
  ],
  [
    "add Default",
    { StartAt: "A", States: { A: { Type: "Choice", Choices: [{ Variable: "$.x", IsNull: true, Next: "B" }] }, B: { Type: "Succeed" } } },
    "Choice",
    /^Add .?Default.?, to .?B/,
    {
      StartAt: "A",
      States: { A: { Type: "Choice", Choices: [{ Variable: "$.x", IsNull: true, Next: "B" }], Default: "B" }, B: { Type: "Succeed" } },
    },
  ],
  [
    "a name twice",
    { StartAt: "A", States: { A: { Type: "Map", ItemProcessor: { StartAt: "A", States: { A: { Type: "Succeed" } } }, End: true } } },
    "Succeed",
    /^Rename this one to .?A 2/,
    { StartAt: "A", States: { A: { Type: "Map", ItemProcessor: { StartAt: "A 2", States: { "A 2": { Type: "Succeed" } } }, End: true } } },
    -1,
  ],
  [
    "HeartbeatSeconds",
    task({ TimeoutSeconds: 5, HeartbeatSeconds: 9 }),
    "HeartbeatSeconds",
    /^Let .?HeartbeatSeconds.? be 4/,
    task({ TimeoutSeconds: 5, HeartbeatSeconds: 4 }),
  ],
];

const BROKEN = [
  ["a comma", '{\n  "StartAt": "A"\n  "States": {"A": {"Type": "Succeed"}}\n}', '"States"', /comma/],
  ["a bracket", '{\n  "StartAt": "A",\n  "States": {"A": {"Type": "Succeed"}', '"Succeed"', /^Close the open brackets/],
  ["a quote", '{\n  "StartAt": "A,\n  "States": {"A": {"Type": "Succeed"}}\n}', '"A', /^Close the quotes/],
];

describe("quick fixes", { skip }, () => {
  const { visit } = visits();

  /** Chooses one of the quick fixes at the cursor. */
  const choose = async (page, title, what = "") => {
    await page.keyboard.press("Control+.");
    await page
      .getByRole("menu", { name: "Changes" })
      .waitFor()
      .catch(() => assert.fail(`nothing is offered: ${what}`));
    const names = await page.getByRole("menuitem").allInnerTexts();
    assert.ok(
      names.some((name) => title.test(name)),
      `${title} is not among ${names.join(" | ")}`,
    );
    await page.getByRole("menuitem", { name: title }).first().click();
    await page.getByRole("menu", { name: "Changes" }).waitFor({ state: "detached" });
  };

  for (const format of ["json", "yaml"]) {
    visit(`applies every fix with Ctrl+. in ${format.toUpperCase()}`, { reusePage: true }, async (visitor, page) => {
      await visitor.example("Empty");
      await visitor.editor("Definition").waitFor();
      if (format === "yaml") await toYaml(page);
      const written = (definition) => (format === "yaml" ? stringify(definition) : JSON.stringify(definition, null, 2));
      const read = format === "yaml" ? parse : JSON.parse;
      for (const [what, before, piece, title, after, line = 0] of FIXES) {
        await visitor.write("Definition", written(before));
        await putCursor(visitor, typeof piece === "string" ? piece : format === "yaml" ? ` ${piece.name}:` : `"${piece.name}":`);
        for (let i = line; i < 0; i++) await page.keyboard.press("ArrowUp");
        await choose(page, title, what);
        await eventually(async () => read(await text(visitor)), after, what);
      }
    });
  }

  visit("inserts a missing comma, bracket or quote", { reusePage: true }, async (visitor, page) => {
    await visitor.example("Empty");
    await visitor.editor("Definition").waitFor();
    for (const [what, before, piece, title] of BROKEN) {
      await visitor.write("Definition", before);
      await putCursor(visitor, piece);
      await choose(page, title);
      await eventually(async () => JSON.parse(await text(visitor)), { StartAt: "A", States: { A: { Type: "Succeed" } } }, what);
    }
  });

  const PATHS = {
    StartAt: "Charge",
    States: {
      Charge: {
        Type: "Task",
        Resource: LAMBDA,
        Parameters: { FunctionName: "charge", "Payload.$": "$.order" },
        ResultPath: "$.charged",
        Next: "Look",
      },
      Look: { Type: "Pass", InputPath: "$..deep", Next: "Done" },
      Done: { Type: "Succeed", OutputPath: "$.order" },
    },
  };
  const CHARGE = {
    Type: "Task",
    QueryLanguage: "JSONata",
    Resource: LAMBDA,
    Arguments: { FunctionName: "charge", Payload: '{% $type($states.input) = "object" ? $states.input.order %}' },
    Output: '{% $merge([$states.input, {"charged": $states.result}]) %}',
    Next: "Look",
  };

  for (const format of ["json", "yaml"]) {
    visit(
      `converts a state to JSONata in ${format.toUpperCase()}, as the command line does`,
      { reusePage: true },
      async (visitor, page) => {
        await visitor.open({ definition: PATHS });
        if (format === "yaml") await toYaml(page);
        const read = format === "yaml" ? parse : JSON.parse;
        await visitor.state("Charge").waitFor();
        await putCursor(visitor, "lambda:invoke");
        await choose(page, /^Convert .?Charge.? to JSONata/);
        await eventually(async () => read(await text(visitor)), { ...PATHS, States: { ...PATHS.States, Charge: CHARGE } });
        await page.keyboard.press("ControlOrMeta+z");
        await eventually(async () => read(await text(visitor)), PATHS);
        // A state that cannot be converted stays as it is, and the reason is shown.
        await putCursor(visitor, "$..deep");
        await choose(page, /^.?Look.? stays in JSONPath: /);
        await page.locator(".toast", { hasText: "stays in JSONPath" }).waitFor();
        await eventually(async () => read(await text(visitor)), PATHS);
      },
    );
  }

  visit("converts all states to JSONata from the palette, and lists those that stay", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: PATHS });
    await visitor.state("Charge").waitFor();
    await command(page, "convert all states");
    const alarm = page.getByRole("alert").filter({ hasText: "2 states are in JSONata now" });
    await alarm.waitFor();
    await eventually(() => alarm.innerText(), /In JSONPath stays “Look”: /);
    const { States, QueryLanguage } = JSON.parse(await text(visitor));
    assert.deepEqual(
      [QueryLanguage, States.Charge, States.Look, States.Done.Output],
      [undefined, CHARGE, PATHS.States.Look, '{% $type($states.input) = "object" ? $states.input.order %}'],
    );
    await visitor.write(
      "Definition",
      JSON.stringify({ StartAt: "A", States: { A: { Type: "Pass", InputPath: "$.x", End: true } } }, null, 2),
    );
    await visitor.state("A").waitFor();
    await command(page, "convert all states");
    await page.locator(".toast", { hasText: "“A” is in JSONata now" }).waitFor();
    await page.locator(".cm-line", { hasText: '"QueryLanguage": "JSONata"' }).waitFor();
    await eventually(async () => JSON.parse(await text(visitor)), {
      QueryLanguage: "JSONata",
      StartAt: "A",
      States: { A: { Type: "Pass", Output: '{% $type($states.input) = "object" ? $states.input.x %}', End: true } },
    });
  });
});
