// The catalogue of all integrations. It is read from the tables on first use.

import type { Integration, IntegrationParameter, IntegrationPattern } from "../api/integrations.d.ts";
import { camelCased } from "./names.ts";
import { OPTIMIZED, type OptimizedAction } from "./optimized.ts";
import { SERVICES } from "./services.ts";
import { type NamedType, parametersOf, unpacked } from "./table.ts";

/** An integration without its parameters. */
export interface Entry {
  service: string;
  title: string;
  action: string;
  optimized: OptimizedAction | undefined;
  /** The position of its parameters in the tables, by the indices of service and action. */
  at: Place | undefined;
}

interface Place {
  service: number;
  action: number;
}

/** A service of the AWS SDK integrations. */
interface SdkService {
  name: string;
  /** The prefix of its actions in IAM policies, as in its model. */
  prefix: string;
  /** The folder of its model in botocore, without hyphens. */
  folder: string;
  title: string;
}

/** The services of the AWS SDK integrations, in the order of the tables. */
export const sdkServices: readonly SdkService[] = linesOf(SERVICES).map((line) => {
  const [name = "", prefix = "", folder = "-", ...title] = line.split(" ");
  return { name, prefix, folder: folder === "-" ? name : folder.replaceAll("-", ""), title: title.join(" ") };
});

const SUFFIXES: Readonly<Record<IntegrationPattern, string>> = {
  requestResponse: "",
  sync: ".sync",
  "sync:2": ".sync:2",
  waitForTaskToken: ".waitForTaskToken",
};

const SDK_PATTERNS: readonly IntegrationPattern[] = ["requestResponse", "waitForTaskToken"];

/** All integrations, and the parameters of each. */
export class Catalogue {
  readonly entries: readonly Entry[];
  readonly #required: readonly string[];
  #optional: readonly string[] | undefined;
  readonly #columns = new Map<string, (action: number) => NamedType[]>();

  constructor(actions: string) {
    this.#required = linesOf(actions);
    const places = new Map<string, Place>();
    const sdk = sdkServices.flatMap(({ name, title }, service) =>
      unpacked(this.#required[service]?.split("|", 1)[0] ?? "").map((operation, number): Entry => {
        const action = camelCased(operation);
        const at = { service, action: number };
        places.set(`${name}:${action}`, at);
        return { service: `aws-sdk:${name}`, title, action, optimized: undefined, at };
      }),
    );
    const optimized = Object.entries(OPTIMIZED).flatMap(([service, { title, sdk: name, actions }]) =>
      Object.entries(actions).map(([action, optimized]): Entry => ({
        service,
        title,
        action,
        optimized,
        at: optimized.own ? undefined : places.get(`${name}:${optimized.operation ?? action}`),
      })),
    );
    this.entries = [...optimized, ...sdk];
  }

  /** Whether the optional parameters are loaded. */
  get complete(): boolean {
    return this.#optional !== undefined;
  }

  /** Adds the optional parameters. */
  complement(parameters: string): void {
    this.#optional = linesOf(parameters);
  }

  /** Returns an integration in its public form. */
  integration({ service, title, action, optimized, at }: Entry, withOptional: boolean): Integration {
    const arn = (pattern: IntegrationPattern) => `arn:aws:states:::${service}:${action}${SUFFIXES[pattern]}`;
    const patterns = (optimized?.patterns ?? SDK_PATTERNS).map((pattern) => ({ pattern, resource: arn(pattern) }));
    const parameters = new Map<string, IntegrationParameter>();
    const take = (given: readonly NamedType[] | undefined, required: boolean) => {
      for (const parameter of given ?? []) if (!parameters.has(parameter.name)) parameters.set(parameter.name, { ...parameter, required });
    };
    take(optimized?.required, true);
    if (at !== undefined) take(this.#parameters(at, this.#required, 1), true);
    if (withOptional) {
      take(optimized?.optional, false);
      if (at !== undefined) take(this.#parameters(at, this.#optional, 0), false);
    }
    return {
      service: service.replace("aws-sdk:", ""),
      title: title,
      action,
      resource: arn("requestResponse"),
      optimized: optimized !== undefined,
      patterns,
      parameters: [...parameters.values()].sort((a, b) => Number(b.required) - Number(a.required) || (a.name < b.name ? -1 : 1)),
    };
  }

  /** Returns the parameters of an action. `first` is the column of their names. */
  #parameters({ service, action }: Place, lines: readonly string[] | undefined, first: 0 | 1): NamedType[] {
    const key = `${service} ${first}`;
    let read = this.#columns.get(key);
    if (read === undefined) {
      const columns = lines?.[service]?.split("|") ?? [];
      this.#columns.set(key, (read = parametersOf(columns[first] ?? "", columns[first + 1] ?? "")));
    }
    return read(action);
  }
}

function linesOf(table: string): string[] {
  return table.trim().split("\n");
}
