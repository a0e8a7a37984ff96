/**
 * YAML as a syntax of `language.edit()`: definitions in YAML are edited as they are written, with their comments, quotes and anchors.
 *
 * @example
 * ```js
 * import { language } from "stepglass";
 * import { yaml } from "stepglass/yaml";
 *
 * const text = "StartAt: A\nStates:\n  A: # the only one\n    Type: Pass\n    End: true\n";
 * const edited = language.edit(text, { kind: "rename", state: "/States/A", to: "Begin" }, { syntax: yaml });
 * if (!("refused" in edited)) language.apply(text, edited.edits); // StartAt: Begin …
 * ```
 *
 * @packageDocumentation
 */
import type { Syntax } from "./index.js";

/**
 * YAML 1.2, with CloudFormation's short forms such as `!Sub`. A change at an anchor applies wherever the anchor is used; `losses`
 * reports this. Nothing is changed through an alias or a merge key: such a gesture is refused with the code `"alias"`.
 */
export const yaml: Syntax;
