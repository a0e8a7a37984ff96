// Splits the interpreter into two parts: the functions that are needed first, and the rest.
//
//   node scripts/parts.mjs package|fast|page
//
// `package` makes dist/stepglass-first.wasm and dist/stepglass-rest.wasm of dist/stepglass.wasm, for browsers: the first one runs
// machines. `fast` does the same with dist/stepglass-fast.wasm, for Node: half of the code that it would check at each start is never
// called. `page` makes dist/parts: the first one opens and runs the gallery's examples. Which function belongs where is measured; what
// was guessed wrong costs a load, never an answer.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fingerprint, root, xtask } from "./steps.mjs";

/**
 * For each plan: the module, what runs it while its calls are recorded, its parts, the sources that decide which functions belong
 * where, and the pages of memory if they differ from those of the module.
 */
const PLANS = {
  package: {
    whole: join(root, "dist/stepglass.wasm"),
    open: "package",
    first: join(root, "dist/stepglass-first.wasm"),
    rest: join(root, "dist/stepglass-rest.wasm"),
    sources: ["scripts/parts/package.mjs", "tests/corpus"],
  },
  fast: {
    whole: join(root, "dist/stepglass-fast.wasm"),
    open: "server",
    first: join(root, "dist/stepglass-fast-first.wasm"),
    rest: join(root, "dist/stepglass-fast-rest.wasm"),
    sources: ["scripts/parts/package.mjs", "scripts/parts/server.mjs", "benches/bomb-expressions.mjs", "tests/corpus"],
  },
  page: {
    whole: join(root, "dist/stepglass.wasm"),
    open: "page",
    first: join(root, "dist/parts/first.wasm"),
    rest: join(root, "dist/parts/rest.wasm"),
    sources: ["scripts/parts/page.mjs"],
    // 256 MiB, as in js/core/border/module-parts.ts. A page should not give an execution more.
    pages: 4096,
  },
};

/** Removes the parts of an earlier module. They may import functions that the present glue lacks, and handlers load the package. */
export function removeParts() {
  for (const { first, rest } of Object.values(PLANS)) for (const part of [first, rest]) rmSync(part, { force: true });
}

/** Builds the parts if they do not belong to the present module. */
export function makeParts(plan) {
  const { whole, first, rest, sources, pages } = PLANS[plan];
  if (!existsSync(whole)) throw new Error(`there is no ${whole} yet: npm run build`);
  const stamp = join(root, `dist/.parts-${plan}.txt`);
  const of = createHash("sha256")
    .update(readFileSync(whole))
    .update(fingerprint(["xtask/src", "scripts/parts.mjs", "www/examples", ...sources]))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === of && existsSync(first) && existsSync(rest)) return;
  const work = join(tmpdir(), `stepglass-parts-${process.pid}`);
  mkdirSync(work, { recursive: true });
  mkdirSync(join(first, ".."), { recursive: true });
  try {
    const marked = join(work, "marked.wasm");
    const called = join(work, "called.txt");
    xtask("mark", whole, marked);
    // This runs in a new process, because this one may have loaded the interpreter already.
    execFileSync(process.execPath, [import.meta.filename, plan, marked, called], { stdio: ["ignore", "ignore", "inherit"] });
    xtask("cut", whole, called, first, rest, ...(pages === undefined ? [] : [String(pages)]));
  } finally {
    rmSync(work, { recursive: true });
  }
  writeFileSync(stamp, of);
}

/** Runs the marked module according to the plan, and records which functions were called. */
async function measure(plan, marked, called) {
  let instance;
  WebAssembly.Instance = class extends WebAssembly.Instance {
    constructor(...given) {
      super(...given);
      // The marked instance comes first. Handlers may load another one.
      instance ??= this;
    }
  };
  const stepglass = await import(pathToFileURL(join(root, "dist/slim.js")).href);
  stepglass.initSync(readFileSync(marked));
  stepglass.version();
  const { open } = await import(`./parts/${PLANS[plan].open}.mjs`);
  await open(stepglass);
  const marks = Object.entries(instance.exports).filter(([name, mark]) => name.startsWith("mark ") && mark.value === 1);
  if (marks.length === 0) throw new Error("no function was called");
  writeFileSync(called, marks.map(([name]) => name.slice("mark ".length)).join("\n"));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [plan, ...files] = process.argv.slice(2);
  if (PLANS[plan] === undefined) throw new Error(`which parts? ${Object.keys(PLANS).join(" or ")}`);
  if (files.length === 2) await measure(plan, ...files);
  else makeParts(plan);
}
