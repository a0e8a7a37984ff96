// Helpers for the definition's editor: set the cursor, read the text, take a proposal.
import assert from "node:assert/strict";
import { parse } from "yaml";
import { until } from "../browser.mjs";

/** Returns the definition's text. */
export async function text(visitor) {
  return (await visitor.editor("Definition").innerText()).replaceAll("\n\n", "\n");
}

/** Returns the visible lines of the last editor after the next frame. */
export async function shownLines({ page }) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done())));
  return page.evaluate(() => {
    const host = [...document.querySelectorAll("#definition-editor .code-host")].at(-1);
    return [...host.shadowRoot.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n");
  });
}

/**
 * Returns the definition, parsed from JSON or YAML. The page is asked for the whole text, because lines out of sight are not in the
 * document.
 */
export async function machine(visitor) {
  const text = await visitor.page.evaluate(() => {
    const host = [...document.querySelectorAll("#definition-editor .code-host")].at(-1);
    return host.shadowRoot.querySelector(".cm-content").cmTile.view.state.doc.toString();
  });
  return text.startsWith("{") ? JSON.parse(text) : parse(text);
}

/** Waits until assertions about the definition hold. */
export const untilMachine = (visitor, passes) => until(async () => passes(await machine(visitor)));

/** The list from which a gesture's state, type or target is chosen. */
export const picker = (page) => page.locator(".picker");

/** Searches the list for `words`, and chooses an option. */
export async function choose(page, words, option) {
  await picker(page).waitFor();
  await page.keyboard.type(words);
  await picker(page).getByRole("option", { name: option }).first().waitFor();
  await page.keyboard.press("Enter");
  await picker(page).waitFor({ state: "detached" });
}

/** Returns the centre of an element, after it has stopped moving. */
export async function middle(locator) {
  let box = await locator.boundingBox();
  await until(async () => {
    const before = box;
    await locator.page().evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    box = await locator.boundingBox();
    assert.deepEqual(box, before);
  });
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Puts the cursor behind the nth occurrence of a text. */
export async function putCursor(visitor, piece, nth = 0) {
  const all = await text(visitor);
  let at = -1;
  for (let i = 0; i <= nth; i++) at = all.indexOf(piece, at + 1);
  assert.ok(at >= 0, `${piece} is not in ${all}`);
  const before = all.slice(0, at + piece.length).split("\n");
  await visitor.editor("Definition").focus();
  const { keyboard } = visitor.page;
  await keyboard.press("Control+Home");
  for (let i = 1; i < before.length; i++) await keyboard.press("ArrowDown");
  // The first Home goes to the first character of a line, the second to the start of the line.
  await keyboard.press("Home");
  await keyboard.press("Home");
  for (let i = await column(visitor); i < before.at(-1).length; i++) await keyboard.press("ArrowRight");
}

function column(visitor) {
  return visitor.page.evaluate(() => {
    const selection = document.activeElement.shadowRoot.getSelection?.() ?? getSelection();
    const line = selection.focusNode.nodeType === 1 ? selection.focusNode : selection.focusNode.parentElement.closest(".cm-line");
    const range = document.createRange();
    range.setStart(line, 0);
    range.setEnd(selection.focusNode, selection.focusOffset);
    return range.toString().length;
  });
}

/** Returns where the last letter of a text in the definition is on the screen. Scrolls to its line first. */
export function endOf(page, piece) {
  return page.evaluate(async (wanted) => {
    const content = document.querySelector("#definition-editor .code-host").shadowRoot.querySelector(".cm-content");
    const find = () => {
      for (const line of content.querySelectorAll(".cm-line")) {
        const at = line.textContent.indexOf(wanted);
        if (at < 0) continue;
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        let left = at + wanted.length - 1;
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          if (left < node.length) {
            const range = document.createRange();
            range.setStart(node, left);
            range.setEnd(node, left + 1);
            const { x, y, width, height } = range.getBoundingClientRect();
            return { line, x: x + width / 2, y: y + height / 2 };
          }
          left -= node.length;
        }
      }
      throw new Error(`${wanted} is not on the screen`);
    };
    const { top, bottom } = content.closest(".cm-scroller").getBoundingClientRect();
    const { line, y } = find();
    if (y < top + 20 || y > bottom - 20) {
      line.scrollIntoView({ block: "center" });
      // The editor draws its lines for the new scroll position in the next frames.
      for (let i = 0; i < 3; i++) await new Promise((drawn) => requestAnimationFrame(drawn));
    }
    const { x, y: height } = find();
    return { x, y: height };
  }, piece);
}

/** The items in the list of completions. */
export const proposals = (page) => page.locator(".cm-tooltip-autocomplete li");

/** Accepts the selected completion. A list that has just appeared or changed ignores keys, so this retries. */
export async function accept(page, chosen) {
  const list = page.locator(".cm-tooltip-autocomplete");
  await list.locator("li[aria-selected]", { hasText: chosen }).waitFor();
  await list.evaluate(async (element) => {
    let changed = performance.now();
    const watch = new MutationObserver(() => (changed = performance.now()));
    watch.observe(element, { childList: true, subtree: true, attributes: true });
    while (performance.now() - changed < 150) await new Promise((resolve) => setTimeout(resolve, 20));
    watch.disconnect();
  });
  await page.keyboard.press("Enter");
  await proposals(page).first().waitFor({ state: "detached" });
}

/** Converts the definition to YAML. */
export async function toYaml(page) {
  await page.getByLabel("Format", { exact: false }).first().selectOption("yaml");
  await page.locator('#definition-editor .cm-content[data-language="yaml"]').waitFor();
}

/** Replaces the definition by YAML. */
export async function writeYaml(visitor, page, text) {
  await visitor.example("Empty");
  await visitor.editor("Definition").waitFor();
  await toYaml(page);
  await visitor.write("Definition", text);
}

/** Runs a command from the command palette. */
export async function command(page, title) {
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Command or state" });
  await field.fill(title);
  await page.keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
}
