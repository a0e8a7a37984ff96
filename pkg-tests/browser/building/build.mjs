// Builds a machine from an empty page by gestures and forms alone.
import assert from "node:assert/strict";
import { toYaml } from "../definition.mjs";
import { Fields } from "./fields.mjs";
import { allStates, buildScope } from "./graph.mjs";
import { User } from "./user.mjs";

/**
 * Builds the machine `wanted` with a device: "mouse", "keyboard" or "touch". Returns the number of gestures and fields that it
 * took.
 */
export async function build(visitor, wanted, device, { yaml = false } = {}) {
  const user = new User(visitor, device);
  const { page } = visitor;
  await visitor.example("Empty");
  if (yaml) await toYaml(page);
  await user.press(page.getByRole("button", { name: /^Blank canvas/ }));
  await user.choose(wanted.States[wanted.StartAt].Type);
  await user.untilMachine((now) => assert.ok(now.StartAt in now.States));
  const fields = new Fields(user);
  const { States: _, StartAt: __, ...machine } = wanted;
  // New states are written in the machine's query language.
  if (wanted.QueryLanguage !== undefined) {
    await openMachine(user, fields);
    await fields.set(["QueryLanguage"], wanted.QueryLanguage);
  }
  await buildScope(user, wanted);
  await openMachine(user, fields);
  for (const [name, value] of Object.entries(machine)) await fields.set([name], value);
  for (const [steps, state] of allStates(wanted)) {
    await fields.open(steps);
    await fields.setAll(steps, state);
  }
  await user.untilMachine((now) => assert.deepEqual(now, wanted));
  return user.count;
}

/** Opens the machine's own form, which is shown when no state is selected. */
async function openMachine(user, fields) {
  const { page, device } = user;
  if (device === "keyboard") {
    await page.locator("[data-node]").first().focus();
    await page.keyboard.press("Shift+E");
  } else {
    const canvas = page.locator("svg.canvas");
    await (device === "touch" ? canvas.tap({ position: { x: 8, y: 200 } }) : canvas.click({ position: { x: 8, y: 200 } }));
    await user.press(page.getByRole("tab", { name: "Form", exact: true }));
  }
  await fields.form.getByRole("combobox", { name: "StartAt" }).waitFor();
}
