// Runs the tests on a machine that nobody prepared:   npm run test:elsewhere [-- --seed N] [-- --runs K] [-- --full | WORD…] [-- --keep]
//
// Clones the head into a new folder and runs `npm test` there, in an environment that a seed draws (elsewhere/draw.mjs): another
// path, home, time zone, locale, user, release of Node, set of fonts, size of /tmp, load and date, with nothing beside the
// clone. Prints the environment first, so that a failure can be repeated with its seed.
//
// By default it runs the lanes of QUICK with the build of this checkout, in a few minutes. `--full` builds and tests everything,
// and WORD chooses as in `npm test -- WORD`. `--runs K` goes on with the next seeds. `--keep` leaves the clone where it is.
//
// What this machine cannot vary stays as it is, and is named: users, /tmp and load need root or Linux.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { CHOICES, described, draw } from "./elsewhere/draw.mjs";
import { clockLibrary, fontsOf, localesOf, nodeOf } from "./elsewhere/parts.mjs";
import { output, root, windows } from "./steps.mjs";

/** Lanes that take less than five minutes on two cores, without the build. */
const QUICK = ["package: behaviour", "first-contact", "fonts.test", "JavaScript: format"];
/** The id of the user "nobody", who exists on every Linux. */
const NOBODY = 65534;
/** In seconds. */
const DAY = 86_400;

/** A process that keeps a core busy and exits with this script, even if that is killed. */
const BUSY = `
  process.on("disconnect", () => process.exit());
  const burn = () => { for (const end = Date.now() + 50; Date.now() < end;); setImmediate(burn); };
  burn();`;

let given;
try {
  given = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: "string", default: String(Number.parseInt(output("git", ["rev-parse", "HEAD"]).slice(0, 8), 16)) },
      runs: { type: "string", default: "1" },
      full: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
    },
  });
  for (const name of ["seed", "runs"])
    if (!/^\d+$/.test(given.values[name])) throw new Error(`--${name} takes a number, not ${given.values[name]}`);
} catch (error) {
  console.error(`elsewhere: ${error.message}\nusage: npm run test:elsewhere [-- --seed N] [-- --runs K] [-- --full | WORD…] [-- --keep]`);
  process.exit(2);
}

const isRoot = process.getuid?.() === 0;
const linux = process.platform === "linux";
/** Whether this process may mount file systems in its own namespace. */
const mounts = linux && isRoot && spawnSync("unshare", ["--mount", "true"]).status === 0;

const rustup = process.env.RUSTUP_HOME ?? join(homedir(), ".rustup");
const cargoPrograms = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin");

/**
 * The folder of the toolchain that rust-toolchain.toml names. It may be a link into the home of this user, which another user
 * cannot follow, so the environment contains the resolved path.
 */
const toolchain = toolchainOf(output("rustup", ["show", "active-toolchain"], { cwd: root })?.split(" ")[0]);

function toolchainOf(name) {
  const folder = name && join(rustup, "toolchains", name);
  return folder && existsSync(folder) ? basename(realpathSync(folder)) : undefined;
}

const full = given.values.full;
const words = given.positionals.length > 0 ? given.positionals : full ? [] : QUICK;
const failures = [];
/** The folders that this process has made and not removed yet. */
const places = new Set();
/** The `npm` that runs now, if there is one. */
let running;
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
])
  process.once(signal, () => {
    if (running !== undefined && !windows) process.kill(-running.pid, "SIGKILL");
    if (!given.values.keep) for (const place of places) remove(place);
    process.exit(code);
  });
for (let seed = Number(given.values.seed), left = Number(given.values.runs); left > 0; seed++, left--) {
  if (!(await run(seed))) failures.push(seed);
}
if (failures.length > 0) console.error(`elsewhere: failed with --seed ${failures.join(", --seed ")}`);
process.exitCode = failures.length > 0 ? 1 : 0;

/** Runs the tests in the environment of a seed. Returns whether they passed. */
async function run(seed) {
  const tools = { clock: clockLibrary(), locales: localesOf(CHOICES.locale), fonts: fontsOf() };
  const environment = draw(seed, possible(tools));
  console.log(`\n══ elsewhere, --seed ${seed}: ${described(environment)}\n`);
  const place = mkdtempSync(join(existsSync("/var/tmp") ? "/var/tmp" : tmpdir(), "elsewhere-"));
  places.add(place);
  const begin = performance.now();
  let ok = false;
  try {
    const clone = prepare(place, environment);
    ok = await test(clone, place, environment, tools);
    return ok;
  } finally {
    console.log(`══ elsewhere, --seed ${seed}: ${ok ? "ok" : "FAILED"} after ${((performance.now() - begin) / 1000).toFixed(0)} s`);
    if (given.values.keep) console.log(`══ its clone is in ${place}`);
    else remove(place);
  }
}

function remove(place) {
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  places.delete(place);
}

/** Returns the parts of an environment that this machine can vary. */
function possible({ clock, fonts }) {
  const can = ["folder", "zone", "locale", "node"];
  if (fonts) can.push("fonts");
  if (mounts) can.push("tmp", "root");
  if (linux) can.push("load");
  // The loader splits its list of libraries at spaces.
  if (clock !== undefined && !/\s/.test(clock)) can.push("ahead");
  return can;
}

