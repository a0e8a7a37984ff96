// Runs test files of the browser in one process and one Chromium, one after the other:   node scripts/browser-files.mjs FILE…
import { after } from "node:test";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { share, skip } from "../pkg-tests/browser.mjs";

const browser = skip ? undefined : share();
after(() => browser?.end());
for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href);
