// The versions of machines, and machines that start no executions any more.

import type { MachineDescription, RuntimeOptions, Store } from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { shown } from "../../core/base/shown.ts";
import type { Programs } from "./programs.ts";

// The collection of documents that have the hash of a version's definition.
// `exportExecutions()` names it, too, and finds the definitions by the member `hash`.
const VERSIONS = "versions";

export class Versions {
  readonly #programs: Programs;
  readonly #versions: Readonly<Record<string, string>>;
  readonly #deprecated: readonly string[];

  constructor({ versions = {}, deprecated = [] }: Pick<RuntimeOptions, "versions" | "deprecated">, programs: Programs) {
    for (const [name, version] of Object.entries(versions))
      if (typeof version !== "string" || version === "")
        throw misuse("INVALID_OPTION", `versions[${JSON.stringify(name)}] must be a text, not ${shown(version)}`);
    if (!Array.isArray(deprecated)) throw misuse("INVALID_OPTION", `deprecated must be a list of machines, not ${shown(deprecated)}`);
    for (const name of [...Object.keys(versions), ...(deprecated as string[])]) programs.registered(name);
    this.#programs = programs;
    this.#versions = versions;
    this.#deprecated = deprecated as readonly string[];
  }

  /** Returns the version of a machine. */
  of(machine: string): string | undefined {
    return Object.hasOwn(this.#versions, machine) ? this.#versions[machine] : undefined;
  }

  /** Stores the definitions of new versions. Throws VERSION_CONFLICT for a version that has another one. */
  async open(store: Store): Promise<void> {
    for (const [machine, version] of Object.entries(this.#versions)) {
      const hash = await this.#programs.store(this.#programs.registered(machine).machine);
      const key = JSON.stringify([machine, version]);
      const known = (await store.document(VERSIONS, key)) as { hash: string } | undefined;
      if (known === undefined) await store.put(VERSIONS, key, { hash });
      else if (known.hash !== hash)
        throw misuse(
          "VERSION_CONFLICT",
          `version ${shown(version)} of ${machine} has another definition in this store: name a new version`,
          Error,
        );
    }
  }

  /** Throws MACHINE_DEPRECATED for a machine that starts no executions any more. */
  check(machine: string): void {
    if (!this.#deprecated.includes(machine)) return;
    throw misuse("MACHINE_DEPRECATED", `${machine} is deprecated: its executions go on, but it starts no more`, Error);
  }

  list(arnOf: (name: string) => string): MachineDescription[] {
    return this.#programs.names.map((name) => {
      const version = this.of(name);
      const { digest: definition } = this.#programs.registered(name).machine;
      const isDeprecated = this.#deprecated.includes(name);
      return {
        name,
        arn: arnOf(name),
        definition,
        ...(version !== undefined && { version }),
        ...(isDeprecated && { deprecated: true as const }),
      };
    });
  }
}
