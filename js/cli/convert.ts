// @ts-nocheck: has no types yet.
// stepglass convert

import { YAMLMap, isMap, isScalar, isSeq, parseDocument, visit } from "yaml";
import { pointerSteps } from "../base/pointer.ts";
import { PLACEHOLDER } from "../convert/expressions.ts";
import { toJsonata } from "../convert/jsonata.ts";
import { jsonHoles } from "../definition/placeholders.ts";
import { yamlHoles } from "../definition/yaml.ts";
import { Unusable } from "../files/problem.ts";
import { isFaultyTemplate, read, split, valueOfDocument, write, yamlDocument } from "../files/source.ts";
import { intrinsicTags, machinesOf } from "../definition/template.ts";
import { colors, count, writeJson } from "../files/terminal.ts";

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
in JSONPath, each with the reason. What fails in JSONPath fails in JSONata: an expression first asks what its path
takes for granted, such as $type($states.input) = "object". A failed expression raises States.QueryEvaluationError
instead of States.Runtime; the command adds a retrier and a catcher where States.ALL would handle that.

Options
  -o, --output FILE   the file to write; default: standard output
      --to FORMAT     json or yaml; default: by the output file's extension; otherwise the other format, or with
                      --jsonata the same
      --jsonata       converts JSONPath to JSONata, state by state
      --json          {output, converted, left: [{state, pointer, reason}], notes: [text]}, with the output as text

