// What an expression is made of, as the module reads it.

import * as module from "../../dist/glue.js";
import type { ExpressionSyntax } from "../api/index.d.ts";
import { call } from "../border/instance.ts";

/** The languages of expressions. */
export type ExpressionLanguage = "jsonata" | "jsonpath";

/** The parts of an expression, or why it has none. */
export function syntaxOf(expression: string, language: ExpressionLanguage): ExpressionSyntax {
  return JSON.parse(call(module.syntax, expression, language === "jsonata"));
}
