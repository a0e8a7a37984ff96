// The definition's editor in tests: where the cursor goes, and what stands there.
import assert from "node:assert/strict";
import { parse } from "yaml";
import { until } from "../browser.mjs";

/** The definition's text. */
export async function text(visitor) {
  return (await visitor.editor("Definition").innerText()).replaceAll("\n\n", "\n");
}

/** The same line by line, as it stands after the next frame; of the last editor, where there are several. */
export async function written({ page }) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done())));
  return page.evaluate(() => {
    const host = [...document.querySelectorAll("#definition-editor .code-host")].at(-1);
    return [...host.shadowRoot.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n");
  });
}

/** What it says, in JSON or YAML, as a whole: lines that are out of sight are not in the page. */
export async function machine(visitor) {
  const text = await visitor.page.evaluate(() => {
    const host = [...document.querySelectorAll("#definition-editor .code-host")].at(-1);
    return host.shadowRoot.querySelector(".cm-content").cmTile.view.state.doc.toString();
  });
  return text.startsWith("{") ? JSON.parse(text) : parse(text);
}

/** Waits until the assertions about the machine hold. */
export const becomes = (visitor, passes) => until(async () => passes(await machine(visitor)));

/** The list from which the pen's next state, type or target is chosen. */
export const picker = (page) => page.locator(".picker");

/** Chooses from it by words. */
export async function choose(page, words, option) {
  await picker(page).waitFor();
  await page.keyboard.type(words);
  await picker(page).getByRole("option", { name: option }).first().waitFor();
  await page.keyboard.press("Enter");
  await picker(page).waitFor({ state: "detached" });
}

/** The middle of what stands still: what glides to a new place is waited for. */
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

/** The cursor behind the nth place of a text. */
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
  // The first Home goes to the first character of a line, the second to its beginning.
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

/** Where the last letter of a piece of the definition is on the screen; a line that is out of sight is scrolled to first. */
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
      // The editor draws its lines for the new place.
      for (let i = 0; i < 3; i++) await new Promise((drawn) => requestAnimationFrame(drawn));
    }
    const { x, y: height } = find();
    return { x, y: height };
  }, piece);
}

/** The list of proposals. */
export const proposed = (page) => page.locator(".cm-tooltip-autocomplete li");

/** Takes the proposal that is chosen; a list that has just come up, or changed, takes no keys yet. */
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
  await proposed(page).first().waitFor({ state: "detached" });
}

/** Turns the definition to YAML. */
export async function toYaml(page) {
  await page.getByLabel("Format", { exact: false }).first().selectOption("yaml");
  await page.locator('#definition-editor .cm-content[data-language="yaml"]').waitFor();
}

/** Puts YAML in place of the definition. */
export async function inYaml(visitor, page, written) {
  await visitor.example("Empty");
  await visitor.editor("Definition").waitFor();
  await toYaml(page);
  await visitor.write("Definition", written);
}

/** Does a command by the palette. */
export async function command(page, title) {
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Command or state" });
  await field.fill(title);
  await page.keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
}
