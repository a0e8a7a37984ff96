// Runs one set-up of the tests in a separate process, while other steps compile:   node scripts/ahead.mjs NAME
//
// Its step comes later, finds everything there, and is who says what could not be had.
import { findBrowser } from "./browser.mjs";
import { installBundlers } from "./bundlers.mjs";
import { emulator, installAwsClients, installNodeClients, pythonClients } from "./clients.mjs";
import { getFonts } from "./fonts.mjs";
import { setUpPipelines } from "./pipelines.mjs";
import { installIn, main } from "./setup.mjs";
import { setUpStores } from "./stores.mjs";

const SETUPS = {
  stores: setUpStores,
  restate: () => installIn("pkg-tests/restate", "restate"),
  server() {
    installNodeClients();
    pythonClients();
  },
  pipelines: setUpPipelines,
  aws() {
    installAwsClients();
    emulator();
  },
  browser() {
    findBrowser({ install: true, shell: true });
    getFonts();
  },
  bundlers: installBundlers,
};

await main(SETUPS[process.argv[2]]);
