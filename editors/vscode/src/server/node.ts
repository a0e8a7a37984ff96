// The server on a desktop: a process of its own, which the extension starts.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { initSync } from "../../../../js/core/border/instance.ts";
import { ProposedFeatures, createConnection } from "../../../../js/cli/lsp/protocol.ts";
import { serve } from "./service.ts";

initSync(readFileSync(join(__dirname, "stepglass.wasm")));
serve(createConnection(ProposedFeatures.all));