Exit code: 0 success; 1 with --jsonata, some states were left in JSONPath; 2 wrong usage.
`;

export const command = {
  name: "convert",
  summary: "convert between JSON and YAML, and from JSONPath to JSONata",
  help,
  options: { output: { type: "string", short: "o", file: true }, to: { type: "string", values: ["json", "yaml"] }, jsonata: { type: "boolean" }, json: { type: "boolean" } },
  act: convert,
};

async function convert(files, { output, to, jsonata, json }) {
  if (files.length !== 1) throw new Unusable("convert needs one file", { usage: true });
  const [file, fragment] = split(files[0]);
  if (fragment !== undefined && !jsonata) throw new Unusable("a template is converted as a whole: omit # and the name after it", { usage: true });
  const text = read(file);
  const notes = [];
  const note = (message) => void (json ? notes.push(message) : process.stderr.write(`${colors(process.stderr).yellow("note:")} ${message}\n`));
  const isJson = /\.json$/i.test(file) || (!/\.ya?ml$/i.test(file) && /^\s*[[{]/.test(text));
  const { kept, back } = withTokens(text, isJson);
  const document = documentOf(kept, file, note);
  if (document.errors.length > 0) throw new Unusable(`${file} is not ${isJson ? "JSON" : "YAML"}: ${document.errors[0].message.split("\n")[0]}`);
  // Refused here, where nothing has been written: values too deep, and aliases without end.
  valueOfDocument(document, file);
  const named = /\.json$/i.test(output ?? "") ? "json" : /\.ya?ml$/i.test(output ?? "") ? "yaml" : undefined;
  const format = to ?? named ?? (jsonata === isJson || (!jsonata && !isJson) ? "json" : "yaml");
  const report = jsonata ? convertStates(document, { file, fragment, note }) : { converted: [], left: [] };
  const written = back(format === "json" ? asJson(document, file) : asYaml(document, isJson));
  if (format === "json" && !isJson && /(^|\s)#/m.test(text) && hasComments(document)) note("JSON has no comments: the file's comments are lost");
  if (output !== undefined) write(output, written);
  if (json) writeJson({ output: written, ...report, notes });
  else if (output === undefined) process.stdout.write(written);
  if (jsonata && !json) tell(report);
  return report.left.length > 0 ? 1 : 0;
}

/** The document; a key that stands twice outside of a template's state machines stays as it is. */
function documentOf(text, file, note) {
  const options = { keepSourceTokens: false, prettyErrors: true };
  const document = yamlDocument(text, options);
  if (document.errors.length === 0 || !document.errors.every(({ code }) => code === "DUPLICATE_KEY") || !isFaultyTemplate(document, file)) return document;
  for (const { message } of document.errors) note(`${file}: ${message.split("\n")[0].replace(/:$/, "")} (in a part of the template that is no state machine)`);
  return yamlDocument(text, { ...options, uniqueKeys: false });
}

/** `{kept, back}`: the text with a word for each placeholder that no reader takes, and what puts placeholders back for the words. */
function withTokens(text, isJson) {
  const holes = (isJson ? jsonHoles(text) : yamlHoles(text)).filter(({ quoted, plain }) => quoted === undefined && !plain);
  let kept = "";
  let at = 0;
  holes.forEach(({ start, end }, i) => {
    kept += `${text.slice(at, start)}${JSON.stringify(`${PLACEHOLDER}${i}`)}`;
    at = end;
  });
  const back = (written) => written.replace(new RegExp(`"?${PLACEHOLDER}(\\d+)"?`, "g"), (_, i) => text.slice(holes[i].start, holes[i].end));
  return { kept: kept + text.slice(at), back };
}

/** Puts every state that can be converted in place of the original one. */
function convertStates(document, { file, fragment, note }) {
  const value = longForms(document, file);
  const machines = machinesOf(value, file);
  const places = [];
  if (machines === undefined) places.push({ pointer: [], definition: value, machine: undefined });
  for (const [id, { definition }] of machines ?? []) {
    if (fragment !== undefined && id !== fragment) continue;
    if (definition.in !== "template") {
      note(definition.in === "file" ? `${id}: its definition is in ${definition.path}: convert that file` : `${id}: its definition is a string in the template, which cannot be converted`);
      continue;
    }
    const steps = pointerSteps(definition.pointer);
    places.push({ pointer: steps, definition: steps.reduce((at, step) => at[step], value), machine: id });
  }
  if (fragment !== undefined && !machines?.has(fragment)) throw new Unusable(`${file} has no state machine ${fragment}`);
  const all = { converted: [], left: [] };
  for (const { pointer, definition, machine } of places) {
    if (typeof definition?.States !== "object" || definition.States === null) throw new Unusable(`${file} is not a definition: it has no States`);
    const { definition: result, converted, left } = toJsonata(definition);
    replace(document, pointer, definition, result);
    const of = machine === undefined ? {} : { machine };
    all.converted.push(...converted);
    all.left.push(...left.map((one) => ({ ...of, ...one })));
  }
  return all;
}

/** The value with CloudFormation's functions in their long forms. */
function longForms(document, file) {
  return valueOfDocument(parseDocument(document.toString({ lineWidth: 0 }), { customTags: intrinsicTags, merge: true, uniqueKeys: false }), file);
}

/** Sets what differs, and leaves every other node as it was written, with its comments. */
function replace(document, path, old, now) {
  if (JSON.stringify(old) === JSON.stringify(now)) return;
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (!isMap(node) || !plainObject(old) || !plainObject(now) || isState(old)) {
    const created = document.createNode(now);
    graft(created, node, now, old);
    document.setIn(path, created);
    return;
  }
  for (const key of Object.keys(old)) if (!Object.hasOwn(now, key)) node.delete(key);
  const added = Object.keys(now).filter((key) => !Object.hasOwn(old, key));
  for (const [key, value] of Object.entries(now)) if (Object.hasOwn(old, key)) replace(document, [...path, key], old[key], value);
  for (const key of added) {
    const pair = document.createPair(key, now[key]);
    // QueryLanguage stands before the states that it is about.
    const before = node.items.findIndex((item) => String(isScalar(item.key) ? item.key.value : item.key) === "StartAt");
    const first = node.items[0]?.key;
    if (before === 0 && isScalar(first) && first.commentBefore) {
      pair.key.commentBefore = first.commentBefore;
      first.commentBefore = undefined;
    }
    node.items.splice(before < 0 ? node.items.length : before, 0, pair);
  }
}

function isState(value) {
  return plainObject(value) && typeof value.Type === "string" && value.States === undefined;
}

/** Puts the nodes of what stayed the same into a new node: with their comments, tags and style. */
function graft(created, node, now, old) {
  if (!isMap(created) || !isMap(node)) {
    if (!isSeq(created) || !isSeq(node) || !Array.isArray(old)) return;
    created.items.forEach((item, i) => (same(now[i], old[i]) ? (created.items[i] = node.items[i]) : graft(item, node.items[i], now[i], old[i])));
    return;
  }
  created.flow = node.flow;
  created.comment = node.comment;
  created.commentBefore = node.commentBefore;
  for (const pair of created.items) {
    const name = String(pair.key.value);
    const from = name === "ItemProcessor" && old.ItemProcessor === undefined ? "Iterator" : name;
    const own = node.items.find(({ key }) => isScalar(key) && String(key.value) === from);
    if (own === undefined || old[from] === undefined) continue;
    if (from === name) pair.key = own.key;
    if (same(now[name], old[from])) pair.value = own.value;
    else graft(pair.value, own.value, now[name], old[from]);
  }
}

function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

function plainObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asJson(document, file) {
  return `${JSON.stringify(longForms(document, file) ?? null, null, 2)}\n`;
}

function asYaml(document, wasJson) {
  if (wasJson) {
    // JSON is YAML in flow style with every text in quotes: written as people write YAML.
    visit(document, {
      Collection: (_, node) => void (node.flow = node.items.length === 0),
      Scalar: (_, node) => void (typeof node.value === "string" && (node.type = node.value.includes("\n") ? "BLOCK_LITERAL" : undefined)),
    });
    if (document.contents instanceof YAMLMap || isSeq(document.contents)) document.contents.spaceBefore = false;
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function hasComments(document) {
  let found = Boolean(document.comment || document.commentBefore);
  visit(document, { Node: (_, node) => void (found ||= Boolean(node.comment || node.commentBefore)), Pair: (_, pair) => void (found ||= Boolean(pair.key?.commentBefore)) });
  return found;
}

function tell({ converted, left }) {
  const { yellow, dim } = colors(process.stderr);
  process.stderr.write(`${count(converted.length, "state")} in JSONata${left.length > 0 ? `, ${left.length} left in JSONPath:` : ""}\n`);
  for (const { machine, state, pointer, reason } of left) process.stderr.write(`  ${yellow(machine === undefined ? state : `${machine}: ${state}`)}  ${reason} ${dim(pointer)}\n`);
}
