// The signs of states: of a task that of the service which it calls.

import { signOfService } from "../../../js/integrations/signs.ts";
import type { GraphNode } from "../model/graph.ts";
import { GLYPHS } from "./signs.ts";

export { withServiceSigns } from "../../../js/integrations/signs.ts";

/// The sign of a state: its type's, or of the service that a task calls.
export const glyphOf = ({ type, detail = "" }: Pick<GraphNode, "type" | "detail">): string =>
  (type === "Task" ? signOfService(detail.split(" ", 1)[0]!) : undefined) ?? GLYPHS[type];
