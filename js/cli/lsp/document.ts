// A document of an editor: its definitions and their problems.

import { isMap, isScalar, isSeq, type Document, type Node } from "yaml";
import type { Diagnostic, MachineType, Range, TextRange } from "../../core/api/index.d.ts";
import { isObject } from "../../core/base/json.ts";
import { pointerTo } from "../../core/base/pointer.ts";
import { messageOf } from "../../core/base/errors.ts";
import { intrinsicTags } from "../../core/definition/tags.ts";
import { yamlErrors } from "../../core/definition/yaml-document.ts";
import { valueOfDocument, yamlDocument } from "../../language/files/document.ts";
import { extent, lookUp, memberOf } from "../../language/files/yaml-ranges.ts";
import { Unusable, type SourceOptions } from "../../language/files/problem.ts";
import { Source } from "../../language/files/source.ts";
import { isHcl, machinesIn, machinesInHcl } from "../../language/files/templates.ts";
import { isJson } from "../../core/history/recorded.ts";
import type { Machine } from "../../language/sources/template-machine.ts";
import { decoded } from "./decoded.ts";
import { JsonPart, StringPart, YamlPart, type Part } from "./part.ts";

/** The settings that affect the problems of a definition. */
export interface Checks {
  type?: MachineType;
  jsonata?: "2.0.6" | "2.1";
  substitutions?: Record<string, unknown>;
}

/** A problem with its range in the document. */
export interface Found extends TextRange {
  code: string;
  severity: Diagnostic["severity"];
  message: string;
  help?: string | undefined;
  labels: (TextRange & { message: string })[];
}

/** A file from which a template includes a definition. */
export interface Link extends TextRange {
  /** The path, relative to the template or absolute. */
  path: string;
}

