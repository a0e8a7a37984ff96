// Finds the definitions below a folder.

import { readdirSync, readFileSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "../../core/base/errors.ts";
import type { Machine } from "../sources/template-machine.ts";
import { isMachineBlock } from "../sources/terraform.ts";
import { valueOf } from "./document.ts";
import { Unusable } from "./problem.ts";
import { read } from "./reading.ts";
import { assemblyFolder, siblingPath, isHcl, machinesIn, machinesInHcl } from "./templates.ts";

const DEFINITION = /\.asl\.(json|ya?ml)$/i;
const MAY_BE_TEMPLATE = /\.(json|ya?ml|template|tf)$/i;
/** Matches every template that contains state machines. */
const MACHINES = /AWS::(StepFunctions|Serverless)::StateMachine|aws_sfn_state_machine|^\s*["']?stepFunctions["']?\s*:/m;
/** Matches templates that may include state machines from other files. */
const CALLS = /AWS::CloudFormation::Stack|AWS::Serverless::Application|AWS::Include|step-functions|^module\s+"/m;

/**
 * Returns the definitions below a folder: files `*.asl.json`, `*.asl.yaml`, `*.asl.yml`, templates with state machines, and folders
 * that `cdk synth` has written. Other packages (node_modules) and folders whose name begins with a dot are skipped, and links to
 * folders are not followed. Files that cannot be read are added to `problems`. A template with state machines that cannot be parsed
 * is returned, too, because it has problems to report.
 */
export function definitionsBelow(folder: string, problems: { file: string; message: string }[]): string[] {
  // Templates that another one deploys are read together with that.
  const nested = new Set<string>();
  const found = below(folder, problems, nested);
  return found.filter((file) => !nested.has(file));
}

function below(folder: string, problems: { file: string; message: string }[], nested: Set<string>): string[] {
  const found: string[] = [];
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    problems.push({
      file: folder,
      message: `cannot read ${folder}: ${codeOf(error) === "EACCES" ? "permission denied" : messageOf(error)}`,
    });
    return found;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name === "node_modules" || entry.name.startsWith(".")) continue;
      if (assemblyFolder(path) === undefined) found.push(...below(path, problems, nested));
      else found.push(path);
    } else if (DEFINITION.test(entry.name)) found.push(path);
    else if (MAY_BE_TEMPLATE.test(entry.name)) {
      try {
        if (isTemplate(path, nested)) found.push(path);
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        problems.push({ file: path, message: error.message });
      }
    }
  }
  return found;
}

/** Returns whether a file is a template with a state machine. Throws Unusable for a file that may be one and cannot be read. */
function isTemplate(file: string, nested: Set<string>): boolean {
  const text = textOf(file);
  if (text === undefined || !(MACHINES.test(text) || CALLS.test(text))) return false;
  if (isHcl(file)) {
    const { machines, faults, files } = machinesInHcl(file, text, {});
    for (const path of files) nested.add(siblingPath(file, path));
    return machines.size > 0 || faults.some(({ block }) => isMachineBlock(block));
  }
  let machines: Map<string, Machine> | undefined;
  try {
    const value = valueOf(file, text);
    if (value === undefined) return MACHINES.test(text);
    machines = machinesIn(file, value, {});
  } catch (error) {
    // The error is reported when the template itself is read.
    if (error instanceof Unusable || error instanceof RangeError) return MACHINES.test(text);
    throw error;
  }
  for (const machine of machines?.values() ?? []) if (machine.file !== undefined) nested.add(machine.file);
  return (machines?.size ?? 0) > 0;
}

/** Returns the text of a file. Undefined if it is not a text, or a broken link. */
function textOf(file: string): string | undefined {
  try {
    return read(file);
  } catch (error) {
    let bytes: string;
    try {
      bytes = readFileSync(file, "latin1");
    } catch (reason) {
      if (codeOf(reason) === "EACCES" || codeOf(reason) === "EPERM") throw error;
      return undefined;
    }
    if (MACHINES.test(bytes)) throw error;
    return undefined;
  }
}
