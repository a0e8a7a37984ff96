// A search for service integrations by name. The table of integrations is loaded with the first search.

import type { NewState } from "stepglass";
import type { IntegrationPattern, integrationOf, searchIntegrations, taskState } from "stepglass/integrations";
import type { Option, OptionGroup } from "./options.ts";

/** Loads the table of integrations. */
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

/** Returns the best matches, each with its integration patterns. There is no group if nothing matches. */
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

/** Returns a task that calls a service, with its required fields. `id` is the id of an option without its first word. */
export async function serviceTask(load: Load, id: string, queryLanguage: "JSONPath" | "JSONata"): Promise<NewState> {
  const [pattern, resource] = [id.slice(0, id.indexOf(" ")) as IntegrationPattern, id.slice(id.indexOf(" ") + 1)];
  const table = await load();
  const found = await table.integrationOf(resource);
  if (!found) return { type: "Task", fields: { Resource: resource } };
  const { Type: _, ...fields } = table.taskState(found, { pattern, queryLanguage });
  return { type: "Task", name: nameOf(found.action), fields };
}

/** Returns a name made from the action, such as `Send message`. */
function nameOf(action: string): string {
  const words = action.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the query language of a definition, which new states use too. */
export function languageOf(json: string): "JSONPath" | "JSONata" {
  try {
    return (JSON.parse(json) as { QueryLanguage?: string }).QueryLanguage === "JSONata" ? "JSONata" : "JSONPath";
  } catch {
    return "JSONPath";
  }
}
