// Parses JSON or YAML, also templates that contain errors elsewhere.

import type { Document, LineCounter, YAMLError } from "yaml";
import { messageOf } from "../../core/base/errors.ts";
import { intrinsicTags } from "../../core/definition/tags.ts";
import * as yaml from "../../core/definition/yaml.ts";
import type { YamlOptions } from "../../core/definition/yaml-document.ts";
import { machinesOf } from "../sources/find-machines.ts";
import type { Machine } from "../sources/template-machine.ts";
import { extent, lookUp } from "./yaml-ranges.ts";
import { Unusable } from "./problem.ts";

export function isYaml(file: string, text: string): boolean {
  const named = /\.(ya?ml)$/i.test(file) ? true : /\.(json|tfplan)$/i.test(file) ? false : undefined;
  return named ?? !/^\s*\{/.test(text);
}

/** Parses a text as YAML, with the short forms of CloudFormation's functions. */
export function document(text: string, lineCounter?: LineCounter): Document {
  return yamlDocument(text, { ...(lineCounter && { lineCounter }), merge: true, prettyErrors: false, customTags: intrinsicTags() });
}

/** Parses a text of any origin; see `readYaml`. */
export function yamlDocument(text: string, options: YamlOptions = {}): Document {
  try {
    return yaml.yamlDocument(text, options);
  } catch (error) {
    throw new Unusable(messageOf(error));
  }
}

/** Returns the value of a YAML document. */
export function valueOfDocument(document: Document, file: string): unknown {
  try {
    return yaml.valueOfDocument(document);
  } catch (error) {
    throw new Unusable(`cannot read ${file}: ${messageOf(error)}`);
  }
}

/** Returns the value of a text. Undefined if it cannot be parsed. */
export function valueOf(file: string, text: string): unknown {
  if (isYaml(file, text)) {
    const parsed = document(text);
    return parsed.errors.length > 0 && !isFaultyTemplate(parsed, file) ? undefined : valueOfDocument(parsed, file);
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether all errors of a document are outside of the state machines of a template. */
export function isFaultyTemplate(document: Document, file: string): boolean {
  let machines: Map<string, Machine> | undefined;
  try {
    machines = machinesOf(valueOfDocument(document, file));
  } catch {
    return false;
  }
  if (machines === undefined || machines.size === 0) return false;
  const own = [...machines.values()].map(({ resource }) => extent(lookUp(document, resource).value));
  return document.errors.every(({ pos: [start] }: YAMLError) => own.every(([from, to]) => start < from || start >= to));
}
