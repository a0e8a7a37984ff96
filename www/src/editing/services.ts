// The service integrations in the page's menus.

import type { NewState } from "stepglass";
import { languageOf, serviceOptions, serviceTask } from "../graph-editor/kernel/services.ts";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import * as workspace from "../store/workspace.ts";
import type { OptionGroup } from "../graph-editor/kernel/options.ts";

const load = () => import("stepglass/integrations");

export const searchServices = (text: string): Promise<readonly OptionGroup[]> => serviceOptions(load, text);

/** Returns a task that calls a service, with its required fields in the machine's query language. */
export const serviceState = async (id: string): Promise<NewState> => serviceTask(load, id, await machineLanguage());

/** Returns the query language of the machine, which new states use too. */
export async function machineLanguage(): Promise<"JSONPath" | "JSONata"> {
  if (analysis.latest.peek() === null) return "JSONPath";
  try {
    return languageOf(await interpreter.query("json", { text: workspace.definition.value, format: workspace.format.value }));
  } catch {
    return "JSONPath";
  }
}
