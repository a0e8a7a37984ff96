// How somebody works on the page: by mouse, by keyboard or by touch. What a builder does, each hand does in its own way.
import assert from "node:assert/strict";
import { machine, picker } from "../definition.mjs";
import { until } from "../playground.mjs";
import { importSource } from "../../../scripts/sources.mjs";

export const { pointerTo, pointerSteps } = await importSource("js/base/pointer.ts");

/** What a browser of each hand is: a tablet is touched. */
export const WAYS = {
  mouse: { width: 1600, height: 1000 },
  keyboard: { width: 1600, height: 1000 },
  touch: { width: 1600, height: 1000, hasTouch: true, isMobile: true },
};

/** The key of a gesture, and its words in the menu of a state. */
const GESTURES = {
  rename: ["F2", /^Rename…/],
  retype: ["r", /^Change the type…/],
  connect: ["t", /^Lead a transition to…/],
  append: ["a", /^Add a state after it…/],
  branch: ["a", /^Add a branch…/],
  insert: ["i", /^Insert on a transition…/],
  delete: ["Delete", /^Delete/],
  form: ["e", /^Edit in the form/],
};

/** What stands in a value where these steps lead. */
export const valueAt = (value, steps) => steps.reduce((at, step) => at?.[step], value);

export class Hands {
  /** How many gestures and fields there were. */
  count = 0;

  constructor(visitor, way) {
    this.visitor = visitor;
    this.page = visitor.page;
    this.way = way;
  }

  /** The definition as it is now. */
  machine() {
    return machine(this.visitor);
  }

  /** Waits until assertions about it hold. */
  becomes(passes) {
    return until(async () => passes(await this.machine()));
  }

  /** Presses a button or what is like one. */
  async press(target) {
    if (this.way === "mouse") return target.click();
    if (this.way === "touch") return target.tap();
    await target.focus();
    await this.page.keyboard.press("Enter");
  }

  node(pointer) {
    return this.visitor.node(pointer);
  }

  /** Begins a gesture about a state: by its key, or in the menu, which a long press opens, too. */
  async gesture(pointer, kind) {
    this.count += 1;
    const [key, item] = GESTURES[kind];
    const node = this.node(pointer);
    if (this.way === "keyboard") {
      await node.focus();
      return this.page.keyboard.press(key);
    }
    await this.#shown(pointer);
    if (this.way === "mouse" && kind === "rename") return node.locator("text.name").first().dblclick();
    if (this.way === "mouse") await node.locator("text.name").first().click({ button: "right" });
    else await node.dispatchEvent("contextmenu");
    await this.press(this.page.getByRole("menuitem", { name: item }));
  }

