// Reads the state machines of a parsed document of any tool. The command, the library and the page use it.

import { isObject } from "../../core/base/json.ts";
import { isCloudFormation, machinesOfTemplate } from "./cloudformation.ts";
import type { Known, Machine } from "./template-machine.ts";
import { isServerless, machinesOfServerless } from "./serverless.ts";
import { isTerraform, machinesOfTerraform } from "./terraform.ts";

/** Returns the state machines of a document by id. Undefined if it is not a template. */
export function machinesOf(document: unknown, known: Known = {}): Map<string, Machine> | undefined {
  if (!isObject(document) || document.States !== undefined) return undefined;
  if (isCloudFormation(document)) return machinesOfTemplate(document, known);
  if (isServerless(document)) return machinesOfServerless(document, known);
  if (isTerraform(document)) return machinesOfTerraform(document, known);
  return undefined;
}
