// Calls of services, found by their names. The table of integrations is loaded with the first search.

import type { NewState } from "stepglass";
import type { IntegrationPattern, integrationOf, searchIntegrations, taskState } from "stepglass/integrations";
import type { Option, OptionGroup } from "./options.ts";

/// Loads the table.
export type Load = () => Promise<{
  searchIntegrations: typeof searchIntegrations;
  integrationOf: typeof integrationOf;
  taskState: typeof taskState;
}>;

const MOST = 12;

const SHOWN: Record<IntegrationPattern, string> = {
  requestResponse: "",
  sync: ", and wait for the job",
  "sync:2": ", and wait for the job",
  waitForTaskToken: ", and wait for its token",
};

/// The best matches, each with the patterns that it has; no group where there are none.
export async function serviceOptions(load: Load, text: string): Promise<readonly OptionGroup[]> {
  const table = await load();
  const found = await table.searchIntegrations(text, { limit: MOST, optional: false });
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
  return options.length === 0 ? [] : [{ title: "Services", options: options.slice(0, 2 * MOST) }];
}

/// A task that calls a service, with the fields that it needs. `id` is an option's, without its first word.
export async function serviceTask(load: Load, id: string, queryLanguage: "JSONPath" | "JSONata"): Promise<NewState> {
  const [pattern, resource] = [id.slice(0, id.indexOf(" ")) as IntegrationPattern, id.slice(id.indexOf(" ") + 1)];
  const table = await load();
  const found = await table.integrationOf(resource);
  if (!found) return { type: "Task", fields: { Resource: resource } };
  const { Type: _, ...fields } = table.taskState(found, { pattern, queryLanguage });
  return { type: "Task", name: nameOf(found.action), fields };
}

/// `Send message`, after the action.
function nameOf(action: string): string {
  const words = action.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/// The query language of a definition, in which new states are written.
export function languageOf(json: string): "JSONPath" | "JSONata" {
  try {
    return (JSON.parse(json) as { QueryLanguage?: string }).QueryLanguage === "JSONata" ? "JSONata" : "JSONPath";
  } catch {
    return "JSONPath";
  }
}
