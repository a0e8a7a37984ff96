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

/**
 * Definition, position of the cursor, chosen fix, and the definition after it. All fixes are in pkg-tests/api/editor-language.test.mjs;
 * these are one at the cursor, one of the cursor's line, and one with several edits.
 */
const FIXES = [
  ["did you mean, of a state", then({ Next: "Bb" }), "Bb", /^Did you mean .*B/, then({ Next: "B" })],
  [
    "HeartbeatSeconds",
    task({ TimeoutSeconds: 5, HeartbeatSeconds: 9 }),
    "HeartbeatSeconds",
    /^Let .?HeartbeatSeconds.? be 4/,
    task({ TimeoutSeconds: 5, HeartbeatSeconds: 4 }),
  ],
  [
    "States.ALL last",
    task({ Retry: [{ ErrorEquals: ["States.ALL"], MaxAttempts: 1 }, { ErrorEquals: ["X"] }] }),
    "States.ALL",
    /^Move it to the end/,
    task({ Retry: [{ ErrorEquals: ["X"] }, { ErrorEquals: ["States.ALL"], MaxAttempts: 1 }] }),
  ],
];

const BROKEN = '{\n  "StartAt": "A"\n  "States": {"A": {"Type": "Succeed"}}\n}';

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
    visit(`applies a fix with Ctrl+. in ${format.toUpperCase()}`, { reusePage: true }, async (visitor, page) => {
      await visitor.example("Empty");
      await visitor.editor("Definition").waitFor();
      if (format === "yaml") await toYaml(page);
      const written = (definition) => (format === "yaml" ? stringify(definition) : JSON.stringify(definition, null, 2));
      const read = format === "yaml" ? parse : JSON.parse;
      for (const [what, before, piece, title, after] of FIXES) {
        await visitor.write("Definition", written(before));
        await putCursor(visitor, piece);
        await choose(page, title, what);
        await eventually(async () => read(await text(visitor)), after, what);
      }
    });
  }

  visit("inserts a missing comma", { reusePage: true }, async (visitor, page) => {
    await visitor.example("Empty");
    await visitor.editor("Definition").waitFor();
    await visitor.write("Definition", BROKEN);
    await putCursor(visitor, '"States"');
    await choose(page, /comma/);
    await eventually(async () => JSON.parse(await text(visitor)), { StartAt: "A", States: { A: { Type: "Succeed" } } });
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

  visit("converts a state to JSONata, as the command line does", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: PATHS });
    await visitor.state("Charge").waitFor();
    await putCursor(visitor, "lambda:invoke");
    await choose(page, /^Convert .?Charge.? to JSONata/);
    await eventually(async () => JSON.parse(await text(visitor)), { ...PATHS, States: { ...PATHS.States, Charge: CHARGE } });
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(async () => JSON.parse(await text(visitor)), PATHS);
    // A state that cannot be converted stays as it is, and the reason is shown.
    await putCursor(visitor, "$..deep");
    await choose(page, /^.?Look.? stays in JSONPath: /);
    await page.locator(".toast", { hasText: "stays in JSONPath" }).waitFor();
    await eventually(async () => JSON.parse(await text(visitor)), PATHS);
  });

  visit("converts all states to JSONata from the palette, and lists those that stay", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: PATHS });
    await visitor.state("Charge").waitFor();
    await command(page, "convert all states");
    const alarm = page.getByRole("alert").filter({ hasText: "2 states are in JSONata now" });
    await alarm.waitFor();
    await eventually(() => alarm.innerText(), /In JSONPath stays “Look”: /);
    await eventually(async () => {
      const { States, QueryLanguage } = JSON.parse(await text(visitor));
      return [QueryLanguage, States.Charge, States.Look, States.Done.Output];
    }, [undefined, CHARGE, PATHS.States.Look, '{% $type($states.input) = "object" ? $states.input.order %}']);
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
