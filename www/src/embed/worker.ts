// The components' worker: the interpreter, and a debug session for each component that runs a machine.

import { Host } from "../../../js/entries/stepping.ts";
import { answerWith, methodsWith } from "./sessions.ts";

answerWith(methodsWith(() => new Host()));
