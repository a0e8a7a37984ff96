// The element's declaration against its source. Only the compiler reads this module: an error here is a declaration that says
// something else than the source.

import type * as declared from "../../../js/api/debugger.d.ts";
import type * as source from "./element.ts";

/// A source that has everything that is declared, takes what the declaration takes and gives what it gives.
type Checked<Declared, Source extends Declared> = [Declared, Source];

export type Element = Checked<declared.StepglassDebugger, source.StepglassDebugger>;
export type Task = Checked<declared.TaskEvent, source.TaskEvent>;
