// Reads what the user has dropped, selected or pasted. Its contents determine what it is, and not its name.

import { decode } from "../model/linkText.ts";
import type { Workspace } from "../model/share.ts";
import type { Recorded } from "../model/recorded.ts";
import { isRecorded, readRecorded } from "../model/recorded.ts";
import { isSession, sessionOf } from "./session.ts";
import type { ServiceModel } from "stepglass/service-model";
import { type Placeholder, type Template, placeholdersOf, readConfiguration, readTemplate } from "./template.ts";

export type Imported =
  | { kind: "definition"; title: string; format: "json" | "yaml"; definition: string; placeholders: Placeholder[] }
  | { kind: "template"; title: string; template: Template; file: string; text: string }
  | { kind: "project"; project: unknown }
  | { kind: "recorded"; recorded: Recorded }
  | { kind: "model"; model: ServiceModel }
  | { kind: "workspace"; workspace: Workspace };

/** The maximum size of a file, in bytes. */
export const LARGEST = 64 * 1024 * 1024;

/** Throws an Error that says why there is nothing to open. Pasted text has no file name. */
export async function read(text: string, file?: string): Promise<Imported> {
  const name = file ?? "The text";
  const fromFile = file?.replace(/(\.asl|\.asldbg|\.history)?\.(json|ya?ml|asl|template|tf|sfnrun)$/i, "") ?? "";
  const title = fromFile || "Untitled";
  const trimmed = text.trim();
  if (trimmed === "") throw new Error(`${name} is empty.`);
  const link = /#(v\d+\.[\w-]+=*)$/.exec(trimmed);
  if (link && !/[\n{]/.test(trimmed)) return { kind: "workspace", workspace: await decode(link[1]!) };
  if (/\.tf$/i.test(name) || /^resource\s+"aws_sfn_state_machine"/m.test(trimmed)) {
    const template = readConfiguration(text);
    if (template === undefined) throw new Error(`${name} has no state machine.`);
    return { kind: "template", title, template, file: file ?? "main.tf", text };
  }
  let value: unknown;
  let format: "json" | "yaml" = "json";
  try {
    value = JSON.parse(trimmed);
  } catch (error) {
    // A definition with an error is opened, and the editor shows the position of the error.
    if (/^[[{"]/.test(trimmed) && !/\.ya?ml$/i.test(name))
      return { kind: "definition", title, format, definition: text, placeholders: placeholdersOf(text) };
    format = "yaml";
    value = await fromYaml(trimmed, error as Error);
  }
  if (isSession(value)) return { kind: "workspace", workspace: sessionOf(value) };
  const template = readTemplate(value);
  if (template !== undefined)
    return { kind: "template", title, template, file: file ?? (format === "json" ? "template.json" : "template.yaml"), text };
  if (isProject(value)) return { kind: "project", project: value };
  if (isModel(value)) return { kind: "model", model: value };
  if (isRecorded(value)) return { kind: "recorded", recorded: readRecorded(value, fromFile) };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`${name} contains no definition, template, history or session.`);
  const described = value as Record<string, unknown>;
  // The output of `aws stepfunctions describe-state-machine` has the definition as a string.
  if (described["States"] === undefined && typeof described["definition"] === "string") {
    const { definition } = described as { definition: string };
    return {
      kind: "definition",
      title: String(described["name"] ?? title),
      format: "json",
      definition,
      placeholders: placeholdersOf(definition),
    };
  }
  return { kind: "definition", title, format, definition: text, placeholders: placeholdersOf(text) };
}

/** Returns whether it is a project of this page, of any version. */
function isProject(value: unknown): boolean {
  return typeof value === "object" && value !== null && /^stepglass\/project\/\d+$/.test(String((value as { kind?: unknown }).kind));
}

/** Returns whether it is AWS's API model of a service, as botocore and aws-sdk have it. */
function isModel(value: unknown): value is ServiceModel {
  const { operations, shapes, metadata } = (value ?? {}) as Partial<ServiceModel>;
  return typeof operations === "object" && typeof shapes === "object" && typeof metadata?.serviceId === "string";
}

/** Reads YAML with CloudFormation's tags, each converted to its function. */
async function fromYaml(text: string, why: Error): Promise<unknown> {
  const [{ readYaml }, { intrinsicTags }] = await Promise.all([import("stepglass/yaml-document"), import("stepglass/tags")]);
  const document = readYaml(text, { merge: true, prettyErrors: false, customTags: intrinsicTags() });
  // Incomplete YAML is opened too. A text that is neither is reported.
  if (document.errors.length > 0) {
    if (/^[\w"']+:/m.test(text)) return { StartAt: "" };
    throw new Error(`The text is neither JSON nor YAML: ${why.message}`);
  }
  return document.toJS({ maxAliasCount: 100 });
}