const TEMPLATE = /AWS::(StepFunctions|Serverless)::StateMachine|aws_sfn_state_machine|^\s*["']?stepFunctions["']?\s*:/m;
/** Codes of problems of texts that cannot be parsed. */
const BROKEN = /^invalid-(json|yaml)$/;
const NAMED = /\.asl(\.json|\.ya?ml)?$/i;

/** One version of a document. */
export class Reading {
  readonly text: string;
  /** The path of the document, for messages and to resolve the paths in a template. */
  readonly file: string;
  readonly yaml: boolean;
  readonly parts: Part[] = [];
  readonly links: Link[] = [];
  /** Whether it is a template. */
  readonly template: boolean;
  #document: Document | undefined;
  #machines: Map<string, Machine> | undefined;
  /** The reason why the document cannot be parsed at all. */
  #problem: string | undefined;

  constructor(file: string, languageId: string, text: string) {
    this.file = file;
    this.text = text;
    this.yaml = isYaml(file, languageId, text);
    const maybe = TEMPLATE.test(text) && !NAMED.test(file);
    this.template = maybe && this.#readTemplate();
    if (maybe || !isDefinition(file, languageId, text)) return;
    const all = { start: 0, end: text.length };
    this.parts.push(this.yaml ? new YamlPart(text, all, "") : new JsonPart(text, all));
  }

  /** The parsed nodes. JSON is parsed as YAML. */
  get document(): Document | undefined {
    if (this.#document === undefined && this.#problem === undefined && !isHcl(this.file)) {
      try {
        this.#document = yamlDocument(this.text, { merge: true, prettyErrors: false, logLevel: "silent" });
      } catch (error) {
        this.#problem = messageOf(error);
      }
    }
    return this.#document;
  }

  /** Returns the definition at an offset. */
  partAt(offset: number): Part | undefined {
    return this.parts.find(({ range }) => range.start <= offset && offset <= range.end);
  }

  #readTemplate(): boolean {
    const { document } = this;
    try {
      if (isHcl(this.file)) this.#machines = machinesInHcl(this.file, this.text, {}).machines;
      if (document === undefined) return this.#machines !== undefined;
      const long = yamlDocument(this.text, { merge: true, prettyErrors: false, logLevel: "silent", customTags: intrinsicTags() });
      this.#machines = machinesIn(this.file, valueOfDocument(long, this.file), {});
    } catch (error) {
      if (!(error instanceof Unusable || error instanceof RangeError)) throw error;
      this.#problem = error.message;
    }
    for (const [id, machine] of this.#machines ?? [])
      if (document !== undefined && machine.file === undefined) this.#readMachine(document, id, machine);
    return this.#machines !== undefined;
  }

  #readMachine(document: Document, id: string, { type, resource, definition }: Machine): void {
    const owner = { id, type: type === "EXPRESS" ? ("EXPRESS" as const) : undefined };
    const resourceNode = lookUp(document, resource).value;
    if (definition.in === "template") {
      const { value } = lookUp(document, definition.pointer);
      if (!isMap(value) || !value.range) return;
      const range = { start: value.range[0], end: value.range[this.yaml ? 2 : 1] };
      this.parts.push(this.yaml ? new YamlPart(this.text, range, definition.pointer, owner) : new JsonPart(this.text, range, owner));
    } else if (definition.in === "string") {
      const found = decoded(this.text, stringIn(valueIn(valueIn(resourceNode, "Properties"), "DefinitionString")));
      if (found !== undefined) this.parts.push(new StringPart(found, owner));
    } else if (definition.in === "file") {
      const named = stringIn(valueIn(valueIn(resourceNode, "Properties"), "DefinitionUri") ?? valueIn(resourceNode, "definition"));
      if (isScalar(named) && named.range) this.links.push({ start: named.range[0], end: named.range[1], path: definition.path });
    }
  }

  /** Returns all problems, in the order of their positions. */
  problems(checks: Checks): Found[] {
    const found = this.template ? this.#templateProblems(checks) : this.parts.length > 0 ? this.#ownProblems(checks) : this.#broken();
    return found.sort((a, b) => a.start - b.start || a.end - b.end);
  }

  #ownProblems(checks: Checks): Found[] {
    const { substitutions = {} } = checks;
    return orProblem(() =>
      new Source(this.file, { substitutions, text: this.text }).diagnostics(optionsOf(checks)).map((one) => placed(one)),
    );
  }

  /** Returns the problems of a template that cannot be parsed. Its state machines are then unknown. */
  #broken(): Found[] {
    if (!TEMPLATE.test(this.text)) return [];
    if (this.#problem !== undefined) return [whole(this.#problem)];
    return (this.document === undefined ? [] : yamlErrors(this.document)).map(({ message, pos }) => ({
      ...whole(message),
      start: pos[0],
      end: pos[1],
    }));
  }

  #templateProblems(checks: Checks): Found[] {
    const unread = !isHcl(this.file) && ((this.document?.errors.length ?? 0) > 0 || !(this.yaml || isJson(this.text)));
    const broken = unread ? this.#ownProblems(checks).filter(({ code, severity }) => BROKEN.test(code) && severity === "error") : [];
    if (broken.length > 0) return broken;
    const { substitutions = {} } = checks;
    return [...(this.#machines ?? [])].flatMap(([id, { definition, file, resource }]) => {
      // The problems of another template are reported in that template.
      if (definition.in === "nothing" || file !== undefined) return [];
      const named = this.links.find(({ path }) => definition.in === "file" && definition.path === path);
      const at = named ?? rangeOf(this.document && lookUp(this.document, resource).value);
      return orProblem(() => {
        const source = new Source(`${this.file}#${id}`, { substitutions, text: this.text });
        // The problems of a definition's own file are reported there. Those outside of the machines are reported by the language
        // servers of JSON and YAML.
        if (definition.in === "file" || (definition.in === "string" && definition.file !== undefined)) return [];
        return source.ownDiagnostics(optionsOf(checks)).map((one) => placed(one));
      }, at);
    });
  }
}

