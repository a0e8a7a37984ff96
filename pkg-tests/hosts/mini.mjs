// The host of docs/host-guide.md, compiled from the text of the page.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/steps.mjs";

/** The source text of the host. */
function miniHost() {
  const page = readFileSync(join(root, "docs/host-guide.md"), "utf8");
  return /```ts\n(\/\/ mini-host\.ts\n[^]*?)```\n/.exec(page)[1];
}

export const lacks = { children: "not written", signals: "not written", redrive: "not written" };

/** Returns the host's function `open`. `edits` replace parts of its source, to build a host with a mistake. */
export async function openMini(edits = []) {
  const esbuild = await import("esbuild");
  let text = miniHost();
  for (const [found, replaced] of edits) {
    const edited = text.replace(found, replaced);
    if (edited === text) throw new Error(`docs/host-guide.md has no ${found}`);
    text = edited;
  }
  const { code } = await esbuild.transform(text, { loader: "ts", format: "esm", target: "es2022" });
  const folder = join(root, "pkg-tests/.cache/hosts");
  mkdirSync(folder, { recursive: true });
  const dist = (name) => JSON.stringify(pathToFileURL(join(root, "dist", name)).href);
  const located = code.replace('"stepglass"', dist("node.js")).replace('"stepglass/durable"', dist("durable-node.js"));
  const file = join(folder, `${createHash("sha256").update(located).digest("hex").slice(0, 20)}.mjs`);
  writeFileSync(file, located);
  return (await import(pathToFileURL(file))).open;
}
