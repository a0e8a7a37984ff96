// The definitions below a folder.

import { readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "../base/errors.ts";
import { valueOf } from "./document.ts";
import { read } from "./reading.ts";
import { assemblyFolder, isHcl, machinesIn, machinesInHcl } from "./templates.ts";

const DEFINITION = /\.asl\.(json|ya?ml)$/i;
const MAY_BE_TEMPLATE = /\.(json|ya?ml|template|tf)$/i;
const TEMPLATE =
  /AWS::(StepFunctions|Serverless)::StateMachine|AWS::CloudFormation::Stack|AWS::Serverless::Application|aws_sfn_state_machine|step-functions|^\s*["']?stepFunctions["']?\s*:/m;

/**
 * The definitions below a folder: files `*.asl.json`, `*.asl.yaml`, `*.asl.yml`, templates with state machines, and folders that
 * `cdk synth` has written. Other packages (node_modules) and folders whose name begins with a dot are passed over, and links to folders
 * not followed. `problems` gets what cannot be read.
 */
export function definitionsBelow(folder: string, problems: { file: string; message: string }[]): string[] {
  // A template that another one deploys is read with that.
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
    else if (MAY_BE_TEMPLATE.test(entry.name) && isTemplate(path, nested)) found.push(path);
  }
  return found;
}

/** Whether a file is a template with a state machine in it. What cannot be read is none. */
function isTemplate(file: string, nested: Set<string>): boolean {
  try {
    const text = read(file);
    if (!TEMPLATE.test(text)) return false;
    const machines = isHcl(file) ? machinesInHcl(file, text, {}).machines : machinesIn(file, valueOf(file, text), {});
    for (const machine of machines?.values() ?? []) if (machine.file !== undefined) nested.add(machine.file);
    return (machines?.size ?? 0) > 0;
  } catch {
    return false;
  }
}