function optionsOf({ type, jsonata }: Checks): SourceOptions {
  return { ...(type && { type }), ...(jsonata && { jsonata }) };
}

/** Returns problems. If a file cannot be used, that is a problem itself. */
function orProblem(find: () => Found[], at: TextRange = { start: 0, end: 0 }): Found[] {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return [{ ...whole(error.message), ...at }];
  }
}

function whole(message: string): Found {
  return { code: "unusable", severity: "error", message, start: 0, end: 0, labels: [] };
}

function placed({ code, severity, message, help, range, labels }: Diagnostic): Found {
  return {
    code,
    severity,
    message,
    help: code === "placeholder" ? "give it a value in the setting substitutions" : help,
    ...rangeFrom(range),
    labels: labels.map((label) => ({ ...rangeFrom(label.range), message: label.message })),
  };
}

function rangeFrom(range: Range | undefined): TextRange {
  return { start: range?.start.offset ?? 0, end: range?.end.offset ?? 0 };
}

function rangeOf(node: Node | undefined): TextRange {
  const [start, end] = extent(node);
  return { start, end };
}

function valueIn(node: unknown, name: string): Node | undefined {
  const found = isMap(node) ? memberOf(node, name)?.value : undefined;
  return isNodeLike(found) ? found : undefined;
}

/** Returns the string node of a value, also of one inside Fn::Sub, with or without values. */
function stringIn(node: Node | undefined): Node | undefined {
  if (isScalar(node)) return node;
  if (isSeq(node)) return isNodeLike(node.items[0]) ? stringIn(node.items[0]) : undefined;
  const content = valueIn(node, "Fn::Sub");
  return content && stringIn(content);
}

function isNodeLike(value: unknown): value is Node {
  return isMap(value) || isSeq(value) || isScalar(value);
}

function isYaml(file: string, languageId: string, text: string): boolean {
  if (/yaml|yml/i.test(languageId)) return true;
  if (/json/i.test(languageId)) return false;
  const named = /\.(ya?ml)$/i.test(file) ? true : /\.json$/i.test(file) ? false : undefined;
  return named ?? !/^\s*[{[]/.test(text);
}

/** Returns whether a document is a definition, by its name, its language id, or its fields. It may be incomplete. */
function isDefinition(file: string, languageId: string, text: string): boolean {
  if (NAMED.test(file) || /(^|[-.])(asl|states?-?language)($|[-.])/i.test(languageId)) return true;
  const has = (name: string) => new RegExp(`(^|[{,])\\s*["']?${name}["']?\\s*:`, "m").test(text);
  return has("StartAt") && has("States");
}

/** Returns the type and the query language of each state, by JSON Pointer. */
export function statesOf(json: string): Map<string, { type: string; language: string }> {
  const found = new Map<string, { type: string; language: string }>();
  const scope = (value: unknown, pointer: string, around: string, depth: number) => {
    if (!isObject(value) || depth > 32) return;
    const own = typeof value.QueryLanguage === "string" ? value.QueryLanguage : around;
    for (const [name, state] of isObject(value.States) ? Object.entries(value.States) : []) {
      if (!isObject(state)) continue;
      const at = pointerTo(pointer, "States", name);
      const language = typeof state.QueryLanguage === "string" ? state.QueryLanguage : own;
      found.set(at, { type: typeof state.Type === "string" ? state.Type : "", language });
      if (Array.isArray(state.Branches)) state.Branches.forEach((branch, i) => scope(branch, `${at}/Branches/${i}`, language, depth + 1));
      for (const key of ["ItemProcessor", "Iterator"]) scope(state[key], `${at}/${key}`, language, depth + 1);
    }
  };
  try {
    scope(JSON.parse(json), "", "JSONPath", 0);
  } catch {
    // The types are unknown while the text is not valid JSON.
  }
  return found;
}
