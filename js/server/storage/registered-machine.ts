// A registered state machine: its revisions, versions and aliases, and its record in the store.

import { createHash } from "node:crypto";
import type { MachineType } from "../../core/api/index.d.ts";
import type { Store } from "../../core/api/durable.d.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import { machineArn } from "../protocol/arn.ts";
import { compile } from "./definitions.ts";
import { ApiError, invalid, noMachine } from "../protocol/errors.ts";
import type { RevisionRecord, Tag } from "./records.ts";
import type { RoutingConfigurationListItem } from "../protocol/shapes.ts";

/** The configuration of a revision: its record without the members that are derived from the definition. */
export type RevisionSource = Omit<RevisionRecord, "hash" | "variableReferences">;

/** A definition with its configuration, and the machine that runs it. */
export class Revision {
  /** The record in the store, which refers to the definition by its hash. */
  readonly record: RevisionRecord;
  readonly definition: string;
  readonly #machine: Machine;
  #compiled: StateMachine | undefined;

  constructor(machine: Machine, record: RevisionRecord, definition: string, compiled?: StateMachine) {
    this.#machine = machine;
    this.record = record;
    this.definition = definition;
    this.#compiled = compiled;
  }

  /** Compiles a definition and returns the revision of the machine. Throws InvalidDefinition. */
  static of(machine: Machine, about: RevisionSource, definition: string): Revision {
    const compiled = compile(definition, optionsOf(machine, about.roleArn));
    const references = compiled.variableReferences;
    const hash = createHash("sha256").update(definition).digest("hex");
    const record = { ...about, hash, ...(Object.keys(references).length > 0 && { variableReferences: references }) };
    return new Revision(machine, record, definition, compiled);
  }

  /** The compiled machine. */
  get compiled(): StateMachine {
    return (this.#compiled ??= new StateMachine(this.definition, optionsOf(this.#machine, this.record.roleArn)));
  }
}

function optionsOf({ name, arn, type }: Machine, roleArn: string): { name: string; arn: string; type: MachineType; roleArn: string } {
  return { name, arn, type, roleArn };
}

/** A version: a revision that was published. */
export interface Version {
  arn: string;
  number: number;
  description?: string;
  creationDate: number;
  revision: Revision;
}

/** An alias: one or two versions with their weights. */
export interface Alias {
  arn: string;
  name: string;
  description?: string;
  routingConfiguration: RoutingConfigurationListItem[];
  creationDate: number;
  updateDate: number;
}

/** The properties with which a machine is created. */
interface MachineSource {
  arn: string;
  name: string;
  type: MachineType;
  creationDate: number;
  tags?: Tag[];
  /** The request of CreateStateMachine for its first version, if it published one. */
  published?: { versionDescription?: string };
}

/** The record of a machine in the store. */
interface MachineRecord extends MachineSource {
  lastVersion: number;
  current: RevisionRecord;
  versions: (Omit<Version, "revision"> & { revision: RevisionRecord })[];
  aliases: Alias[];
}

/** A registered machine with its versions and aliases. */
export class Machine {
  readonly arn: string;
  readonly name: string;
  readonly type: MachineType;
  readonly creationDate: number;
  readonly published: MachineSource["published"];
  tags: Tag[];
  status: "ACTIVE" | "DELETING" = "ACTIVE";
  /** The revision that is used for an ARN without a version or an alias. */
  current: Revision;
  /** The versions by their numbers. */
  readonly versions = new Map<number, Version>();
  lastVersion = 0;
  readonly aliases = new Map<string, Alias>();

  /** `revise` creates the machine's first revision. */
  constructor({ arn, name, type, creationDate, tags = [], published }: MachineSource, revise: (machine: Machine) => Revision) {
    this.arn = arn;
    this.name = name;
    this.type = type;
    this.creationDate = creationDate;
    this.tags = tags;
    this.published = published;
    this.current = revise(this);
  }

  /** Returns the version with an ARN of this machine. */
  version(arn: string): Version | undefined {
    return this.versions.get(Number(arn.slice(this.arn.length + 1)));
  }

  /** The current revision, and those of the versions. */
  get revisions(): Revision[] {
    return [this.current, ...[...this.versions.values()].map(({ revision }) => revision)];
  }

