// Pictures of every gesture while it is made, on a desktop, a tablet and a phone, light and dark, for who wants to look:
//   npm run screenshots -- --gestures FOLDER
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SIZES = {
  desktop: { viewport: { width: 1280, height: 800 } },
  tablet: { viewport: { width: 820, height: 1180 }, hasTouch: true },
  phone: { viewport: { width: 360, height: 740 }, hasTouch: true },
};

const state = (page, name) => page.locator(`.canvas [data-node$="/States/${name}"]`);
const middle = async (locator) => {
  const { x, y, width, height } = await locator.boundingBox();
  return [x + width / 2, y + height / 2];
};
const list = (page) => page.locator(".picker-option").first().waitFor();
const command = async (page, words) => {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Command or state" }).fill(words);
  await page.locator("#palette-list [role=option]").first().waitFor();
  await page.keyboard.press("Enter");
};
const on = (name, key) => async (page) => {
  await state(page, name).focus();
  await page.keyboard.press(key);
};
/** Two states that follow each other. */
const two = async (page) => {
  await state(page, "Fulfil").focus();
  await page.keyboard.press("Shift+Space");
};

/** name → what is done on the graph of the first example; the picture is of what is open then. */
const gestures = {
  async menu(page) {
    await on("ChargeCard", "Shift+F10")(page);
    await page.locator("[role=menu]").waitFor();
  },
  async add(page) {
    await on("ChargeCard", "a")(page);
    await list(page);
  },
  async search(page) {
    await on("ChargeCard", "a")(page);
    await list(page);
    await page.locator(".picker-field").fill("sqs send");
    await page.locator(".picker-option", { hasText: "sqs:sendMessage" }).first().waitFor();
  },
  async connect(page) {
    await on("ChargeCard", "t")(page);
    await list(page);
  },
  async lit(page) {
    await state(page, "ChargeCard").hover();
    const port = page.locator('[data-port="/States/ChargeCard"]');
    await port.waitFor();
    await page.mouse.move(...(await middle(port)));
    await page.mouse.down();
    const [x, y] = await middle(state(page, "ChargeCard"));
    await page.mouse.move(x + 40, y + 70, { steps: 4 });
    await page.locator(".edit-layer .target").first().waitFor();
    return () => page.mouse.up();
  },
  async lasso(page) {
    const box = await state(page, "ChargeCard").boundingBox();
    await page.keyboard.down("Shift");
    await page.mouse.move(box.x - 14, box.y - 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 30, box.y + box.height + 40, { steps: 4 });
    await page.locator(".edit-layer .lasso").waitFor();
    return async () => {
      await page.mouse.up();
      await page.keyboard.up("Shift");
    };
  },
  several: two,
  async wrap(page) {
    await two(page);
    await page.keyboard.press("g");
    await list(page);
  },
  async extract(page) {
    await two(page);
    await command(page, "Make the states a machine");
    await page.locator(".toast").waitFor();
  },
  async rename(page) {
    await on("ChargeCard", "F2")(page);
    await page.locator(".edit-name input").fill("IsInStock");
  },
  async retype(page) {
    await on("ChargeCard", "r")(page);
    await list(page);
    await page.keyboard.type("wait");
    await page.keyboard.press("Enter");
    await page.locator(".picker-option", { hasText: "Do it" }).waitFor();
  },
  async order(page) {
    await on("InStock?", "o")(page);
    await list(page);
  },
  async palette(page) {
    await command(page, "Open or close the palette of states");
    await page.locator(".edit-palette").waitFor();
  },
  async changes(page) {
    await on("ChargeCard", "Delete")(page);
    await page.waitForTimeout(300);
    const choice = page.locator(".picker-option").first();
    if (await choice.isVisible()) await choice.click();
    await state(page, "ChargeCard").waitFor({ state: "detached" });
    await page.keyboard.press("Alt+Shift+C");
    await page.getByRole("dialog", { name: "Changes" }).getByText("ChargeCard").first().waitFor();
  },
  async ghosts(page) {
    await gestures.changes(page);
    await page.getByRole("button", { name: "Show on the graph" }).click();
    await page.locator(".ghost").first().waitFor();
  },
  async beginning(page) {
    await page.getByTitle("Examples and recent drafts").click();
    await page.locator(".gallery button", { hasText: "Empty" }).click();
    await page.getByRole("button", { name: /^Blank canvas/ }).waitFor();
  },
};

export async function takeGestures(open, folder, wanted) {
  mkdirSync(folder, { recursive: true });
  for (const [size, options] of Object.entries(SIZES))
    for (const colorScheme of ["light", "dark"])
      for (const [name, make] of Object.entries(gestures)) {
        if (wanted.length > 0 && !wanted.includes(name)) continue;
        const { viewport, ...more } = options;
        const page = await open(viewport, { ...more, colorScheme, reducedMotion: "reduce" });
        page.setDefaultTimeout(20_000);
        try {
          const graph = page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Graph" });
          if (await graph.isVisible()) await graph.click();
          await state(page, "ChargeCard").click();
          const after = await make(page);
          await page.waitForTimeout(250);
          writeFileSync(join(folder, `${name}-${size}-${colorScheme}.png`), await page.screenshot());
          await after?.();
        } catch (error) {
          console.error(`${name}, ${size}, ${colorScheme}: ${error.message.split("\n")[0]}`);
        }
        await page.context().close();
      }
}
