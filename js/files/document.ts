// Texts in JSON or YAML as values, also those of templates in which something else is wrong.

import type { Document, LineCounter, YAMLError } from "yaml";
import { messageOf } from "../base/errors.ts";
import { intrinsicTags } from "../definition/tags.ts";
import * as yaml from "../definition/yaml.ts";
import type { YamlOptions } from "../definition/yaml-document.ts";
import { machinesOf } from "../sources/machines.ts";
import type { Machine } from "../sources/machine.ts";
import { extent, lookUp } from "./places.ts";
import { Unusable } from "./problem.ts";

export function isYaml(file: string, text: string): boolean {
  const named = /\.(ya?ml)$/i.test(file) ? true : /\.(json|tfplan)$/i.test(file) ? false : undefined;
  return named ?? !/^\s*\{/.test(text);
}

/** A text as YAML, with CloudFormation's short forms. */
export function document(text: string, lineCounter?: LineCounter): Document {
  return yamlDocument(text, { ...(lineCounter && { lineCounter }), merge: true, prettyErrors: false, customTags: intrinsicTags() });
}

/** `readYaml` for texts from anywhere. */
export function yamlDocument(text: string, options: YamlOptions = {}): Document {
  try {
    return yaml.yamlDocument(text, options);
  } catch (error) {
    throw new Unusable(messageOf(error));
  }
}

/** What a YAML document stands for. */
export function valueOfDocument(document: Document, file: string): unknown {
  try {
    return yaml.valueOfDocument(document);
  } catch (error) {
    throw new Unusable(`cannot read ${file}: ${messageOf(error)}`);
  }
}

/** What a text holds; undefined where it cannot be parsed. */
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

/** Whether all that is wrong in a document stands outside of the state machines of a template. */
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