  /** Returns the record for the store. */
  document(): MachineRecord {
    const { arn, name, type, creationDate, tags, published, lastVersion } = this;
    return {
      ...{ arn, name, type, creationDate, tags, published, lastVersion },
      current: this.current.record,
      versions: [...this.versions.values()].map((version) => ({ ...version, revision: version.revision.record })),
      aliases: [...this.aliases.values()],
    };
  }
}

/** The registered machines by their ARNs, and the store that keeps them. */
export interface MachineRegistry {
  readonly store: Store;
  readonly machines: Map<string, Machine>;
  /** Returns a random number from 0 to 1. */
  random(): number;
}

/** Reads all machines from the store. */
export async function loadMachines({ store, machines }: Pick<MachineRegistry, "store" | "machines">): Promise<void> {
  for await (const [arn, document] of store.all("machine")) machines.set(arn, await loadMachine({ store }, document));
}

/** Creates a machine from its record. */
export async function loadMachine({ store }: Pick<MachineRegistry, "store">, document: MachineRecord): Promise<Machine> {
  // A definition is always stored before the record that refers to it.
  const definitionOf = async ({ hash }: RevisionRecord): Promise<string> => (await store.getDefinition(hash)) ?? "";
  const current = await definitionOf(document.current);
  const machine = new Machine(document, (made) => new Revision(made, document.current, current));
  machine.lastVersion = document.lastVersion;
  for (const version of document.versions) {
    const { revision } = version;
    const same = revision.id === document.current.id && revision.hash === document.current.hash;
    machine.versions.set(version.number, {
      ...version,
      revision: same ? machine.current : new Revision(machine, revision, await definitionOf(revision)),
    });
  }
  for (const alias of document.aliases) machine.aliases.set(alias.name, alias);
  return machine;
}

/** Writes a machine to the store. */
export async function save({ store }: Pick<MachineRegistry, "store">, machine: Machine): Promise<void> {
  const { record, definition } = machine.current;
  await store.putDefinition(record.hash, definition);
  await store.put("machine", machine.arn, machine.document());
}

/** The result of resolving the ARN of a machine, a version or an alias. */
export interface Target {
  machine: Machine;
  revision: Revision;
  versionArn?: string;
  aliasArn?: string;
  testCase?: string;
}

/** Resolves the ARN of a machine, a version or an alias. Throws StateMachineDoesNotExist. */
export function resolve(registry: MachineRegistry, text: string): Target {
  const { arn, qualifier, label, testCase } = machineArn(text);
  if (label !== undefined) throw invalid(`This operation does not support labeled ARNs: ${text}`, "API_DOES_NOT_SUPPORT_LABELED_ARNS");
  const machine = registry.machines.get(arn);
  if (machine === undefined) throw noMachine(text);
  if (qualifier === undefined) return { machine, revision: machine.current, testCase };
  const alias = machine.aliases.get(qualifier);
  const version =
    alias === undefined ? machine.versions.get(Number(qualifier)) : machine.version(routed(alias.routingConfiguration, registry.random()));
  if (version === undefined || (alias === undefined && !isVersion(qualifier))) throw noMachine(text);
  return { machine, revision: version.revision, versionArn: version.arn, ...(alias !== undefined && { aliasArn: alias.arn }), testCase };
}

/** Throws StateMachineDeleting for a machine that is being deleted. */
export function refuseDeleting({ status, arn }: Machine): void {
  if (status === "DELETING") throw new ApiError("StateMachineDeleting", `State Machine is being deleted: '${arn}'`);
}

/** Returns whether the qualifier of an ARN is the number of a version. */
export function isVersion(qualifier: string | undefined): boolean {
  return /^[1-9]\d*$/.test(qualifier ?? "");
}

/** Chooses a version of an alias by the weights. `chance` is a random number from 0 to 1. */
function routed(routes: RoutingConfigurationListItem[], chance: number): string {
  let rest = chance * 100;
  let chosen = "";
  for (const { stateMachineVersionArn, weight } of routes) {
    chosen = stateMachineVersionArn;
    rest -= weight;
    if (rest < 0) break;
  }
  return chosen;
}

/** Returns the machine of an ARN without a version or an alias. Throws StateMachineDoesNotExist. */
export function machineOf(registry: Pick<MachineRegistry, "machines">, text: string): Machine {
  const { arn, qualifier } = machineArn(text);
  if (qualifier !== undefined) throw invalid(`The ARN must not name a version or an alias: ${text}`);
  const machine = registry.machines.get(arn);
  if (machine === undefined) throw noMachine(text);
  return machine;
}
