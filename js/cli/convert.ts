// The command `stepglass convert` converts definitions between JSON and YAML, and from JSONPath to JSONata.

import { isMap, isNode, isScalar, isSeq, visit, type Document, type Node, type Pair, type YAMLMap } from "yaml";
import { isObject, type JsonObject, type JsonValue } from "../core/base/json.ts";
import { pointerSteps } from "../core/base/pointer.ts";
import { withFillers } from "../language/convert/placeholders.ts";
import { toJsonata, type Left } from "../language/convert/jsonata.ts";
import { jsonPlaceholders } from "../core/definition/placeholders.ts";
import { intrinsicTags } from "../core/definition/tags.ts";
import { yamlPlaceholders } from "../core/definition/yaml.ts";
import { readYaml, yamlErrors } from "../core/definition/yaml-document.ts";
import { Unusable } from "../language/files/problem.ts";
import { isFaultyTemplate, valueOfDocument, yamlDocument } from "../language/files/document.ts";
import { read, write } from "../language/files/reading.ts";
import { aroundMachines, split } from "../language/files/source.ts";
import { namedBy } from "../language/sources/template-machine.ts";
import { isHcl, machinesIn } from "../language/files/templates.ts";
import { colors, count, writeJson } from "../language/files/terminal.ts";
import { defineCommand, type Options, type Values } from "./command.ts";

const help = `stepglass convert FILE [options]

Converts between JSON and YAML, and from JSONPath to JSONata.

  stepglass convert order.asl.json -o order.asl.yaml
  stepglass convert order.asl.yaml --to json > order.asl.json
  stepglass convert order.asl.json --jsonata          converts every state that JSONata can express
  stepglass convert template.yaml --jsonata -o new.yaml  converts the definitions in a template, nothing else
  stepglass convert order.yaml --jsonata --json | jq .left

YAML to YAML keeps the comments, except those inside converted states. CloudFormation's short forms (!Sub) stay short
in YAML and become long in JSON. Placeholders such as \${Timeout} stay.

With --jsonata, a state is converted only if the result means the same. The command lists the states that it leaves
in JSONPath, each with the reason. What fails in JSONPath also fails in JSONata: an expression first checks what its
path assumes, such as $type($states.input) = "object". A failed expression raises States.QueryEvaluationError
instead of States.Runtime; the command adds a retrier and a catcher where States.ALL would handle that.

Options
  -o, --output FILE   the file to write; default: standard output
      --to FORMAT     json or yaml; default: by the output file's extension; otherwise the other format, or with
                      --jsonata the same
      --jsonata       converts JSONPath to JSONata, state by state
      --json          {output, converted, left: [{state, pointer, reason}], notes: [text]}, with the output as text

Exit code: 0 success; 1 with --jsonata, some states were left in JSONPath; 2 wrong usage.
`;

