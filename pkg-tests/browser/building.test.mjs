// Examples of the gallery, built from an empty page by gestures and forms alone: what comes of it is the example, field by field.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { gallery } from "../api/examples.mjs";
import { skip } from "../browser.mjs";
import { becomes, choose, machine, picker } from "./definition.mjs";
import { comes, visits } from "./playground.mjs";

const pointerTo = (...steps) => steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const valueAt = (value, steps) => steps.reduce((at, step) => at?.[step], value);

describe("an example from an empty page", { skip }, () => {
  const { visit } = visits();

  const example = (id) => JSON.parse(gallery().find((one) => one.id === id).definition);
  const form = (page) => page.getByRole("tabpanel", { name: "Form" });

  /** The states and their transitions, by the keyboard. */
  const buildGraph = async (visitor, page, { StartAt, States }) => {
    await visitor.example("Empty");
    const names = [StartAt, ...Object.keys(States).filter((name) => name !== StartAt)];
    const made = new Set();
    const focus = () => page.evaluate(() => document.activeElement?.getAttribute("data-node"));
    for (const name of names) {
      if (made.size === 0) {
        await page.getByRole("button", { name: /^Blank canvas/ }).focus();
        await page.keyboard.press("Enter");
      } else await page.keyboard.press("n");
      await choose(page, States[name].Type, States[name].Type);
      await comes(focus, new RegExp(`^/States/${States[name].Type}`));
      await page.keyboard.press("F2");
      await page.getByRole("textbox", { name: /^Name of / }).fill(name);
      await page.keyboard.press("Enter");
      await comes(focus, `/States/${name}`);
      made.add(name);
    }
    // A Choice comes with what its rules lead to.
    const all = Object.keys((await machine(visitor)).States);
    const lead = async (from, mode, to) => {
      await visitor.state(from).focus();
      await page.keyboard.press("t");
      await picker(page).waitFor();
      const way = page.getByRole("radio", { name: mode });
      if ((await page.getByRole("radio").count()) > 0) await way.first().check();
      await page.getByRole("combobox", { name: "Name of the state" }).focus();
      await choose(page, to, new RegExp(`^${to.replace("?", "[?]")}`));
    };
    for (const [name, { Next, Choices = [], Default, Catch = [] }] of Object.entries(States)) {
      if (Next !== undefined) {
        await lead(name, /^(Next|→ .*)$/, Next);
        await becomes(visitor, (now) => assert.equal(now.States[name].Next, Next));
      }
      for (const [i, rule] of Choices.entries()) {
        await lead(name, i === 0 ? /^Rule 1/ : "Another rule", rule.Next);
        await becomes(visitor, (now) => assert.equal(now.States[name].Choices[i]?.Next, rule.Next));
      }
      if (Default !== undefined) {
        await lead(name, /^Default/, Default);
        await becomes(visitor, (now) => assert.equal(now.States[name].Default, Default));
      }
      // A new one comes before that of all errors, which has to be the last.
      for (const [i, { Next: to }] of [...Catch].reverse().entries()) {
        await lead(name, "On an error", to);
        await becomes(visitor, (now) => {
          assert.equal(now.States[name].Catch?.length, i + 1);
          assert.equal(now.States[name].Catch[0].Next, to);
        });
      }
    }
    for (const name of all.filter((other) => !(other in States))) {
      await visitor.state(name).focus();
      await page.keyboard.press("Delete");
      await visitor.state(name).waitFor({ state: "detached" });
    }
    await becomes(visitor, (now) => assert.deepEqual(Object.keys(now.States).sort(), [...names].sort()));
  };

  const row = (page, ...steps) => form(page).locator(`[data-field=${JSON.stringify(pointerTo(...steps))}]`);
  const control = (place) => place.locator("textarea, input, select:not(.form-way)").first();
  const has = (visitor, steps, value) => becomes(visitor, (now) => assert.deepEqual(valueAt(now, steps), value));

  /** A field of its own control: chosen, typed, or added first. `ways` are other fields in whose place it can be chosen. */
  const set = async (visitor, page, steps, value, ways = []) => {
    if (JSON.stringify(valueAt(await machine(visitor), steps)) === JSON.stringify(value)) return;
    const name = steps.at(-1);
    const own = row(page, ...steps);
    if ((await own.count()) === 0) {
      const others = ways.map((other) => row(page, ...steps.slice(0, -1), other));
      const from = (await Promise.all(others.map((one) => one.count()))).findIndex((count) => count > 0);
      if (from >= 0) await others[from].locator("select.form-way").selectOption(name);
      // In an element of a list.
      else
        await row(page, ...steps.slice(0, 3))
          .locator("li")
          .nth(steps[3])
          .getByRole("button", { name: `Add ${name}`, exact: true })
          .click();
    }
    const box = control(own);
    await box.waitFor();
    if (await box.evaluate((element) => element.matches("select"))) await box.selectOption(value);
    else {
      await box.fill(value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));
      // Not by Tab, which takes what is proposed.
      await box.blur();
    }
    await has(visitor, steps, value);
  };

  const setErrors = async (visitor, page, steps, names) => {
    const own = row(page, ...steps);
    for (const one of valueAt(await machine(visitor), steps).filter((name) => !names.includes(name)))
      await own.getByRole("button", { name: `Remove ${one}`, exact: true }).click();
    for (const one of names) {
      await own.getByRole("combobox").fill(one);
      await own.getByRole("combobox").press("Enter");
    }
    await has(visitor, steps, names);
  };

  /** Retriers and catchers: those that are not there yet are added. */
  const setHandlers = async (visitor, page, steps, handlers) => {
    for (const [i, { ErrorEquals, ...fields }] of handlers.entries()) {
      if (valueAt(await machine(visitor), [...steps, i]) === undefined) {
        await row(page, ...steps)
          .getByRole("button", { name: steps.at(-1) === "Retry" ? "Retrier" : "Catcher", exact: true })
          .click();
        await becomes(visitor, (now) => assert.ok(valueAt(now, [...steps, i])));
      }
      await setErrors(visitor, page, [...steps, i, "ErrorEquals"], ErrorEquals);
      for (const [name, value] of Object.entries(fields)) await set(visitor, page, [...steps, i, name], value);
    }
  };

  const setRules = async (visitor, page, steps, rules) => {
    for (const [i, { Variable, Next: _, ...test }] of rules.entries()) {
      const [[operator, value]] = Object.entries(test);
      await set(visitor, page, [...steps, i, "Variable"], Variable);
      await row(page, ...steps)
        .getByRole("list", { name: "Rules" })
        .locator(":scope > li")
        .nth(i)
        .getByRole("combobox", { name: "Comparison" })
        .selectOption(operator);
      await becomes(visitor, (now) => assert.ok(operator in valueAt(now, [...steps, i])));
      await set(visitor, page, [...steps, i, operator], value);
    }
  };

  /** What gestures do not say of a state. */
  const fillIn = async (visitor, page, name, { Type: _, Next: __, End: ___, Default: ____, ...fields }) => {
    const at = ["States", name];
    await visitor.state(name).click();
    await page.getByRole("tab", { name: "Form", exact: true }).click();
    await comes(() => form(page).getByRole("textbox", { name: "Name", exact: true }).inputValue(), name);
    for (const [field, value] of Object.entries(fields)) {
      if (field === "Retry" || field === "Catch") await setHandlers(visitor, page, [...at, field], value);
      else if (field === "Choices") await setRules(visitor, page, [...at, field], value);
      else await set(visitor, page, [...at, field], value, [field.replace(/Path$/, "")]);
    }
    // What a new state has, so that it runs, and this one does not.
    const more = Object.keys((await machine(visitor)).States[name]).filter((field) => !["Type", "Next", "End", "Default"].includes(field));
    for (const field of more.filter((one) => !(one in fields))) await set(visitor, page, [...at, field], undefined);
  };

  for (const id of ["hello", "retry", "polling"])
    visit(`${id} is built by gestures and forms, field by field`, { staying: true }, async (visitor, page) => {
      const wanted = example(id);
      await visitor.example("Empty");
      await buildGraph(visitor, page, wanted);
      await page.locator(".canvas").click({ position: { x: 8, y: 200 } });
      await page.getByRole("tab", { name: "Form", exact: true }).click();
      await form(page).getByRole("combobox", { name: "StartAt" }).waitFor();
      await set(visitor, page, ["Comment"], wanted.Comment);
      if (wanted.QueryLanguage) {
        await form(page).getByRole("combobox", { name: "QueryLanguage" }).selectOption(wanted.QueryLanguage);
        await picker(page)
          .getByRole("option", { name: /^Only set the field/ })
          .click();
        await has(visitor, ["QueryLanguage"], wanted.QueryLanguage);
      }
      for (const [name, state] of Object.entries(wanted.States)) await fillIn(visitor, page, name, state);
      await becomes(visitor, (now) => assert.deepEqual(now, wanted));
    });
});
