// Fills in the forms of a machine and of its states until they say what is wanted.
import assert from "node:assert/strict";
import { picker } from "../definition.mjs";
import { comes } from "../playground.mjs";
import { pointerTo, valueAt } from "./hands.mjs";

/** What gestures on the graph have written. */
const DRAWN = new Set(["Type", "Next", "Default", "States", "StartAt", "Branches"]);
/** How a field is called whose place another one takes: `Seconds` of `SecondsPath`. */
const plain = (name) => name.replace(/Path$/, "");
const KINDS = ["And", "Or", "Not"];

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** As the form names the control of a place. */
const idOf = (at) => `form-${at.replaceAll(/[^\w-]/g, (c) => `_${c.codePointAt(0).toString(16)}`)}`;

export class Fields {
  constructor(hands) {
    this.hands = hands;
    this.form = hands.page.getByRole("tabpanel", { name: "Form", exact: true });
  }

  /** Opens the form of a state. */
  async open(steps) {
    await this.hands.gesture(pointerTo("", ...steps), "form");
    await comes(() => this.form.getByRole("textbox", { name: "Name", exact: true }).inputValue(), steps.at(-1));
  }

  row(steps) {
    return this.form.locator(`[data-field=${JSON.stringify(pointerTo("", ...steps))}]`);
  }

  has(steps, value) {
    return this.hands.becomes((now) => assert.deepEqual(valueAt(now, steps), value));
  }

  async now(steps) {
    return valueAt(await this.hands.machine(), steps);
  }

  /** All fields of an object; what is there and not wanted goes. */
  async all(steps, wanted, besides = DRAWN) {
    for (const [name, value] of Object.entries(wanted)) if (!besides.has(name)) await this.set([...steps, name], value);
    for (const name of Object.keys((await this.now(steps)) ?? {}))
      // A Choice may have come with a Default.
      if ((name === "Default" || !besides.has(name)) && !Object.hasOwn(wanted, name)) await this.set([...steps, name], undefined);
  }

  /** A field, whatever its control is. */
  async set(steps, value) {
    if (JSON.stringify(await this.now(steps)) === JSON.stringify(value)) return;
    const name = steps.at(-1);
    if (name === "End") return this.#end(steps);
    if (name === "Retry" || name === "Catch") return this.#handlers(steps, value);
    if (name === "Choices") return this.#rules(steps, value);
    if (name === "ErrorEquals") return this.#errors(steps, value);
    if (name === "ItemProcessor") return this.all(steps, value);
    // Its fields are among those around it.
    if (name === "ProcessorConfig") return this.all(steps, value ?? {}, new Set());
    await this.#shown(steps);
    const own = this.row(steps);
    if (isObject(value) && (await own.locator(":scope > .form-inside, :scope > .form-add").count()) > 0) {
      const add = own.locator(":scope > .form-add");
      if ((await add.count()) > 0) await this.hands.press(add);
      return this.all(steps, value, new Set());
    }
    await this.#write(own, steps, value);
  }