const options = {
  output: { type: "string", short: "o", file: true },
  to: { type: "string", values: ["json", "yaml"] },
  jsonata: { type: "boolean" },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({
  name: "convert",
  summary: "convert between JSON and YAML, and from JSONPath to JSONata",
  help,
  options,
  run: convert,
});

/** Reports something that the user should know about the result. */
type Note = (message: string) => void;

/** The states that are now in JSONata and those that are not, with the machine of each in a template. */
interface Report {
  converted: string[];
  left: (Left & { machine?: string })[];
}

function convert([spec, ...others]: string[], { output, to, jsonata, json }: Values<typeof options>): number {
  if (spec === undefined || others.length > 0) throw new Unusable("convert needs one file", { usage: true });
  const [file, fragment] = split(spec);
  if (fragment !== undefined && !jsonata)
    throw new Unusable("a template is converted as a whole: omit # and the name after it", { usage: true });
  if (isHcl(file)) throw new Unusable(`${file} is in Terraform's language: convert takes JSON and YAML`);
  const notes: string[] = [];
  const note: Note = (message) =>
    void (json ? notes.push(message) : process.stderr.write(`${colors(process.stderr).yellow("note:")} ${message}\n`));
  const named = /\.json$/i.test(output ?? "") ? "json" : /\.ya?ml$/i.test(output ?? "") ? "yaml" : undefined;
  const { written, report } = conversionOf(read(file), { file, fragment, to: to ?? named, jsonata, note });
  if (output !== undefined) write(output, written);
  if (json) writeJson({ output: written, ...report, notes });
  else if (output === undefined) process.stdout.write(written);
  if (jsonata && !json) printError(report);
  return report.left.length > 0 ? 1 : 0;
}

/** The input and the target of a conversion. */
interface Conversion {
  file: string;
  fragment?: string | undefined;
  to?: "json" | "yaml" | undefined;
  jsonata?: boolean | undefined;
  note: Note;
}

/** Converts a text to the other format, or its states to JSONata. */
export function conversionOf(
  text: string,
  { file, fragment, to, jsonata, note }: Conversion,
): { written: string; format: "json" | "yaml"; report: Report } {
  const isJson = /\.json$/i.test(file) || (!/\.ya?ml$/i.test(file) && /^\s*[[{]/.test(text));
  const { filled, restore } = withFillers(text, isJson ? jsonPlaceholders(text) : yamlPlaceholders(text));
  const document = documentOf(filled, file, note);
  const [error] = yamlErrors(document);
  if (error !== undefined) throw new Unusable(`${file} is not ${isJson ? "JSON" : "YAML"}: ${firstLine(error.message)}`);
  // Values that are too deep and endless aliases are refused here, before anything is written.
  valueOfDocument(document, file);
  const otherwise = isJson === Boolean(jsonata) ? "json" : "yaml";
  const format = to ?? otherwise;
  const report: Report = jsonata ? convertStates(document, { file, fragment, note }) : { converted: [], left: [] };
  const written = restore(format === "json" ? asJson(document, file) : asYaml(document, isJson));
  if (format === "json" && !isJson && /(^|\s)#/m.test(text) && hasComments(document))
    note("JSON has no comments: the file's comments are lost");
  return { written, format, report };
}

function firstLine(message: string): string {
  return message.split("\n", 1).join();
}

/** Parses the document. Duplicate keys outside of a template's state machines are kept. */
function documentOf(text: string, file: string, note: Note): Document {
  const document = yamlDocument(text, { prettyErrors: true });
  if (document.errors.length === 0 || !document.errors.every(({ code }) => code === "DUPLICATE_KEY") || !isFaultyTemplate(document, file))
    return document;
  for (const { message } of document.errors) note(`${file}: ${aroundMachines(firstLine(message).replace(/:$/, ""))}`);
  return yamlDocument(text, { prettyErrors: true, uniqueKeys: false });
}

/** Replaces every state that can be converted. */
function convertStates(document: Document, { file, fragment, note }: { file: string; fragment: string | undefined; note: Note }): Report {
  const value = longForms(document, file);
  const machines = machinesIn(file, value, {});
  const [chosen, ...more] = fragment === undefined ? [] : namedBy(machines ?? new Map(), fragment);
  if (fragment !== undefined && (chosen === undefined || more.length > 0)) throw new Unusable(`${file} has no state machine ${fragment}`);
  if (machines === undefined) return convertAt(document, [], definitionOf(value, file));
  const all: Report = { converted: [], left: [] };
  for (const [machine, { definition, file: own }] of machines) {
    if ((chosen !== undefined && machine !== chosen) || own !== undefined) continue;
    if (definition.in !== "template") {
      note(
        definition.in === "file"
          ? `${machine}: its definition is in ${definition.path}: convert that file`
          : `${machine}: its definition is a string in the template, which cannot be converted`,
      );
      continue;
    }
    const path = pointerSteps(definition.pointer);
    const { converted, left } = convertAt(document, path, definitionOf(path.reduce(memberOf, value), file));
    all.converted.push(...converted);
    all.left.push(...left.map((one) => ({ machine, ...one })));
  }
  return all;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return Array.isArray(value) ? value[Number(name)] : isObject(value) ? value[name] : undefined;
}

function definitionOf(value: JsonValue | undefined, file: string): JsonObject {
  if (!isObject(value) || typeof value.States !== "object" || value.States === null)
    throw new Unusable(`${file} is not a definition: it has no States`);
  return value;
}

function convertAt(document: Document, path: string[], definition: JsonObject): Report {
  const { definition: result, converted, left } = toJsonata(definition);
  replace(document, path, definition, result);
  return { converted, left };
}

/** Returns the value with the intrinsic functions of CloudFormation in their long forms. */
function longForms(document: Document, file: string): JsonValue {
  // The values were read before, so that they contain nothing that JSON cannot express.
  return valueOfDocument(
    readYaml(document.toString({ lineWidth: 0 }), { customTags: intrinsicTags(), merge: true, uniqueKeys: false }),
    file,
  ) as JsonValue;
}

/** Changes the nodes that differ. All other nodes stay as they are written, with their comments. */
function replace(document: Document, path: string[], old: JsonValue | undefined, now: JsonValue): void {
  if (same(old, now)) return;
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (!isMap(node) || !isObject(old) || !isObject(now) || isState(old)) {
    const created = document.createNode(now);
    graft(created, node, now, old);
    document.setIn(path, created);
    return;
  }
  for (const key of Object.keys(old)) if (!Object.hasOwn(now, key)) node.delete(key);
  for (const [key, value] of Object.entries(now)) if (Object.hasOwn(old, key)) replace(document, [...path, key], old[key], value);
  for (const [key, value] of Object.entries(now)) if (!Object.hasOwn(old, key)) insert(document, node, key, value);
}

/** Adds a member. QueryLanguage goes before the states that it applies to. */
function insert(document: Document, node: YAMLMap, key: string, value: JsonValue): void {
  const pair = document.createPair<Node, Node>(key, value);
  const before = node.items.findIndex((item) => nameOf(item) === "StartAt");
  const first = node.items[0]?.key;
  if (before === 0 && isScalar(first) && first.commentBefore) {
    pair.key.commentBefore = first.commentBefore;
    first.commentBefore = null;
  }
  node.items.splice(before < 0 ? node.items.length : before, 0, pair);
}

/** Returns the name of a member. */
function nameOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key);
}

function isState(value: JsonObject): boolean {
  return typeof value.Type === "string" && value.States === undefined;
}

/** Reuses the nodes of unchanged values in a new node, with their comments, tags and style. */
function graft(created: unknown, node: unknown, now: JsonValue | undefined, old: JsonValue | undefined): void {
  if (isSeq(created) && isSeq(node) && Array.isArray(now) && Array.isArray(old)) {
    for (const [i, item] of created.items.entries()) {
      if (same(now[i], old[i])) created.items[i] = node.items[i];
      else graft(item, node.items[i], now[i], old[i]);
    }
  }
  if (!isMap(created) || !isMap(node) || !isObject(now) || !isObject(old)) return;
  if (node.flow !== undefined) created.flow = node.flow;
  created.comment = node.comment;
  created.commentBefore = node.commentBefore;
  for (const pair of created.items) {
    const name = nameOf(pair);
    const from = name === "ItemProcessor" && old.ItemProcessor === undefined ? "Iterator" : name;
    const own = node.items.find((item) => isScalar(item.key) && nameOf(item) === from);
    if (own === undefined || old[from] === undefined) continue;
    if (from === name) pair.key = own.key;
    if (same(now[name], old[from])) pair.value = own.value;
    else graft(pair.value, own.value, now[name], old[from]);
  }
}

function same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function asJson(document: Document, file: string): string {
  return `${JSON.stringify(longForms(document, file) ?? null, null, 2)}\n`;
}

function asYaml(document: Document, wasJson: boolean): string {
  if (wasJson) {
    // JSON is YAML in flow style with quoted strings. This sets the usual style of YAML.
    visit(document, {
      Collection: (_, node) => void (node.flow = node.items.length === 0),
      Scalar: (_, node) => {
        if (typeof node.value !== "string") return;
        if (node.value.includes("\n")) node.type = "BLOCK_LITERAL";
        else delete node.type;
      },
    });
    if (isMap(document.contents) || isSeq(document.contents)) document.contents.spaceBefore = false;
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function hasComments(document: Document): boolean {
  let found = Boolean(document.comment || document.commentBefore);
  visit(document, {
    Node: (_, node) => void (found ||= Boolean(node.comment || node.commentBefore)),
    Pair: (_, { key }) => void (found ||= isNode(key) && Boolean(key.commentBefore)),
  });
  return found;
}

function printError({ converted, left }: Report): void {
  const { yellow, dim } = colors(process.stderr);
  process.stderr.write(`${count(converted.length, "state")} in JSONata${left.length > 0 ? `, ${left.length} left in JSONPath:` : ""}\n`);
  for (const { machine, state, pointer, reason } of left)
    process.stderr.write(`  ${yellow(machine === undefined ? state : `${machine}: ${state}`)}  ${reason} ${dim(pointer)}\n`);
}
