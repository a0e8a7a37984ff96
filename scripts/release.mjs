// Publishes the package:   npm run release -- --repository https://github.com/OWNER/stepglass [--dry-run]
//
// The address of the repository is one setting: this option or STEPGLASS_REPOSITORY. It sets `repository`, `homepage` and `bugs` of
// package.json. The links and pictures of README.md and CHANGELOG.md, which are relative in the repository, lead there from a registry's page.
// --dry-run packs and prints the tarball's path; `npm publish` itself is refused (prepublishOnly), because it would know nothing of this.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { npm } from "./setup.mjs";
import { root, windows } from "./steps.mjs";

const HOW = "npm run release -- --repository https://github.com/OWNER/stepglass";

let given;
try {
  given = parseArgs({
    options: {
      repository: { type: "string", default: process.env.STEPGLASS_REPOSITORY },
      "dry-run": { type: "boolean" },
      refuse: { type: "boolean" },
    },
  }).values;
} catch (error) {
  stop(error.message);
}
if (given.refuse)
  stop(
    "`npm publish` does not know where the repository is: package.json would lack `repository`, `homepage` and `bugs`, and README's links would lead nowhere",
  );
if (given.repository === undefined)
  stop(
    "where is the repository? package.json's `repository`, `homepage` and `bugs` and README's links are made of it. Give --repository or set STEPGLASS_REPOSITORY",
  );
if (!/^https:\/\/[^/\s]+\/\S*[^/\s]$/.test(given.repository) || given.repository.endsWith(".git"))
  stop(`the repository must be the https address of its page, without .git or a slash at the end, not ${JSON.stringify(given.repository)}`);

const folder = mkdtempSync(join(tmpdir(), "stepglass-release-"));
const [{ filename }] = JSON.parse(runNpm(["pack", "--json", "--pack-destination", folder], root));
execFileSync("tar", ["-xzf", filename], { cwd: folder });
const place = join(folder, "package");

const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
const { repository } = given;
const { prepublishOnly, ...scripts } = manifest.scripts;
const about = {
  ...manifest,
  scripts,
  repository: { type: "git", url: `git+${repository}.git` },
  homepage: `${repository}#readme`,
  bugs: { url: `${repository}/issues` },
};
writeFileSync(join(place, "package.json"), `${JSON.stringify(about, null, 2)}\n`);
for (const file of ["README.md", "CHANGELOG.md"])
  writeFileSync(join(place, file), absolute(readFileSync(join(place, file), "utf8"), manifest.version));

const [{ filename: tarball }] = JSON.parse(runNpm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], place));
const path = join(folder, tarball);
if (given["dry-run"]) console.log(path);
else runNpm(["publish", path, "--access", "public"], root, "inherit");

/** Makes links and pictures of a Markdown text, outside of code, absolute: to the file in the repository at the version's tag. */
function absolute(text, version) {
  const address = (target, picture) =>
    /^(?:[a-z][a-z0-9+.-]*:|#|\/\/)/i.test(target)
      ? target
      : `${repository}/${picture ? "raw" : "blob"}/v${version}/${target.replace(/^\.?\//, "")}`;
  return text
    .split(/(^```[^]*?^```|`[^`\n]+`)/m)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part
            .replace(/(!?)\[([^\]]*)\]\(([^)\s]+)/g, (_, mark, label, target) => `${mark}[${label}](${address(target, mark === "!")}`)
            .replace(/(<img\b[^>]*\bsrc=")([^"]+)/g, (_, before, target) => before + address(target, true))
            .replace(
              /(<(?:a|source)\b[^>]*\b(?:href|srcset)=")([^"]+)/g,
              (all, before, target) => before + address(target, /^<source/.test(before)),
            ),
    )
    .join("");
}

function runNpm(args, cwd, stdio = ["ignore", "pipe", "inherit"]) {
  const [command, all] = npm(...args);
  return execFileSync(command, all, { cwd, encoding: "utf8", stdio, shell: command === "npm" && windows });
}

function stop(why) {
  console.error(`release: ${why}\n\n  ${HOW}\n`);
  process.exit(1);
}
