// The syntax of expressions, for those modules of js/ that the page uses directly. It replaces
// js/core/definition/expression-syntax.ts, whose module would be a second instance of the interpreter.

import { type ExpressionSyntax, language } from "stepglass";

export const syntaxOf = (expression: string, dialect: "jsonata" | "jsonpath"): ExpressionSyntax => language.syntax(expression, dialect);
