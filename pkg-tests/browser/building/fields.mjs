// Fills in the forms of a machine and of its states until the definition has the wanted fields.
import assert from "node:assert/strict";
import { picker } from "../definition.mjs";
import { eventually } from "../playground.mjs";
import { pointerTo, valueAt } from "./user.mjs";

/** Fields that gestures on the graph have written already. */
const DRAWN = new Set(["Type", "Next", "Default", "States", "StartAt", "Branches"]);
/** The name of a field without `Path`: `SecondsPath` takes the place of `Seconds`. */
const plain = (name) => name.replace(/Path$/, "");
const KINDS = ["And", "Or", "Not"];

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** The id of the form's control for a JSON Pointer. */
const idOf = (at) => `form-${at.replaceAll(/[^\w-]/g, (c) => `_${c.codePointAt(0).toString(16)}`)}`;

export class Fields {
  constructor(user) {
    this.user = user;
    this.form = user.page.getByRole("tabpanel", { name: "Form", exact: true });
  }

  /** Opens the form of a state. */
  async open(steps) {
    await this.user.gesture(pointerTo("", ...steps), "form");
    await eventually(() => this.form.getByRole("textbox", { name: "Name", exact: true }).inputValue(), steps.at(-1));
  }

  row(steps) {
    return this.form.locator(`[data-field=${JSON.stringify(pointerTo("", ...steps))}]`);
  }

  has(steps, value) {
    return this.user.untilMachine((now) => assert.deepEqual(valueAt(now, steps), value));
  }

  async now(steps) {
    return valueAt(await this.user.machine(), steps);
  }

  /** Sets all fields of an object, and removes those that are not wanted. */
  async setAll(steps, wanted, except = DRAWN) {
    for (const [name, value] of Object.entries(wanted)) if (!except.has(name)) await this.set([...steps, name], value);
    for (const name of Object.keys((await this.now(steps)) ?? {}))
      // A Choice may have got a Default when it was created.
      if ((name === "Default" || !except.has(name)) && !Object.hasOwn(wanted, name)) await this.set([...steps, name], undefined);
  }

  /** Sets one field, with whatever control it has. */
  async set(steps, value) {
    if (JSON.stringify(await this.now(steps)) === JSON.stringify(value)) return;
    const name = steps.at(-1);
    if (name === "End") return this.#end(steps);
    if (name === "Retry" || name === "Catch") return this.#handlers(steps, value);
    if (name === "Choices") return this.#rules(steps, value);
    if (name === "ErrorEquals") return this.#errors(steps, value);
    if (name === "ItemProcessor") return this.setAll(steps, value);
    // The form shows its fields among those of the ItemProcessor.
    if (name === "ProcessorConfig") return this.setAll(steps, value ?? {}, new Set());
    await this.#addRow(steps);
    const row = this.row(steps);
    if (isObject(value) && (await row.locator(":scope > .form-inside, :scope > .form-add").count()) > 0) {
      const add = row.locator(":scope > .form-add");
      if ((await add.count()) > 0) await this.user.press(add);
      return this.setAll(steps, value, new Set());
    }
    await this.#write(row, steps, value);
  }