/** Clones the head below a folder, with the build of this checkout unless everything is built. Returns the clone's path. */
function prepare(place, { folder, root: asRoot = true }) {
  const clone = join(place, folder);
  const cloned = spawnSync("git", ["clone", "--quiet", "--no-local", "--depth", "1", `file://${root}`, clone], { stdio: "inherit" });
  if (cloned.status !== 0) throw new Error("the head could not be cloned");
  if (!full) {
    if (!existsSync(join(root, "dist/.built.json"))) throw new Error("there is no build to take along: run `npm run build`, or use --full");
    for (const built of ["dist", "www/dist"])
      if (existsSync(join(root, built))) cpSync(join(root, built), join(clone, built), { recursive: true });
  }
  mkdirSync(join(place, "home"));
  mkdirSync(join(place, "tmp"));
  // The configured registry belongs to the machine, not to its user.
  const npmrc = join(homedir(), ".npmrc");
  if (existsSync(npmrc)) cpSync(npmrc, join(place, "home/.npmrc"));
  chmodSync(place, 0o755);
  if (!asRoot) give(place);
  return clone;
}

/** Makes the other user the owner of a folder and everything in it. */
function give(path) {
  const { status } = spawnSync("chown", ["-R", `${NOBODY}:${NOBODY}`, path], { stdio: "inherit" });
  if (status !== 0) throw new Error(`${path} could not be given to another user`);
}

/** Runs `npm test` in the clone. */
async function test(clone, place, environment, tools) {
  const busy = Array.from({ length: environment.load ?? 0 }, () =>
    spawn(process.execPath, ["-e", BUSY], { stdio: ["ignore", "ignore", "ignore", "ipc"] }),
  );
  try {
    const env = environmentOf(place, environment, tools);
    const npm = async (env, ...options) => {
      const args = ["npm", "test", "--", ...words, ...options];
      const shell = [...mountsOf(place, environment), ...userOf(environment), 'exec "$@"'].join("\n");
      const command = mounts ? ["unshare", ["--mount", "sh", "-c", `set -e\n${shell}`, "sh", ...args]] : [args[0], args.slice(1)];
      // In a group of its own, so that all of it can be ended.
      const child = spawn(...command, { cwd: clone, env, stdio: ["ignore", "inherit", "inherit"], detached: !windows });
      running = child;
      const [code] = await once(child, "close");
      running = undefined;
      return code === 0;
    };
    // With another date, the certificates of registries would be invalid.
    const { LD_PRELOAD: _, ...today } = env;
    return (await npm(today, "--prepare")) && (await npm(env));
  } finally {
    for (const one of busy) one.kill("SIGKILL");
  }
}

/** Returns the variables of the environment. Of the present ones, only those are kept that a new machine would have too. */
function environmentOf(place, { zone, locale, node, fonts, ahead }, tools) {
  const taken = ["TERM", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  const settings = Object.keys(process.env).filter((name) => taken.includes(name.toUpperCase()) || /^(PIP_|RUSTUP_(?!HOME))/.test(name));
  return {
    ...Object.fromEntries(settings.map((name) => [name, process.env[name]])),
    HOME: join(place, "home"),
    TMPDIR: "/tmp",
    TZ: zone,
    LANG: locale,
    LC_ALL: locale,
    ...(tools.locales && { LOCPATH: tools.locales }),
    PATH: [dirname(nodeOf(node)), mounts ? "/opt/cargo" : cargoPrograms, ...pathOfSystem()].join(":"),
    RUSTUP_HOME: mounts ? "/opt/rustup" : rustup,
    ...(toolchain !== undefined && { RUSTUP_TOOLCHAIN: toolchain }),
    CARGO_HOME: join(place, "home/.cargo"),
    ...(tools.fonts && { FONTCONFIG_FILE: tools.fonts[fonts] }),
    ...(ahead > 0 && { LD_PRELOAD: tools.clock, CLOCK_AHEAD: String(ahead * DAY) }),
  };
}

function pathOfSystem() {
  return ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
}

/**
 * Returns the commands that mount the changed parts of the environment: a small /tmp, and the tools of this user in a place that
 * others can read.
 */
function mountsOf(place, { tmp }) {
  if (!mounts) return [];
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    // Changes of /opt are limited to this namespace.
    "mount -t tmpfs tmpfs /opt",
    "mkdir /opt/rustup /opt/cargo",
    `mount --bind ${quoted(rustup)} /opt/rustup`,
    `mount --bind ${quoted(cargoPrograms)} /opt/cargo`,
    tmp > 0 ? `mount -t tmpfs -o size=${tmp}m,mode=1777 tmpfs /tmp` : `mount --bind ${quoted(join(place, "tmp"))} /tmp && chmod 1777 /tmp`,
  ];
}

/** Returns the command that runs the rest of the shell's commands as another user. */
function userOf({ root: asRoot }) {
  return asRoot === false ? [`set -- setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups "$@"`] : [];
}