  /** Sees to it that a field has its row. */
  async #shown(steps) {
    const [name, own] = [steps.at(-1), this.row(steps)];
    // What has several ways is chosen among them.
    const other = this.row([...steps.slice(0, -1), plain(name)]).locator("select.form-way");
    const add = this.#around(steps.slice(0, -1))
      .getByRole("button", { name: `Add ${name}`, exact: true })
      .first();
    await own.or(other).or(add).first().waitFor();
    if ((await own.count()) > 0) return;
    if ((await other.count()) > 0) await this.hands.select(other, name);
    else await this.hands.press(add);
    await own.waitFor();
  }

  /** What has the fields of an object: a row, an element of a list, or the form. */
  #around(steps) {
    if (typeof steps.at(-1) === "number") return this.row(steps.slice(0, -1)).locator(":scope > .form-items > ol > li").nth(steps.at(-1));
    return this.row(steps).or(this.form.locator(".form-fields")).last();
  }

  async #write(own, steps, value) {
    const box = own.locator("textarea, input, select:not(.form-way)").first();
    await box.waitFor();
    if (steps.length === 1 && value === "JSONata" && steps[0] === "QueryLanguage") return this.#language(box, steps, value);
    if (await box.evaluate((element) => element.matches("select"))) await this.hands.select(box, value === undefined ? "" : String(value));
    else {
      const json = await box.evaluate((element) => element.matches("textarea.form-area.mono"));
      await this.hands.write(box, value === undefined ? "" : typeof value === "string" && !json ? value : JSON.stringify(value));
    }
    await this.has(steps, value);
  }

  async #language(box, steps, value) {
    await this.hands.select(box, value);
    await picker(this.hands.page).locator('[data-option="set"]').waitFor();
    await this.hands.choose("set");
    await this.has(steps, value);
  }

  /** The end of a scope is where a state leads. */
  async #end(steps) {
    const list = this.form.locator("select", { has: this.hands.page.locator("option", { hasText: /^End$/ }) }).first();
    await this.hands.select(list, { label: "End" });
    await this.has(steps, true);
  }

  async #errors(steps, names) {
    const own = this.row(steps);
    for (const one of (await this.now(steps)).filter((name) => !names.includes(name)))
      await this.hands.press(own.getByRole("button", { name: `Remove ${one}`, exact: true }));
    for (const one of names) {
      if ((await this.now(steps))?.includes(one)) continue;
      const box = own.getByRole("combobox");
      await box.fill(one);
      await box.press("Enter");
      await this.hands.becomes((now) => assert.ok(valueAt(now, steps)?.includes(one)));
    }
    await this.has(steps, names);
  }

  /** Retriers and catchers: those that are not there yet are added, others are taken away. */
  async #handlers(steps, handlers = []) {
    const noun = steps.at(-1) === "Retry" ? "Retrier" : "Catcher";
    for (let i = ((await this.now(steps)) ?? []).length; i > handlers.length; i--)
      await this.hands.press(this.row(steps).getByRole("button", { name: `Remove ${noun} ${i}`, exact: true }));
    for (const [i, handler] of handlers.entries()) {
      if ((await this.now([...steps, i])) === undefined) {
        await this.hands.press(this.row(steps).getByRole("button", { name: noun, exact: true }));
        await this.hands.becomes((now) => assert.ok(valueAt(now, [...steps, i])));
      }
      await this.all([...steps, i], handler, new Set(["Next"]));
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

  /** A test of JSONPath: a comparison, or several that are joined. */
  async #test(at, test) {
    const id = (name) => `[id=${JSON.stringify(`${idOf(pointerTo("", ...at))}-${name}`)}]`;
    const control = (name) => this.form.locator(id(name));
    const kind = KINDS.find((one) => Object.hasOwn(test, one));
    const own = (now) => valueAt(now, at);
    await control("kind").waitFor();
    if ((await control("kind").inputValue()) !== (kind ?? "compare")) {
      await this.hands.select(control("kind"), kind ?? "compare");
      await this.hands.becomes((now) => assert.ok(kind === undefined ? KINDS.every((one) => !(one in own(now))) : kind in own(now)));
    }
    if (kind === "Not") return this.#test([...at, "Not"], test.Not);
    if (kind !== undefined) return this.#parts([...at, kind], test[kind], id("kind"));
    const { Variable, ...rest } = test;
    const [[operator, value]] = Object.entries(rest);
    await this.set([...at, "Variable"], Variable);
    if ((await control("operator").inputValue()) !== operator) {
      await this.hands.select(control("operator"), operator);
      await this.hands.becomes((now) => assert.ok(operator in own(now)));
    }
    await this.set([...at, operator], value);
  }

  /** `kind` is the selector of what chooses the kind of the test around them. */
  async #parts(at, parts, kind) {
    const builder = this.form
      .locator(".builder")
      .filter({ has: this.hands.page.locator(kind) })
      .last();
    const number = async () => (await this.now(at)).length;
    while ((await number()) > parts.length) {
      const had = await number();
      await this.hands.press(builder.getByRole("button", { name: "Remove this part" }).last());
      await this.hands.becomes((now) => assert.equal(valueAt(now, at).length, had - 1));
    }
    while ((await number()) < parts.length) {
      const had = await number();
      await this.hands.press(builder.locator(":scope > .form-add"));
      await this.hands.becomes((now) => assert.equal(valueAt(now, at).length, had + 1));
    }
    for (const [i, part] of parts.entries()) await this.#test([...at, i], part);
  }
}
