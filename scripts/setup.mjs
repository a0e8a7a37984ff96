// Installs everything that a fresh machine lacks:   npm run setup
//
// Needs Node and rustup. Adds Rust's WebAssembly target, the npm packages of the lockfile, and builds the package; for
// the tests also looks for a browser. Installed pieces take no time. If a piece cannot be
// installed, the script names it, says how to get it, and ends.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { output, root, run, windows } from "./steps.mjs";

// The minimum version for Vite. The package itself runs on every Node 20.
const NODE = [20, 19];
const TARGET = "wasm32-unknown-unknown";

/** Throws `Missing` if a piece cannot be installed. */
export async function setUp({ build: wanted = true, ...options } = {}) {
  checkNode();
  checkRust();
  addTarget();
  installPackages();
  if (!wanted) return;
  const { build } = await import("./build.mjs");
  await build({ ifStale: true, ...options });
}

/** A missing piece, and how to get it. */
export class Missing extends Error {
  constructor(what, how) {
    super(`${what}\n\n  ${how.join("\n  ")}\n`);
  }
}

/** Runs a script's main function. A missing piece is reported without a stack, because its message says what to do. */
export async function main(run) {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    console.error(`\n${error.message}`);
    process.exit(1);
  }
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return;
  throw new Missing(`Node ${NODE.join(".")} or newer is needed; this is ${process.version}.`, ["https://nodejs.org/en/download"]);
}

function checkRust() {
  const again = "then start this command again (a new shell finds cargo; this script also looks in ~/.cargo/bin)";
  const version = pinnedRust() ?? installedRust();
  if (version === undefined) {
    throw new Missing("Rust is missing: there is no working `rustc` and `cargo`.", [
      windows ? "winget install Rustlang.Rustup" : "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh",
      `or see https://rustup.rs; ${again}`,
    ]);
  }
  const [, needed] = /^rust-version = "(.+)"$/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"));
  const [, found] = /^rustc (\d+\.\d+)/.exec(version);
  if (older(found, needed)) throw new Missing(`Rust ${needed} or newer is needed; this is ${found}.`, ["rustup update stable"]);
  if (!windows && output("cc", ["--version"]) === undefined) {
    throw new Missing("A C compiler is missing: Rust links native programs with `cc`.", [
      process.platform === "darwin"
        ? "xcode-select --install"
        : "apt-get install build-essential   (or your system's package of gcc or clang)",
    ]);
  }
}

/** What `rustc --version` prints with rust-toolchain.toml; `undefined` if that release is not here and rustup cannot fetch it. */
function pinnedRust() {
  return output("cargo", ["--version"]) === undefined ? undefined : output("rustc", ["--version"]);
}

/** The same of the release that rustup uses elsewhere, which every command of this process then takes: somebody may have no network. */
function installedRust() {
  const [toolchain] = output("rustup", ["default"])?.split(" ") ?? [];
  if (toolchain === undefined) return undefined;
  const env = { ...process.env, RUSTUP_TOOLCHAIN: toolchain };
  const version = output("rustc", ["--version"], { env });
  if (version === undefined) return undefined;
  const [, pinned] = /^channel = "(.+)"$/m.exec(readFileSync(join(root, "rust-toolchain.toml"), "utf8"));
  console.log(`setup: rustup could not add Rust ${pinned}, which rust-toolchain.toml names; taking ${toolchain} (${version})`);
  process.env.RUSTUP_TOOLCHAIN = toolchain;
  return version;
}

function older(found, needed) {
  const [a, b] = [found, needed].map((version) => version.split(".").map(Number));
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}

function addTarget() {
  const has = () => {
    const folder = output("rustc", ["--print", "target-libdir", "--target", TARGET]);
    return folder !== undefined && existsSync(folder);
  };
  if (has()) return;
  if (output("rustup", ["--version"]) === undefined) {
    throw new Missing(`Rust's target ${TARGET} is missing, and there is no rustup to add it.`, [
      "install your system's package of it (Debian: libstd-rust-dev-wasm32), or Rust by https://rustup.rs",
    ]);
  }
  console.log(`setup: adding Rust's target ${TARGET}`);
  if (!run("rustup", ["target", "add", TARGET]) || !has()) {
    throw new Missing(`Rust's target ${TARGET} could not be added.`, [`rustup target add ${TARGET}   (needs the network once)`]);
  }
}

function installPackages() {
  const marker = join(root, "node_modules/.installed");
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .update(process.platform + process.arch)
    .digest("hex");
  if (existsSync(marker) && readFileSync(marker, "utf8") === wanted) return;
  console.log("setup: installing the npm packages of package-lock.json");
  if (!run(...npm("ci", "--include=dev"))) {
    throw new Missing("The npm packages could not be installed.", [
      "npm ci   (needs the network once; its message above says what failed)",
    ]);
  }
  writeFileSync(marker, wanted);
}

/** Installs the npm packages of a folder with its own lockfile if they are missing. `what` describes them in messages. */
export function installIn(folder, what) {
  const place = join(root, folder);
  const marker = join(place, "node_modules/.installed");
  const wanted = createHash("sha256")
    .update(readFileSync(join(place, "package-lock.json")))
    .update(process.version)
    .digest("hex");
  if (existsSync(marker) && readFileSync(marker, "utf8") === wanted) return;
  console.log(`${what}: installing the npm packages of ${folder}`);
  const [command, args] = npm("ci", "--prefix", place);
  if (!run(command, args))
    throw new Missing(`The npm packages of ${folder} could not be installed.`, [`npm ci --prefix ${folder}   (needs the network once)`]);
  writeFileSync(marker, wanted);
}

/** Returns the npm of this Node, even if it is not in the shell's PATH. */
export function npm(...args) {
  const beside = process.env.npm_execpath ?? join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");
  return existsSync(beside) && /\.c?js$/.test(beside) ? [process.execPath, [beside, ...args]] : ["npm", args];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setUp({ dev: process.argv.includes("--dev") });
    console.log("setup: ready");
  });
}
