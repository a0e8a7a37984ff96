// Parses expressions with the module.

import * as module from "../../../dist/glue.js";
import type { ExpressionSyntax } from "../api/index.d.ts";
import { call } from "../border/instance.ts";

/** The languages of expressions. */
export type ExpressionLanguage = "jsonata" | "jsonpath";

/** Returns the parts of an expression, or the reason why it cannot be parsed. */
export function syntaxOf(expression: string, language: ExpressionLanguage): ExpressionSyntax {
  return JSON.parse(call(module.syntax, expression, language === "jsonata"));
}
