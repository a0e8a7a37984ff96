// Downloads the models of AWS's services from the time when its mocks of TestState were recorded: a version of botocore, for the
// conformance score.
//
//   node scripts/models.mjs
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { output, root, run } from "./steps.mjs";

// The version of November 2025. Later models allow functions of 32 GB, which those of the recordings did not.
const BOTOCORE = "1.41.5";

/** Returns the folder of the models, which pip downloads once: `{folder}`, or `{reason}` if they are not available. */
export function recordedModels({ install = true } = {}) {
  const place = join(root, "pkg-tests/.cache/models");
  const folder = join(place, "botocore/data");
  const marker = join(place, ".installed");
  if (existsSync(marker) && readFileSync(marker, "utf8") === BOTOCORE) return { folder };
  if (!install) return { reason: "they are not installed: node scripts/models.mjs" };
  const python = ["python3", "python"].find((name) => output(name, ["-m", "pip", "--version"]) !== undefined);
  if (python === undefined) return { reason: "there is no Python with pip" };
  rmSync(place, { recursive: true, force: true });
  const pip = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--retries",
    "1",
    "--timeout",
    "15",
    "--no-deps",
    "--target",
    place,
    `botocore==${BOTOCORE}`,
  ];
  if (!run(python, pip)) return { reason: `pip could not install botocore ${BOTOCORE}` };
  writeFileSync(marker, BOTOCORE);
  return { folder };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { folder, reason } = recordedModels();
  console.log(`models: ${folder ?? reason}`);
  process.exitCode = folder === undefined ? 1 : 0;
}
