// A user who edits the graph by mouse, keyboard or touch. Each method performs one step as that device does it.
import assert from "node:assert/strict";
import { machine, picker } from "../definition.mjs";
import { until } from "../playground.mjs";
import { importSource } from "../../../scripts/sources.mjs";

export const { pointerTo, pointerSteps } = await importSource("js/core/base/pointer.ts");

/** The browser of each device: touch has the screen of a tablet. */
export const DEVICES = {
  mouse: { width: 1600, height: 1000 },
  keyboard: { width: 1600, height: 1000 },
  touch: { width: 1600, height: 1000, hasTouch: true, isMobile: true },
};

/** The key of a gesture, and its label in the menu of a state. */
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

/** The value at a path. */
export const valueAt = (value, steps) => steps.reduce((at, step) => at?.[step], value);

export class User {
  /** The number of gestures and fields so far. */
  count = 0;

  constructor(visitor, device) {
    this.visitor = visitor;
    this.page = visitor.page;
    this.device = device;
  }

  /** Returns the current definition. */
  machine() {
    return machine(this.visitor);
  }

  /** Waits until assertions about the definition hold. */
  untilMachine(passes) {
    return until(async () => passes(await this.machine()));
  }

  /** Activates a button or a similar control. */
  async press(target) {
    if (this.device === "mouse") return target.click();
    if (this.device === "touch") return target.tap();
    await target.focus();
    await this.page.keyboard.press("Enter");
  }

  node(pointer) {
    return this.visitor.node(pointer);
  }

  /** Starts a gesture on a state: by its key, or by the menu, which a long press also opens. */
  async gesture(pointer, kind) {
    this.count += 1;
    const [key, item] = GESTURES[kind];
    const node = this.node(pointer);
    if (this.device === "keyboard") {
      await node.focus();
      return this.page.keyboard.press(key);
    }
    await this.#reveal(pointer);
    if (this.device === "mouse" && kind === "rename") return node.locator("text.name").first().dblclick();
    if (this.device === "mouse") await node.locator("text.name").first().click({ button: "right" });
    else await node.dispatchEvent("contextmenu");
    await this.press(this.page.getByRole("menuitem", { name: item }));
  }

  /** Makes a state visible and large enough to press: with the whole graph in view, or, in a large graph, with the search. */
  async #reveal(pointer) {
    const node = this.node(pointer);
    const name = node.locator("text.name").first();
    await this.visitor.waitUntilQuiet();
    // The hints cover the foot of the graph.
    const hints = this.page.getByRole("button", { name: "No more hints" });
    if ((await hints.count()) > 0) await this.press(hints);
    await this.press(this.page.getByRole("button", { name: "Fit the graph" }));
    await this.visitor.waitUntilQuiet();
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
    await this.visitor.waitUntilQuiet();
  }

  /** Selects the option with an id in the open list, after selecting a mode if the list offers modes. */
  async choose(id, mode) {
    const list = picker(this.page);
    await list.waitFor();
    const modes = list.locator(".picker-modes label");
    if (mode !== undefined && (await modes.count()) > 0) {
      const label = modes.filter({ hasText: mode }).first();
      if (this.device === "keyboard") {
        await label.getByRole("radio").focus();
        await this.page.keyboard.press("Space");
        await list.getByRole("combobox").focus();
      } else await this.press(label);
    }
    const option = list.locator(`[data-option=${JSON.stringify(id)}]`);
    if (this.device !== "keyboard") await this.press(option);
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

  /** Confirms the loss of fields if the page asks, until the definition passes. */
  async confirmUntil(passes) {
    const yes = picker(this.page).locator('[data-option="yes"]');
    await until(async () => {
      if ((await yes.count()) > 0) await this.choose("yes");
      await passes(await this.machine());
    });
  }

  /** Appends a state, using one of the modes that the list offers. Returns its name. */
  async append(from, mode, type) {
    const scope = pointerSteps(from).slice(0, -1);
    const before = Object.keys(valueAt(await this.machine(), scope));
    await this.#appendAfter(from, mode, type);
    return this.#added(scope, before);
  }

  /** Adds a branch to a Parallel. */
  async branch(parallel, type) {
    const list = [...pointerSteps(parallel), "Branches"];
    const had = valueAt(await this.machine(), list).length;
    await this.#appendAfter(parallel, "New branch", type);
    await this.untilMachine((now) => assert.equal(valueAt(now, list).length, had + 1));
  }

  async #appendAfter(from, mode, type) {
    if (mode === "New branch") await this.gesture(from, "branch");
    else if (this.device === "keyboard") await this.gesture(from, "append");
    else {
      this.count += 1;
      await this.#reveal(from);
      const port = this.page.locator(`[data-port=${JSON.stringify(from)}]`);
      // On a touch screen the buttons of large states are always visible.
      if (this.device === "mouse" || (await port.count()) === 0) await this.press(this.node(from).locator("text.name").first());
      const { y, height } = await this.page.locator("svg.canvas").boundingBox();
      // The lower end of a large Parallel may be out of view.
      if ((await port.boundingBox())?.y < y + height - 20) await this.press(port);
      else await this.gesture(from, "append");
    }
    await this.choose(type, mode);
  }

  /** Inserts a state on a transition of another state. Returns its name. */
  async insert(at, mode, type) {
    const scope = pointerSteps(at).slice(0, -1);
    const before = Object.keys(valueAt(await this.machine(), scope));
    await this.gesture(at, "insert");
    await this.choose(type, mode);
    return this.#added(scope, before);
  }

  /** Returns the name of the state that is new in a scope. */
  #added(scope, before) {
    return until(async () => {
      const [name] = Object.keys(valueAt(await this.machine(), scope)).filter((one) => !before.includes(one));
      assert.ok(name, "nothing was added");
      return name;
    });
  }

  /** Renames a state. Returns its new pointer. */
  async rename(pointer, to) {
    const steps = pointerSteps(pointer);
    if (steps.at(-1) === to) return pointer;
    await this.gesture(pointer, "rename");
    const box = this.page.getByRole("textbox", { name: `Name of ${steps.at(-1)}`, exact: true });
    await box.fill(to);
    await box.press("Enter");
    await this.untilMachine((now) => assert.ok(Object.hasOwn(valueAt(now, steps.slice(0, -1)), to)));
    return pointerTo("", ...steps.slice(0, -1), to);
  }

  async retype(pointer, type) {
    const steps = pointerSteps(pointer);
    if (valueAt(await this.machine(), steps).Type === type) return;
    await this.gesture(pointer, "retype");
    await this.choose(type);
    await this.confirmUntil((now) => assert.equal(valueAt(now, steps).Type, type));
  }

  /** Connects a transition of a state with another state. */
  async connect(from, mode, to) {
    await this.gesture(from, "connect");
    await this.choose(to, mode);
  }

  async remove(pointer) {
    const steps = pointerSteps(pointer);
    await this.gesture(pointer, "delete");
    await this.confirmUntil((now) => assert.equal(valueAt(now, steps), undefined));
  }

  /** Fills in a field of a form, and leaves the field. */
  async write(box, text) {
    this.count += 1;
    if (this.device === "keyboard") await box.focus();
    else await this.press(box);
    await box.fill(text);
    // Tab would accept a proposal.
    await box.blur();
  }

  /** Selects an option of a native list by its value, or by `{ label }`. */
  async select(list, value) {
    this.count += 1;
    await list.focus();
    await list.selectOption(typeof value === "string" ? { value } : value);
  }
}
