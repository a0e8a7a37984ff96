// Where Chrome or Chromium is on this machine; for tests, installed where that is one command.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { output, run, windows } from "./steps.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge"];
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ...["ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"].flatMap((variable) =>
    process.env[variable] ? [join(process.env[variable], "Google/Chrome/Application/chrome.exe"), join(process.env[variable], "Chromium/Application/chrome.exe")] : [],
  ),
];

/** `{path, version}` of the browser, or the `reason` why there is none. */
export function findBrowser({ install = false } = {}) {
  const named = process.env.CHROME_PATH;
  if (named) return existsSync(named) ? found(named) : { reason: `CHROME_PATH names ${named}, which does not exist` };
  const path = lookUp();
  if (path) return found(path);
  const why = "no Chrome or Chromium was found; install one, or set CHROME_PATH to it";
  const canInstall = process.platform === "linux" && process.getuid() === 0 && output("apt-get", ["--version"]) !== undefined;
  if (!install || !canInstall) return { reason: why };

  console.log("installing Debian's Chromium for the browser tests");
  const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, stdio: ["ignore", "ignore", "inherit"] };
  const installed = run("apt-get", ["update", "-qq"], options) && run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], options);
  const now = lookUp();
  return installed && now ? found(now) : { reason: "`apt-get install chromium` failed; install Chrome or Chromium, or set CHROME_PATH to it" };
}

function lookUp() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const candidates = [...NAMES.flatMap((name) => [...folders, "/usr/bin", "/snap/bin"].map((folder) => join(folder, name))), ...PLACES];
  return candidates.find((path) => existsSync(path));
}

function found(path) {
  return { path, version: windows ? undefined : output(path, ["--version"], { stdio: ["ignore", "pipe", "ignore"] }) };
}
