// Builds a machine from an empty page by gestures and forms alone.
import assert from "node:assert/strict";
import { toYaml } from "../definition.mjs";
import { Fields } from "./fields.mjs";
import { allStates, buildScope } from "./graph.mjs";
import { Hands } from "./hands.mjs";

/** `way` is "mouse", "keyboard" or "touch"; how many gestures and fields it took. */
export async function build(visitor, wanted, way, { yaml = false } = {}) {
  const hands = new Hands(visitor, way);
  const { page } = visitor;
  await visitor.example("Empty");
  if (yaml) await toYaml(page);
  await hands.press(page.getByRole("button", { name: /^Blank canvas/ }));
  await hands.choose(wanted.States[wanted.StartAt].Type);
  await hands.becomes((now) => assert.ok(now.StartAt in now.States));
  const fields = new Fields(hands);
  const { States: _, StartAt: __, ...machine } = wanted;
  // New states are written in the language of the machine.
  if (wanted.QueryLanguage !== undefined) {
    await openMachine(hands, fields);
    await fields.set(["QueryLanguage"], wanted.QueryLanguage);
  }
  await buildScope(hands, wanted);
  await openMachine(hands, fields);
  for (const [name, value] of Object.entries(machine)) await fields.set([name], value);
  for (const [steps, state] of allStates(wanted)) {
    await fields.open(steps);
    await fields.all(steps, state);
  }
  await hands.becomes((now) => assert.deepEqual(now, wanted));
  return hands.count;
}

/** The machine's own form: no state is selected. */
async function openMachine(hands, fields) {
  const { page, way } = hands;
  if (way === "keyboard") {
    await page.locator("[data-node]").first().focus();
    await page.keyboard.press("Shift+E");
  } else {
    const canvas = page.locator("svg.canvas");
    await (way === "touch" ? canvas.tap({ position: { x: 8, y: 200 } }) : canvas.click({ position: { x: 8, y: 200 } }));
    await hands.press(page.getByRole("tab", { name: "Form", exact: true }));
  }
  await fields.form.getByRole("combobox", { name: "StartAt" }).waitFor();
}
