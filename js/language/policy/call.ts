// The call of a state, for a policy: its parameters in the definition, and the permissions that were found.

import { partitionOf } from "../../core/base/partition.ts";
import type { PolicyGap, PolicyOptions, PolicyStatement } from "../../core/api/integrations.d.ts";
import { isObject } from "../../core/base/json.ts";

/** A string of the definition, as far as it is known. If it has placeholders, `text` has `*` in place of each. */
export type Known = { text: string; reason?: undefined; pointer: string } | { text?: string; reason: PolicyGap["reason"]; pointer: string };

/** Resources of a permission, and why they are not exact. */
export interface Found {
  resources: string[];
  gap?: Pick<PolicyGap, "reason" | "pointer" | "message">;
}

type Condition = PolicyStatement["Condition"];

/** A permission for one resource. */
export interface Permission {
  action: string;
  resource: string;
  condition: Condition;
}

/** The permissions and gaps of all states. */
export interface Collected {
  permissions: Permission[];
  gaps: PolicyGap[];
}

/** A state's call of an API. `template` is the template of the request. Undefined if the request is the input. */
export class Call {
  readonly state: string;
  readonly pointer: string;
  readonly options: PolicyOptions;
  /** Whether the task waits for a job. */
  readonly sync: boolean;
  readonly #template: unknown;
  /** The pointer of the template. */
  readonly #at: string;
  readonly #collected: Collected;

  constructor(
    collected: Collected,
    state: { name: string; pointer: string },
    { template, at, sync = false, options }: { template: unknown; at: string; sync?: boolean; options: PolicyOptions },
  ) {
    this.#collected = collected;
    this.state = state.name;
    this.pointer = state.pointer;
    this.#template = template;
    this.#at = at;
    this.sync = sync;
    this.options = options;
  }

