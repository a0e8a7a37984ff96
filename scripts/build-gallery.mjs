// Builds the page's examples from an empty page by gestures and forms alone, in a real browser: by mouse, by keyboard and by touch.
//
//   npm run build:gallery                         all of them with all three devices
//   npm run build:gallery -- --only order         one example; --only again for more
//   npm run build:gallery -- --by keyboard        one device
//   npm run build:gallery -- --shots FOLDER       with a picture of the page where a build failed
//
// A row says how many gestures and fields an example took, and whether what came of it is the example, field by field. Build the page first:
// npm run build:page.
import { parseArgs } from "node:util";
import { join } from "node:path";
import { parse } from "yaml";
import { gallery } from "../pkg-tests/api/examples.mjs";
import { build } from "../pkg-tests/browser/building/build.mjs";
import { DEVICES } from "../pkg-tests/browser/building/user.mjs";
import { begin } from "../pkg-tests/browser/playground.mjs";

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, by: { type: "string", multiple: true }, shots: { type: "string" } },
});
const devices = values.by ?? Object.keys(DEVICES);
const examples = gallery().filter(({ id }) => values.only === undefined || values.only.includes(id));
const unknown = [
  ...devices.filter((device) => !Object.hasOwn(DEVICES, device)),
  ...(values.only ?? []).filter((id) => !examples.some((one) => one.id === id)),
];
if (unknown.length > 0) {
  console.error(`build:gallery: there is no ${unknown.join(", ")}; devices are ${Object.keys(DEVICES).join(", ")}`);
  process.exit(2);
}
const site = await begin();
let failed = 0;
for (const { id, format, definition } of examples)
  for (const device of devices) {
    const visitor = await site.visit(DEVICES[device]);
    const start = performance.now();
    let said;
    try {
      await visitor.ready();
      // This example refers to a missing state, to show the page's message about it. No gesture can create that.
      const wanted = format === "yaml" ? parse(definition.replace("Publsh", "Publish")) : JSON.parse(definition);
      const count = await build(visitor, wanted, device, { yaml: format === "yaml" });
      if (visitor.problems.length > 0) throw new Error(visitor.problems.join("; "));
      said = `${count} gestures and fields, equal`;
    } catch (error) {
      failed += 1;
      said = `✗ ${error.message.split("\n").slice(0, 12).join("\n      ")}`;
      if (values.shots) await visitor.page.screenshot({ path: join(values.shots, `${id}-${device}.png`) });
    }
    console.log(`${id.padEnd(12)} ${device.padEnd(9)} ${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s   ${said}`);
    await visitor.page.context().close();
  }
await site.end();
if (failed > 0) process.exitCode = 1;
