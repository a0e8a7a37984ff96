// Calls of services, found by their names: the table of integrations is loaded with the first search.

import type { NewState } from "stepglass";
import type { Integration, IntegrationPattern } from "stepglass/integrations";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import * as workspace from "../store/workspace.ts";
import type { Option, OptionGroup } from "./picking.ts";

const MOST = 12;
const load = () => import("stepglass/integrations");

const SHOWN: Record<IntegrationPattern, string> = {
  requestResponse: "",
  sync: ", and wait for the job",
  "sync:2": ", and wait for the job",
  waitForTaskToken: ", and wait for its token",
};

/// The best matches, each with the patterns that it has.
export async function searchServices(text: string): Promise<readonly OptionGroup[]> {
  const { searchIntegrations } = await load();
  const found = await searchIntegrations(text, { limit: MOST, optional: false });
  const options = found.flatMap(({ title, action, patterns, optimized }): Option[] =>
    patterns
      .filter(({ pattern }) => pattern !== "sync" || !patterns.some((other) => other.pattern === "sync:2"))
      .map(({ pattern, resource }) => ({
        id: `service ${pattern} ${resource}`,
        title: `${title}: ${action}${SHOWN[pattern]}`,
        detail: `${optimized ? "" : "AWS SDK · "}${resource.replace("arn:aws:states:::", "")}`,
        type: "Task",
        service: resource.replace("arn:aws:states:::", "").replace("aws-sdk:", "").split(":")[0]!,
      })),
  );
  return [{ title: "Services", options: options.slice(0, 2 * MOST) }];
}

/// The fields of a task that calls a service: what it needs, in the machine's query language.
export async function serviceState(id: string): Promise<NewState> {
  const [pattern, resource] = [id.slice(0, id.indexOf(" ")) as IntegrationPattern, id.slice(id.indexOf(" ") + 1)];
  const { integrationOf, taskState } = await load();
  const found: Integration | undefined = await integrationOf(resource);
  if (!found) return { type: "Task", fields: { Resource: resource } };
  const { Type: _, ...fields } = taskState(found, { pattern, queryLanguage: await machineLanguage() });
  return { type: "Task", name: nameOf(found), fields };
}

/// `Send message`, after the action.
function nameOf({ action }: Integration): string {
  const words = action.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/// That of the machine, in which new states are written.
export async function machineLanguage(): Promise<"JSONPath" | "JSONata"> {
  if (analysis.latest.peek() === null) return "JSONPath";
  try {
    const json = await interpreter.query("json", { text: workspace.definition.value, format: workspace.format.value });
    return (JSON.parse(json) as { QueryLanguage?: string }).QueryLanguage === "JSONata" ? "JSONata" : "JSONPath";
  } catch {
    return "JSONPath";
  }
}