  /** Has a state where it can be pressed: on the whole graph, or where that is large, as the search shows it. */
  async #shown(pointer) {
    const node = this.node(pointer);
    const name = node.locator("text.name").first();
    await this.visitor.still();
    // It lies over the foot of the graph.
    const hints = this.page.getByRole("button", { name: "No more hints" });
    if ((await hints.count()) > 0) await this.press(hints);
    await this.press(this.page.getByRole("button", { name: "Fit the graph" }));
    await this.visitor.still();
    if ((await name.count()) > 0) return;
    await this.press(this.page.getByRole("button", { name: /^Zoom \d+ %$/ }));
    await this.press(this.page.getByRole("button", { name: "Search the graph" }));
    await this.page.getByRole("textbox", { name: "Search the graph" }).fill(pointerSteps(pointer).at(-1));
    await until(async () => {
      if ((await node.count()) > 0 && (await node.getAttribute("aria-pressed")) === "true") return;
      const next = this.page.getByRole("button", { name: "Next match" });
      if (await next.isEnabled()) await this.press(next);
      assert.fail(`${pointer} was not found`);
    });
    await this.press(this.page.getByRole("button", { name: "Close the search" }));
    await name.waitFor();
    await this.visitor.still();
  }

  /** Chooses what has an id in the list that has opened, after a way of several. */
  async choose(id, mode) {
    const list = picker(this.page);
    await list.waitFor();
    const modes = list.locator(".picker-modes label");
    if (mode !== undefined && (await modes.count()) > 0) {
      const label = modes.filter({ hasText: mode }).first();
      if (this.way === "keyboard") {
        await label.getByRole("radio").focus();
        await this.page.keyboard.press("Space");
        await list.getByRole("combobox").focus();
      } else await this.press(label);
    }
    const option = list.locator(`[data-option=${JSON.stringify(id)}]`);
    if (this.way !== "keyboard") await this.press(option);
    else {
      await option.waitFor();
      await until(async () => {
        if ((await option.getAttribute("aria-selected")) === "true") return;
        await this.page.keyboard.press("ArrowDown");
        assert.fail(`${id} is not chosen`);
      });
      await this.page.keyboard.press("Enter");
    }
    await list.waitFor({ state: "detached" });
  }

  /** Agrees to what is lost, where that is asked, until the machine is as wanted. */
  async sure(passes) {
    const yes = picker(this.page).locator('[data-option="yes"]');
    await until(async () => {
      if ((await yes.count()) > 0) await this.choose("yes");
      await passes(await this.machine());
    });
  }

  /** Adds a state behind another one, in a way of that; its name. */
  async append(from, mode, type) {
    const scope = pointerSteps(from).slice(0, -1);
    const before = Object.keys(valueAt(await this.machine(), scope));
    await this.#behind(from, mode, type);
    return this.#added(scope, before);
  }

  /** Adds a branch to a Parallel. */
  async branch(parallel, type) {
    const list = [...pointerSteps(parallel), "Branches"];
    const had = valueAt(await this.machine(), list).length;
    await this.#behind(parallel, "New branch", type);
    await this.becomes((now) => assert.equal(valueAt(now, list).length, had + 1));
  }

  async #behind(from, mode, type) {
    if (mode === "New branch") await this.gesture(from, "branch");
    else if (this.way === "keyboard") await this.gesture(from, "append");
    else {
      this.count += 1;
      await this.#shown(from);
      const port = this.page.locator(`[data-port=${JSON.stringify(from)}]`);
      // A finger sees those of all states where they are large.
      if (this.way === "mouse" || (await port.count()) === 0) await this.press(this.node(from).locator("text.name").first());
      const { y, height } = await this.page.locator("svg.canvas").boundingBox();
      // The foot of a large Parallel may be out of sight.
      if ((await port.boundingBox())?.y < y + height - 20) await this.press(port);
      else await this.gesture(from, "append");
    }
    await this.choose(type, mode);
  }

  /** Puts a state on a transition of another one; its name. */
  async insert(at, mode, type) {
    const scope = pointerSteps(at).slice(0, -1);
    const before = Object.keys(valueAt(await this.machine(), scope));
    await this.gesture(at, "insert");
    await this.choose(type, mode);
    return this.#added(scope, before);
  }

  /** The name of the state that is new in a scope. */
  #added(scope, before) {
    return until(async () => {
      const [name] = Object.keys(valueAt(await this.machine(), scope)).filter((one) => !before.includes(one));
      assert.ok(name, "nothing was added");
      return name;
    });
  }

  /** Gives a state another name; its pointer then. */
  async rename(pointer, to) {
    const steps = pointerSteps(pointer);
    if (steps.at(-1) === to) return pointer;
    await this.gesture(pointer, "rename");
    const box = this.page.getByRole("textbox", { name: `Name of ${steps.at(-1)}`, exact: true });
    await box.fill(to);
    await box.press("Enter");
    await this.becomes((now) => assert.ok(Object.hasOwn(valueAt(now, steps.slice(0, -1)), to)));
    return pointerTo("", ...steps.slice(0, -1), to);
  }

  async retype(pointer, type) {
    const steps = pointerSteps(pointer);
    if (valueAt(await this.machine(), steps).Type === type) return;
    await this.gesture(pointer, "retype");
    await this.choose(type);
    await this.sure((now) => assert.equal(valueAt(now, steps).Type, type));
  }

  /** Leads a transition of a state to another one. */
  async lead(from, mode, to) {
    await this.gesture(from, "connect");
    await this.choose(to, mode);
  }

  async remove(pointer) {
    const steps = pointerSteps(pointer);
    await this.gesture(pointer, "delete");
    await this.sure((now) => assert.equal(valueAt(now, steps), undefined));
  }

  /** Writes into a field of a form, and leaves it. */
  async write(box, text) {
    this.count += 1;
    if (this.way === "keyboard") await box.focus();
    else await this.press(box);
    await box.fill(text);
    // Not by Tab, which takes what is proposed.
    await box.blur();
  }

  /** Chooses in a native list, what has a value there, or is called `{ label }`. */
  async select(list, value) {
    this.count += 1;
    await list.focus();
    await list.selectOption(typeof value === "string" ? { value } : value);
  }
}
