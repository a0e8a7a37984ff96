// Installs the real clients that the tests of the server use: npm packages, and a virtual environment with Python packages.
//
//   node scripts/clients.mjs              what the tests need, added once
//   node scripts/clients.mjs --bench      also what the benchmark compares with
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { Missing, installIn, main } from "./setup.mjs";
import { output, root, run, windows } from "./steps.mjs";

const folder = join(root, "pkg-tests/server");

/** Installs the npm packages of the tests' lockfile. */
export function installNodeClients() {
  installIn("pkg-tests/server", "clients");
}

/**
 * Returns the programs of a virtual environment with the packages of a requirements file: `{bin}`, or `{reason}` if there is no
 * Python.
 */
export function pythonClients({ bench = false, install = true } = {}) {
  const requirements = join(folder, bench ? "requirements-bench.txt" : "requirements.txt");
  return virtualEnvironment(join(folder, bench ? ".venv-bench" : ".venv"), requirements, { install, script: "scripts/clients.mjs" });
}

/** Installs the clients of the AWS SDK with which tasks call moto's server. */
export function installAwsClients() {
  installIn("pkg-tests/aws", "clients");
}

/** Returns the programs of moto's server: `{bin}`, or `{reason}` if there is none. */
export function emulator({ install = true } = {}) {
  const place = join(root, "pkg-tests/aws");
  return virtualEnvironment(join(place, ".venv"), join(place, "requirements.txt"), { install, script: "scripts/clients.mjs" });
}

/** Creates a virtual environment with the packages of a requirements file. `script` is the name of the script that installs it. */
export function virtualEnvironment(place, requirements, { install, script }) {
  const bin = join(place, windows ? "Scripts" : "bin");
  const marker = join(place, ".installed");
  const wanted = fingerprint(requirements, place);
  if (existsSync(marker) && readFileSync(marker, "utf8") === wanted) return { bin };
  if (!install) return { reason: `its Python packages are not installed: node ${script}` };
  const python = ["python3", "python"].find((name) => /^Python 3\.\d\d/.test(output(name, ["--version"]) ?? ""));
  if (python === undefined) return { reason: "there is no Python 3.10 or newer" };
  console.log(`clients: installing the Python packages of ${relative(root, requirements)}`);
  rmSync(place, { recursive: true, force: true });
  if (!run(python, ["-m", "venv", place])) return { reason: "python -m venv has failed (Debian: apt-get install python3-venv)" };
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", requirements];
  if (!run(join(bin, "python"), pip)) return { reason: `pip could not install the packages of ${relative(root, requirements)}` };
  writeFileSync(marker, wanted);
  return { bin };
}

function fingerprint(file, ...more) {
  return createHash("sha256").update(readFileSync(file)).update(more.join(" ")).digest("hex");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    installNodeClients();
    installAwsClients();
    for (const bench of process.argv.includes("--bench") ? [false, true] : [false]) {
      const { reason } = pythonClients({ bench });
      if (reason !== undefined) throw new Missing("The Python clients could not be installed.", [reason]);
    }
    const { reason } = emulator();
    if (reason !== undefined) throw new Missing("moto's server could not be installed.", [reason]);
    console.log("clients: ready");
  });
}