  /** Adds the row of a field if the form does not show it yet. */
  async #addRow(steps) {
    const [name, row] = [steps.at(-1), this.row(steps)];
    // Alternative fields, such as Seconds and SecondsPath, are selected in one row.
    const other = this.row([...steps.slice(0, -1), plain(name)]).locator("select.form-way");
    const add = this.#container(steps.slice(0, -1))
      .getByRole("button", { name: `Add ${name}`, exact: true })
      .first();
    await row.or(other).or(add).first().waitFor();
    if ((await row.count()) > 0) return;
    if ((await other.count()) > 0) await this.user.select(other, name);
    else await this.user.press(add);
    await row.waitFor();
  }

  /** The element that contains the fields of an object: a row, an element of a list, or the form. */
  #container(steps) {
    if (typeof steps.at(-1) === "number") return this.row(steps.slice(0, -1)).locator(":scope > .form-items > ol > li").nth(steps.at(-1));
    return this.row(steps).or(this.form.locator(".form-fields")).last();
  }

  async #write(row, steps, value) {
    const box = row.locator("textarea, input, select:not(.form-way)").first();
    await box.waitFor();
    if (steps.length === 1 && value === "JSONata" && steps[0] === "QueryLanguage") return this.#language(box, steps, value);
    if (await box.evaluate((element) => element.matches("select"))) await this.user.select(box, value === undefined ? "" : String(value));
    else {
      const json = await box.evaluate((element) => element.matches("textarea.form-area.mono"));
      await this.user.write(box, value === undefined ? "" : typeof value === "string" && !json ? value : JSON.stringify(value));
    }
    await this.has(steps, value);
  }

  async #language(box, steps, value) {
    await this.user.select(box, value);
    await picker(this.user.page).locator('[data-option="set"]').waitFor();
    await this.user.choose("set");
    await this.has(steps, value);
  }

  /** Ends the scope with this state, by the list of its targets. */
  async #end(steps) {
    const list = this.form.locator("select", { has: this.user.page.locator("option", { hasText: /^End$/ }) }).first();
    await this.user.select(list, { label: "End" });
    await this.has(steps, true);
  }

  async #errors(steps, names) {
    const row = this.row(steps);
    for (const one of (await this.now(steps)).filter((name) => !names.includes(name)))
      await this.user.press(row.getByRole("button", { name: `Remove ${one}`, exact: true }));
    for (const one of names) {
      if ((await this.now(steps))?.includes(one)) continue;
      const box = row.getByRole("combobox");
      await box.fill(one);
      await box.press("Enter");
      await this.user.untilMachine((now) => assert.ok(valueAt(now, steps)?.includes(one)));
    }
    await this.has(steps, names);
  }

  /** Sets retriers and catchers: adds those that are missing, and removes the surplus. */
  async #handlers(steps, handlers = []) {
    const noun = steps.at(-1) === "Retry" ? "Retrier" : "Catcher";
    for (let i = ((await this.now(steps)) ?? []).length; i > handlers.length; i--)
      await this.user.press(this.row(steps).getByRole("button", { name: `Remove ${noun} ${i}`, exact: true }));
    for (const [i, handler] of handlers.entries()) {
      if ((await this.now([...steps, i])) === undefined) {
        await this.user.press(this.row(steps).getByRole("button", { name: noun, exact: true }));
        await this.user.untilMachine((now) => assert.ok(valueAt(now, [...steps, i])));
      }
      await this.setAll([...steps, i], handler, new Set(["Next"]));
    }
    await this.has(steps, handlers.length > 0 ? handlers : undefined);
  }

  async #rules(steps, rules) {
    for (const [i, rule] of rules.entries()) {
      const at = [...steps, i];
      const { Next: _, Assign, Output, Comment, Condition, ...test } = rule;
      for (const [name, value] of Object.entries({ Assign, Output, Comment, Condition }))
        if (value !== undefined) await this.set([...at, name], value);
      if (Condition === undefined) await this.#test(at, test);
    }
    await this.has(steps, rules);
  }

  /** Sets a JSONPath test: a comparison, or several joined by And, Or and Not. */
  async #test(at, test) {
    const id = (name) => `[id=${JSON.stringify(`${idOf(pointerTo("", ...at))}-${name}`)}]`;
    const control = (name) => this.form.locator(id(name));
    const kind = KINDS.find((one) => Object.hasOwn(test, one));
    const testIn = (now) => valueAt(now, at);
    await control("kind").waitFor();
    if ((await control("kind").inputValue()) !== (kind ?? "compare")) {
      await this.user.select(control("kind"), kind ?? "compare");
      await this.user.untilMachine((now) =>
        assert.ok(kind === undefined ? KINDS.every((one) => !(one in testIn(now))) : kind in testIn(now)),
      );
    }
    if (kind === "Not") return this.#test([...at, "Not"], test.Not);
    if (kind !== undefined) return this.#parts([...at, kind], test[kind], id("kind"));
    const { Variable, ...rest } = test;
    const [[operator, value]] = Object.entries(rest);
    await this.set([...at, "Variable"], Variable);
    if ((await control("operator").inputValue()) !== operator) {
      await this.user.select(control("operator"), operator);
      await this.user.untilMachine((now) => assert.ok(operator in testIn(now)));
    }
    await this.set([...at, operator], value);
  }

  /** Sets the parts of a joined test. `kind` is the selector of the control for the kind of that test. */
  async #parts(at, parts, kind) {
    const builder = this.form
      .locator(".builder")
      .filter({ has: this.user.page.locator(kind) })
      .last();
    const number = async () => (await this.now(at)).length;
    while ((await number()) > parts.length) {
      const had = await number();
      await this.user.press(builder.getByRole("button", { name: "Remove this part" }).last());
      await this.user.untilMachine((now) => assert.equal(valueAt(now, at).length, had - 1));
    }
    while ((await number()) < parts.length) {
      const had = await number();
      await this.user.press(builder.locator(":scope > .form-add"));
      await this.user.untilMachine((now) => assert.equal(valueAt(now, at).length, had + 1));
    }
    for (const [i, part] of parts.entries()) await this.#test([...at, i], part);
  }
}
