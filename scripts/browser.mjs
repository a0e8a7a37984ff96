// Finds Chrome or Chromium on this machine. For tests, it is installed if one command is enough.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { output, run, windows } from "./steps.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge"];
/** Chromium without a user interface shows the same pages with half of the CPU time. */
const SHELLS = ["chromium-headless-shell", "chrome-headless-shell"];
/** The programs that the tests accept as browsers. */
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ...["ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"].flatMap((variable) =>
    process.env[variable]
      ? [
          join(process.env[variable], "Google/Chrome/Application/chrome.exe"),
          join(process.env[variable], "Chromium/Application/chrome.exe"),
        ]
      : [],
  ),
];

/**
 * Returns `{path, version}` of the browser, or the `reason` why there is none. With `shell` it is the headless shell, if there is
 * one: tests use it, while measurements and screenshots do not.
 */
export function findBrowser({ install = false, shell = false } = {}) {
  const named = process.env.CHROME_PATH;
  if (named) return existsSync(named) ? found(named) : { reason: `CHROME_PATH names ${named}, which does not exist` };
  const names = shell ? [...SHELLS, ...NAMES] : [...NAMES, ...SHELLS];
  const path = lookUp(names);
  const canInstall = install && process.platform === "linux" && process.getuid() === 0 && output("apt-get", ["--version"]) !== undefined;
  if (path && !(shell && canInstall && !SHELLS.some((name) => path.endsWith(name)))) return found(path);
  if (!canInstall) return { reason: "no Chrome or Chromium was found; install one, or set CHROME_PATH to it" };

  const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, stdio: ["ignore", "ignore", path ? "ignore" : "inherit"] };
  const get = (name) => run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], options);
  // Not every release contains the shell. If there is a browser already, updating the package lists would take too long.
  if (path) return get(SHELLS[0]) ? found(lookUp(names)) : found(path);
  console.log("installing Debian's Chromium for the browser tests");
  const installed = run("apt-get", ["update", "-qq"], options) && ((shell && get(SHELLS[0])) || get("chromium"));
  const now = lookUp(names);
  return installed && now
    ? found(now)
    : { reason: "`apt-get install chromium` failed; install Chrome or Chromium, or set CHROME_PATH to it" };
}

function lookUp(names) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const candidates = [...names.flatMap((name) => [...folders, "/usr/bin", "/snap/bin"].map((folder) => join(folder, name))), ...PLACES];
  return candidates.find((path) => existsSync(path));
}

function found(path) {
  return { path, version: windows ? undefined : output(path, ["--version"], { stdio: ["ignore", "pipe", "ignore"] }) };
}
