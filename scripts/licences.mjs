// Collects the licences of all third-party code in the published files: bundled npm packages, and crates in the WebAssembly.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./steps.mjs";

/** Returns the text of THIRD-PARTY.txt. `inputs` are the files that the bundler read. */
export function thirdParty(inputs) {
  // Many packages have the same text, so each text is printed once.
  const texts = new Map();
  for (const { title, folder } of [...npmPackages(inputs), ...crates()]) {
    const text = licence(folder);
    texts.set(text, [...(texts.get(text) ?? []), title]);
  }
  const parts = [...texts].map(([text, titles]) => `${titles.join("\n")}\n\n${text}\n`);
  return `Code of these packages is part of the files beside this one.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

function npmPackages(inputs) {
  const folders = new Set(inputs.flatMap((path) => /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
  return [...folders].sort().map((path) => {
    const folder = join(root, path);
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return { title: `${name} ${version} (npm, ${license})`, folder };
  });
}

/** Returns the crates that are linked into the module, without those that run only during the build. */
function crates() {
  const args = ["metadata", "--locked", "--format-version", "1", "--filter-platform", "wasm32-unknown-unknown"];
  const { packages, resolve } = JSON.parse(
    execFileSync("cargo", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }),
  );
  const byId = new Map(packages.map((one) => [one.id, one]));
  const nodes = new Map(resolve.nodes.map((one) => [one.id, one]));
  const own = packages.find(({ name, source }) => name === "stepglass" && source === null).id;
  const linked = new Set();
  const visit = (id) => {
    if (linked.has(id) || byId.get(id).targets.some(({ kind }) => kind.includes("proc-macro"))) return;
    linked.add(id);
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) if (kinds.some(({ kind }) => kind === null)) visit(pkg);
  };
  visit(own);
  linked.delete(own);
  return [...linked]
    .map((id) => byId.get(id))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, version, license, manifest_path: path }) => ({ title: `${name} ${version} (crate, ${license})`, folder: dirname(path) }));
}

/** Returns the licence under which the code is used: MIT if there is a choice. */
function licence(folder) {
  const files = readdirSync(folder).filter((name) => /^licen[cs]e/i.test(name) && !/third/i.test(name));
  const file = files.find((name) => /mit/i.test(name)) ?? files.find((name) => !/apache/i.test(name)) ?? files[0];
  return file ? readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim() : "(its licence is named above; it ships no text)";
}
