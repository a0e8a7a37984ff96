// What an expression is made of, for those modules of js/ that the page has as they are: in place of js/definition/expression-syntax.ts,
// whose module would be another instance than the interpreter's.

import { type ExpressionSyntax, language } from "stepglass";

export const syntaxOf = (expression: string, dialect: "jsonata" | "jsonpath"): ExpressionSyntax => language.syntax(expression, dialect);
