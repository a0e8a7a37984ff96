// The icons of states. A task has the icon of the service that it calls.

import { signOfService } from "../../../js/core/integrations/signs.ts";
import type { GraphNode } from "../model/graph.ts";
import { GLYPHS } from "./signs.ts";

export { withServiceSigns } from "../../../js/core/integrations/signs.ts";

/** Returns the icon of a state: that of its type, or of the service that a task calls. */
export const glyphOf = ({ type, detail = "" }: Pick<GraphNode, "type" | "detail">): string =>
  (type === "Task" ? signOfService(detail.split(" ", 1)[0]!) : undefined) ?? GLYPHS[type];
