// The catalogue of all integrations. It is read from the tables on first use.

import type { Integration, IntegrationParameter, IntegrationPattern } from "../api/integrations.d.ts";
import { camelCased } from "./names.ts";
import { type NamedType, OPTIMIZED, type OptimizedAction } from "./optimized.ts";
import SERVICES from "./tables/services.json";

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
  /** Its required parameters, as in the table. */
  required: string;
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
export const sdkServices: readonly SdkService[] = (SERVICES as readonly (Partial<SdkService> & Pick<SdkService, "name" | "title">)[]).map(
  ({ name, title, prefix = name, folder = name }) => ({ name, prefix, folder, title }),
);

/** For each service, its actions with their required parameters. tables/README.md describes the texts. */
type ActionTable = readonly Readonly<Record<string, string>>[];

/** For each service, the optional parameters of its actions, in the order of the actions. */
type ParameterTable = readonly (readonly string[])[];

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
  #optional: ParameterTable | undefined;

  constructor(actions: ActionTable) {
    const sdk = sdkServices.flatMap(({ name, title }, service) =>
      Object.entries(actions[service] ?? {}).map(([operation, required], number): Entry => {
        const at = { service, action: number, required };
        return { service: `aws-sdk:${name}`, title, action: camelCased(operation), optimized: undefined, at };
      }),
    );
    const places = new Map(sdk.map(({ service, action, at }) => [`${service}:${action}`, at]));
    const optimized = Object.entries(OPTIMIZED).flatMap(([service, { title, sdk: name, actions }]) =>
      Object.entries(actions).map(([action, optimized]): Entry => ({
        service,
        title,
        action,
        optimized,
        at: optimized.own ? undefined : places.get(`aws-sdk:${name}:${optimized.operation ?? action}`),
      })),
    );
    this.entries = [...optimized, ...sdk];
  }

  /** Whether the optional parameters are loaded. */
  get complete(): boolean {
    return this.#optional !== undefined;
  }

  /** Adds the optional parameters. */
  complement(parameters: ParameterTable): void {
    this.#optional = parameters;
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
    if (at !== undefined) take(parametersOf(at.required), true);
    if (withOptional) {
      take(optimized?.optional, false);
      if (at !== undefined) take(parametersOf(this.#optional?.[at.service]?.[at.action] ?? ""), false);
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
}

/** Returns the parameters of a text of the tables: `TableName Key:object`. */
function parametersOf(text: string): NamedType[] {
  return (text === "" ? [] : text.split(" ")).map((parameter) => {
    const [name = "", type = "string"] = parameter.split(":");
    return { name, type: type as NamedType["type"] };
  });
}