  /** Returns the value of a member of the request, at any depth. */
  value(...path: string[]): Known {
    return known(this.#template, path, this.#at, this.pointer);
  }

  /** Returns whether the request has a member, known or not. */
  has(name: string): boolean {
    return isObject(this.#template) && (Object.hasOwn(this.#template, name) || Object.hasOwn(this.#template, `${name}.$`));
  }

  /** Returns the value of a member of the request in the definition. */
  request(name: string): unknown {
    return isObject(this.#template) ? this.#template[name] : undefined;
  }

  /** The names of the request's members. */
  get members(): string[] {
    return isObject(this.#template) ? Object.keys(this.#template).map((name) => name.replace(/\.\$$/, "")) : [];
  }

  /** Returns the same call with a part of the request as its template. */
  within(template: unknown, place: string): Call {
    const { state: name, pointer, sync, options } = this;
    return new Call(this.#collected, { name, pointer }, { template, at: `${this.#at}/${place}`, sync, options });
  }

  /** Returns a list of the request in the definition. Undefined if it is computed. */
  list(name: string): unknown[] | undefined {
    const list = isObject(this.#template) ? this.#template[name] : undefined;
    return Array.isArray(list) ? list : undefined;
  }

  /** Returns the ARN of a resource in the machine's region and account. */
  arn(service: string, resource: string, { region = this.options.region ?? "*", account = this.options.account ?? "*" } = {}): string {
    return `arn:${this.options.partition ?? partitionOf(region)}:${service}:${region}:${account}:${resource}`;
  }

  /** Returns the resource that a parameter identifies: its ARN, or the ARN for its name by `resourceOf`. */
  find(parameter: string | string[], service: string, resourceOf: (name: string) => string): Found {
    const path = typeof parameter === "string" ? [parameter] : parameter;
    return this.resource(path, (name) => (name.startsWith("arn:") ? name : this.arn(service, resourceOf(name))));
  }

  /** Returns the resource that a parameter identifies, as an ARN by `arnOf`. An unknown one is `*`. */
  resource(path: string[], arnOf: (name: string) => string): Found {
    const { text, reason, pointer } = this.value(...path);
    const resources = [arnOf(text ?? "*")];
    if (reason === undefined) return { resources };
    return { resources, gap: { reason, pointer, message: reasonOf(reason, path.join(".")) } };
  }

  /** Adds actions for resources. */
  allow(actions: string | string[], found: Found | string | string[], condition?: Condition): void {
    const list = typeof actions === "string" ? [actions] : actions;
    const { resources, gap }: Found =
      typeof found === "string" ? { resources: [found] } : Array.isArray(found) ? { resources: found } : found;
    for (const resource of resources) for (const action of list) this.#collected.permissions.push({ action, resource, condition });
    if (gap !== undefined) this.#collected.gaps.push({ state: this.state, ...gap, actions: list, granted: resources });
  }

  /** Adds a gap: a permission that the policy lacks. */
  lacks(actions: string | string[], reason: PolicyGap["reason"], message: string, pointer = this.pointer): void {
    const list = typeof actions === "string" ? [actions] : actions;
    this.#collected.gaps.push({ state: this.state, pointer, reason, message, actions: list, granted: [] });
  }

  /** Adds the permission to pass a role to the called service. A role by expression is not granted, because it could be any. */
  passes(parameter: string | string[], service?: string): void {
    const path = typeof parameter === "string" ? [parameter] : parameter;
    const { text, reason, pointer } = this.value(...path);
    if (reason === "missing") return;
    if (text === undefined || /^\*?$/.test(text)) {
      this.lacks(
        "iam:PassRole",
        reason ?? "expression",
        `${reasonOf(reason ?? "expression", path.join("."))}: add iam:PassRole for the role`,
        pointer,
      );
      return;
    }
    const role = text.startsWith("arn:") ? text : this.arn("iam", `role/${text}`, { region: "" });
    this.allow("iam:PassRole", role, service === undefined ? undefined : { StringEquals: { "iam:PassedToService": service } });
  }

  /** Adds permissions for the rule by which EventBridge notifies Step Functions about a job. */
  rule(name: string): void {
    if (this.sync) this.allow(["events:PutTargets", "events:PutRule", "events:DescribeRule"], this.arn("events", `rule/${name}`));
  }

  /** Adds actions that a task needs only if it waits for its job. */
  whileWaiting(actions: string | string[], found: Found | string): void {
    if (this.sync) this.allow(actions, found);
  }
}

/** Describes in a sentence why a name is unknown. */
export function reasonOf(reason: PolicyGap["reason"], name: string): string {
  switch (reason) {
    case "expression":
      return `${name} is computed`;
    case "placeholder":
      return `${name} has a placeholder`;
    default:
      return `${name} is not in the definition`;
  }
}

/** Returns the value of a template at a path of members. */
function known(template: unknown, path: readonly string[], at: string, state: string): Known {
  let value = template;
  let pointer = at;
  if (template === undefined) return { reason: "expression", pointer: state };
  for (const name of path) {
    if (typeof value === "string") return { reason: "expression", pointer };
    if (!isObject(value)) return { reason: "missing", pointer: at };
    if (Object.hasOwn(value, `${name}.$`)) return { reason: "expression", pointer: `${pointer}/${escaped(name)}.$` };
    if (!Object.hasOwn(value, name)) return { reason: "missing", pointer: at };
    value = value[name];
    pointer += `/${escaped(name)}`;
  }
  return textOf(value, pointer);
}

/** Returns what is known of a value that stands for a string. */
export function textOf(value: unknown, pointer: string): Known {
  // The value may be a function of CloudFormation, such as {"Ref": "Table"}.
  if (typeof value !== "string") return { reason: isObject(value) ? "placeholder" : "missing", pointer };
  // A state that is being edited has empty parameters.
  if (value === "") return { reason: "missing", pointer };
  const expression = /^\{%([^]*)%\}$/.exec(value)?.[1]?.trim();
  if (expression !== undefined) {
    const literal = /^(?:"([^"\\]*)"|'([^'\\]*)')$/.exec(expression);
    return literal ? { text: literal[1] ?? literal[2] ?? "", pointer } : { reason: "expression", pointer };
  }
  const text = value.replaceAll(/\$\{[^}]*\}/g, "*");
  return text === value ? { text, pointer } : { text, reason: "placeholder", pointer };
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
