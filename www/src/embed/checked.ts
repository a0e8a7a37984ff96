// Compares the element's declaration with its source. Only the compiler reads this module. An error here means that the
// declaration and the source disagree.

import type * as declared from "../../../js/core/api/debugger.d.ts";
import type * as source from "./element.ts";

/** Requires a source with all declared members, which accepts the declared parameters and returns the declared results. */
type Checked<Declared, Source extends Declared> = [Declared, Source];

export type Element = Checked<declared.StepglassDebugger, source.StepglassDebugger>;
export type Task = Checked<declared.TaskEvent, source.TaskEvent>;
