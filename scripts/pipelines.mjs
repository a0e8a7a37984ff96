// What the tests of reports, hooks and the GitHub Action need: npm packages that read reports, the validator whose place the command can
// take, and pre-commit in a virtual environment of Python.
//
//   node scripts/pipelines.mjs            installs it once
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { virtualEnvironment } from "./clients.mjs";
import { Missing, installIn, main } from "./setup.mjs";
import { root } from "./steps.mjs";

const folder = "pkg-tests/pipelines";

/** Returns where pre-commit is: `{bin}`, or `{reason}` if it is not available. */
export function preCommit({ install = true } = {}) {
  const requirements = join(root, folder, "requirements.txt");
  return virtualEnvironment(join(root, folder, ".venv"), requirements, { install, script: "scripts/pipelines.mjs" });
}

/** Installs everything. Returns why there is no pre-commit, if there is none. */
export function setUpPipelines() {
  installIn(folder, "pipelines");
  return preCommit().reason;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    const reason = setUpPipelines();
    if (reason !== undefined) throw new Missing("pre-commit could not be installed.", [reason]);
    console.log("pipelines: ready");
  });
}
