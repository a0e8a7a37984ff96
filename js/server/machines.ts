// @ts-nocheck: has no types yet.
// State machines, their versions and aliases.

import { createHash, randomUUID } from "node:crypto";
import { problemsAsSent } from "../definition/definition.ts";
import { DefinitionError } from "../base/errors.ts";
import { StateMachine } from "../execution/machine.ts";
import { parseResource } from "../tasks/resource.ts";
import { encryptionOf, tagsOf } from "./activities.ts";
import { checkName, machineArn } from "./arn.ts";
import { ApiError, invalid, noMachine, noResource } from "./errors.ts";
import { isIntegration } from "./integrations.ts";
import { pageOf } from "./paging.ts";

const VERSIONS = 1000;
const ALIASES = 100;

/** What a definition becomes when it is stored: the text, its name in the store, and the machine that runs. */
class Revision {
  #compiled;

  constructor(machine, about, compiled) {
    Object.assign(this, about);
    this.machine = machine;
    this.#compiled = compiled;
  }

  /** The machine that runs it. */
  get compiled() {
    const { name, arn, type } = this.machine;
    return (this.#compiled ??= new StateMachine(this.definition, { name, arn, type, roleArn: this.roleArn }));
  }

  /** What is kept in the store; the definition is kept by its hash. */
  document() {
    const { machine, definition, ...rest } = this;
    return rest;
  }
}

/** A registered machine with its versions and aliases. */
class Machine {
  status = "ACTIVE";
  versions = new Map();
  lastVersion = 0;
  aliases = new Map();

  constructor({ arn, name, type, creationDate, tags = [], published }) {
    Object.assign(this, { arn, name, type, creationDate, tags, published });
  }

  document() {
    const { arn, name, type, creationDate, tags, published, lastVersion } = this;
    return {
      ...{ arn, name, type, creationDate, tags, published, lastVersion },
      current: this.current.document(),
      versions: [...this.versions.values()].map((version) => ({ ...version, revision: version.revision.document() })),
      aliases: [...this.aliases.values()],
    };
  }
}

/** The machines that a store has. */
export async function loadMachines({ store, machines }) {
  for await (const [arn, document] of store.all("machine")) {
    const machine = new Machine(document);
    const revive = async (about) => new Revision(machine, { ...about, definition: await store.getDefinition(about.hash) });
    machine.lastVersion = document.lastVersion;
    machine.current = await revive(document.current);
    for (const version of document.versions) {
      const same = version.revision.id === machine.current.id && version.revision.hash === machine.current.hash;
      machine.versions.set(version.number, { ...version, revision: same ? machine.current : await revive(version.revision) });
    }
    for (const alias of document.aliases) machine.aliases.set(alias.name, alias);
    machines.set(arn, machine);
  }
}

/**
 * What an ARN of a machine, a version or an alias names: `{machine, revision, versionArn, aliasArn, testCase}`. Throws
 * StateMachineDoesNotExist.
 */
export function resolve(service, text) {
  const { arn, qualifier, label, testCase } = machineArn(text);
  if (label !== undefined) throw invalid(`This operation does not support labeled ARNs: ${text}`, "API_DOES_NOT_SUPPORT_LABELED_ARNS");
  const machine = service.machines.get(arn);
  if (machine === undefined) throw noMachine(text);
  if (qualifier === undefined) return { machine, revision: machine.current, testCase };
  const alias = machine.aliases.get(qualifier);
  if (alias !== undefined) {
    const versionArn = routed(alias.routingConfiguration, service.random());
    return { machine, revision: versionOf(machine, versionArn).revision, versionArn, aliasArn: alias.arn, testCase };
  }
  const version = machine.versions.get(Number(qualifier));
  if (version === undefined || !/^[1-9]\d*$/.test(qualifier)) throw noMachine(text);
  return { machine, revision: version.revision, versionArn: version.arn, testCase };
}

function routed(routes, chance) {
  let rest = chance * 100;
  for (const { stateMachineVersionArn, weight } of routes) {
    rest -= weight;
    if (rest < 0) return stateMachineVersionArn;
  }
  return routes.at(-1).stateMachineVersionArn;
}

function versionOf(machine, arn) {
  return machine.versions.get(Number(arn.slice(machine.arn.length + 1)));
}

/** The unqualified machine of an ARN. */
function machineOf(service, text) {
  const { arn, qualifier } = machineArn(text);
  if (qualifier !== undefined) throw invalid(`The ARN must not name a version or an alias: ${text}`);
  const machine = service.machines.get(arn);
  if (machine === undefined) throw noMachine(text);
  return machine;
}

/** Compiles a definition; throws InvalidDefinition in AWS's words. */
function compile(definition, options) {
  try {
    // What the package makes of a text beyond JSON, AWS refuses.
    const [first] = /^\ufeff|\$\{/.test(definition) ? problemsAsSent(definition, options) : [];
    if (first?.code === "invalid-json") throw new DefinitionError([first], first.message);
    const machine = new StateMachine(definition, options);
    const unknown = unknownResources(JSON.parse(definition).States);
    if (unknown.length === 0) return machine;
    throw invalidDefinition(unknown);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const said = error.diagnostics
      .filter(({ severity }) => severity === "error")
      .flatMap(({ aws, message, pointer }) => (aws.length > 0 ? aws : [{ code: "SCHEMA_VALIDATION_FAILED", message, location: pointer || "/" }]))
      .map(({ code, message, location }) => (code === "INVALID_JSON_DESCRIPTION" ? `${code}: ${message}` : `${code}: ${message} at ${location ?? "null"}`));
    throw invalidDefinition(said);
  }
}

function invalidDefinition(said) {
  return new ApiError("InvalidDefinition", `Invalid State Machine Definition: '${said.join(", ")}'`);
}

/** What AWS says of Tasks whose Resource names an integration that does not exist, at any depth. */
export function unknownResources(states, path = "") {
  return Object.entries(states ?? {}).flatMap(([name, state]) => {
    const at = `${path}/States/${name}`;
    const { Resource: resource, ItemProcessor: processor, Iterator: iterator, Branches: branches = [] } = state ?? {};
    const unknown = state?.Type === "Task" && typeof resource === "string" && !isIntegration(parseResource(resource));
    return [
      ...(unknown ? [`SCHEMA_VALIDATION_FAILED: The resource provided ${resource} is not recognized. The value is not a valid resource ARN, or the resource is not available in this region. at ${at}/Resource`] : []),
      ...[["ItemProcessor", processor], ["Iterator", iterator], ...branches.map((branch, i) => [`Branches[${i}]`, branch])].flatMap(([field, inner]) => unknownResources(inner?.States, `${at}/${field}`)),
    ];
  });
}

function revise(machine, about) {
  const options = { name: machine.name, arn: machine.arn, type: machine.type, roleArn: about.roleArn };
  const compiled = compile(about.definition, options);
  const references = compiled.variableReferences;
  const hash = createHash("sha256").update(about.definition).digest("hex");
  return new Revision(machine, { ...about, hash, ...(Object.keys(references).length > 0 && { variableReferences: references }) }, compiled);
}

function loggingOf({ level = "OFF", includeExecutionData = false, destinations } = {}) {
  if ((destinations?.length ?? 0) > 1 || (level !== "OFF" && destinations?.length !== 1) || (destinations ?? []).some(({ cloudWatchLogsLogGroup }) => !cloudWatchLogsLogGroup?.logGroupArn)) {
    throw new ApiError("InvalidLoggingConfiguration", "Invalid Logging Configuration: Must specify exactly one Log Destination.");
  }
  return { level, includeExecutionData, ...(destinations && { destinations }) };
}

const tracingOf = ({ enabled = false } = {}) => ({ enabled });

function publish(service, machine, description) {
  const newest = machine.versions.get(machine.lastVersion);
  if (newest?.revision === machine.current) return newest;
  if (machine.versions.size >= VERSIONS) throw new ApiError("ServiceQuotaExceededException", `A state machine can have at most ${VERSIONS} versions`, { status: 402 });
  machine.lastVersion += 1;
  const number = machine.lastVersion;
  const version = { arn: `${machine.arn}:${number}`, number, ...(description !== undefined && { description }), creationDate: service.now(), revision: machine.current };
  machine.versions.set(number, version);
  return version;
}

async function save({ store }, machine) {
  await store.putDefinition(machine.current.hash, machine.current.definition);
  await store.put("machine", machine.arn, machine.document());
}

function checkPublish({ publish, versionDescription }) {
  if (versionDescription !== undefined && !publish) throw invalid("Version description can only be set when publish is true");
}

function refuseDeleting({ status, arn }) {
  if (status === "DELETING") throw new ApiError("StateMachineDeleting", `State Machine is being deleted: '${arn}'`);
}

const seconds = (time) => time / 1000;

function described(machine, revision, { arn, creationDate, description }, includedData) {
  const { roleArn, loggingConfiguration, tracingConfiguration, encryptionConfiguration, id, variableReferences } = revision;
  const metadata = includedData === "METADATA_ONLY";
  return {
    stateMachineArn: arn,
    name: machine.name,
    status: machine.status,
    definition: metadata ? "{}" : revision.definition,
    roleArn,
    type: machine.type,
    creationDate: seconds(creationDate),
    loggingConfiguration,
    tracingConfiguration,
    ...(id !== undefined && { revisionId: id }),
    ...(description !== undefined && !metadata && { description }),
    encryptionConfiguration: encryptionOf(encryptionConfiguration),
    ...(variableReferences !== undefined && !metadata && { variableReferences }),
  };
}

/** A routing configuration that may stand: versions of one machine, which is returned. */
function checkRoutes(service, routes) {
  const arns = routes.map(({ stateMachineVersionArn }) => stateMachineVersionArn);
  const parts = arns.map((arn) => machineArn(arn));
  const shown = `[${arns.join(", ")}]`;
  const refuse = (message) => {
    throw invalid(message, "INVALID_ROUTING_CONFIGURATION");
  };
  if (parts.some(({ qualifier }) => !/^[1-9]\d*$/.test(qualifier ?? ""))) refuse(`Routing configuration must contain state machine version ARNs. Received: ${shown}`);
  if (new Set(arns).size < arns.length) refuse(`Routing configuration must contain distinct state machine version ARNs. Received: ${shown}`);
  if (new Set(parts.map(({ arn }) => arn)).size > 1) refuse(`Routing configuration must contain versions of one state machine. Received: ${shown}`);
  const weights = routes.map(({ weight }) => weight);
  if (weights.reduce((sum, weight) => sum + weight, 0) !== 100) refuse(`Sum of routing configuration weights must equal 100. Received: [${weights.join(", ")}]`);
  const machine = service.machines.get(parts[0].arn);
  if (machine === undefined || arns.some((arn) => versionOf(machine, arn) === undefined)) throw noReference();
  return machine;
}

function noReference() {
  return new ApiError("ResourceNotFound", "Request references a resource that does not exist.");
}

/** The alias of an ARN with its machine; throws ResourceNotFound. */
function aliasOf(service, text) {
  const { arn, qualifier } = machineArn(text);
  const machine = service.machines.get(arn);
  const alias = machine?.aliases.get(qualifier);
  if (alias === undefined) throw noReference();
  return { machine, alias };
}

/** The operations of this file, by name. */
export const machineOperations = {
  async CreateStateMachine(service, input) {
    const { name, definition, roleArn, type = "STANDARD", encryptionConfiguration, versionDescription } = input;
    checkName(name);
    checkPublish(input);
    const about = {
      definition,
      roleArn,
      loggingConfiguration: loggingOf(input.loggingConfiguration),
      tracingConfiguration: tracingOf(input.tracingConfiguration),
      ...(encryptionConfiguration !== undefined && { encryptionConfiguration }),
    };
    const published = input.publish === true ? { versionDescription } : undefined;
    const arn = service.arn("stateMachine", name);
    const known = service.machines.get(arn);
    if (known !== undefined) {
      refuseDeleting(known);
      // Role and tags do not count, as the API's reference says.
      const compared = ({ definition, loggingConfiguration, tracingConfiguration, encryptionConfiguration }) => JSON.stringify([definition, loggingConfiguration, tracingConfiguration, encryptionOf(encryptionConfiguration)]);
      const same = known.type === type && compared(known.current) === compared(about) && JSON.stringify(known.published) === JSON.stringify(published);
      if (!same) throw new ApiError("StateMachineAlreadyExists", `State Machine Already Exists: '${arn}'`);
      return { stateMachineArn: arn, creationDate: seconds(known.creationDate), ...(published && { stateMachineVersionArn: `${arn}:1` }) };
    }
    if (service.machines.size >= service.limits.registered) throw new ApiError("StateMachineLimitExceeded", `The limit of ${service.limits.registered} state machines is reached`);
    const machine = new Machine({ arn, name, type, creationDate: service.now(), tags: tagsOf(input.tags, arn), published });
    machine.current = revise(machine, { ...about, updateDate: machine.creationDate });
    service.machines.set(arn, machine);
    const version = published && publish(service, machine, versionDescription);
    await save(service, machine);
    return { stateMachineArn: arn, creationDate: seconds(machine.creationDate), ...(version && { stateMachineVersionArn: version.arn }) };
  },

  async UpdateStateMachine(service, input) {
    const machine = service.machines.get(input.stateMachineArn);
    // A version or an alias cannot be changed: AWS knows no machine of that ARN.
    if (machine === undefined) throw machineArn(input.stateMachineArn) && noMachine(input.stateMachineArn);
    refuseDeleting(machine);
    const changes = ["definition", "roleArn", "loggingConfiguration", "tracingConfiguration", "encryptionConfiguration"].filter((name) => input[name] !== undefined);
    if (changes.length === 0 && !input.publish) {
      throw new ApiError("MissingRequiredParameter", "Either the definition, the role ARN, the LoggingConfiguration, or the TracingConfiguration must be specified");
    }
    checkPublish(input);
    const about = { ...machine.current.document(), definition: machine.current.definition };
    for (const change of changes) about[change] = { loggingConfiguration: loggingOf, tracingConfiguration: tracingOf }[change]?.(input[change]) ?? input[change];
    const updateDate = service.now();
    if (changes.some((change) => JSON.stringify(about[change]) !== JSON.stringify(machine.current[change]))) {
      delete about.variableReferences;
      machine.current = revise(machine, { ...about, id: randomUUID(), updateDate });
    }
    const version = input.publish && publish(service, machine, input.versionDescription);
    await save(service, machine);
    const { id } = machine.current;
    return { updateDate: seconds(updateDate), ...(id !== undefined && { revisionId: id }), ...(version && { stateMachineVersionArn: version.arn }) };
  },

  async DeleteStateMachine(service, { stateMachineArn }) {
    const { arn, qualifier } = machineArn(stateMachineArn);
    if (qualifier !== undefined) throw invalid(`The ARN must not name a version or an alias: ${stateMachineArn}`);
    const machine = service.machines.get(arn);
    if (machine === undefined) return {};
    machine.status = "DELETING";
    await service.runner.forget(machine);
    service.machines.delete(arn);
    await service.store.remove("machine", arn);
    return {};
  },

  async DescribeStateMachine(service, { stateMachineArn, includedData }) {
    const { arn, qualifier } = machineArn(stateMachineArn);
    const machine = service.machines.get(arn);
    const { revision } = resolve(service, stateMachineArn);
    const version = qualifier === undefined ? undefined : machine.versions.get(Number(qualifier));
    return described(machine, version?.revision ?? revision, version ?? { arn: stateMachineArn, creationDate: machine.creationDate }, includedData);
  },

  async ListStateMachines(service, { maxResults, nextToken }) {
    const sorted = [...service.machines.values()].filter(({ arn }) => service.owns(arn)).sort((a, b) => (a.name < b.name ? -1 : 1));
    const { items, ...more } = pageOf(sorted, { list: "machines", key: ({ name }) => name, maxResults, nextToken });
    return { stateMachines: items.map(({ arn, name, type, creationDate }) => ({ stateMachineArn: arn, name, type, creationDate: seconds(creationDate) })), ...more };
  },

  async PublishStateMachineVersion(service, { stateMachineArn, revisionId, description }) {
    const machine = machineOf(service, stateMachineArn);
    refuseDeleting(machine);
    const current = machine.current.id ?? "INITIAL";
    if (revisionId !== undefined && revisionId !== current) {
      throw new ApiError("ConflictException", `Failed to publish the State Machine version for revision ${revisionId}. The current State Machine revision is ${current}.`);
    }
    const version = publish(service, machine, description);
    await save(service, machine);
    return { creationDate: seconds(version.creationDate), stateMachineVersionArn: version.arn };
  },

  async DeleteStateMachineVersion(service, { stateMachineVersionArn }) {
    const { arn, qualifier } = machineArn(stateMachineVersionArn);
    if (!/^[1-9]\d*$/.test(qualifier ?? "")) throw invalid(`The ARN must name a version: ${stateMachineVersionArn}`);
    const machine = service.machines.get(arn);
    if (machine === undefined) return {};
    const users = [...machine.aliases.values()].filter(({ routingConfiguration }) => routingConfiguration.some((route) => route.stateMachineVersionArn === stateMachineVersionArn));
    if (users.length > 0) {
      const names = users.map(({ name }) => name).join(", ");
      throw new ApiError("ConflictException", `Version to be deleted must not be referenced by an alias. Current list of aliases referencing this version: [${names}]`);
    }
    machine.versions.delete(Number(qualifier));
    await save(service, machine);
    return {};
  },

  async ListStateMachineVersions(service, { stateMachineArn, maxResults, nextToken }) {
    const machine = machineOf(service, stateMachineArn);
    const sorted = [...machine.versions.values()].sort((a, b) => b.number - a.number);
    const { items, ...more } = pageOf(sorted, { list: ["versions", machine.arn], key: ({ number }) => number, descending: true, maxResults, nextToken });
    return { stateMachineVersions: items.map(({ arn, creationDate }) => ({ stateMachineVersionArn: arn, creationDate: seconds(creationDate) })), ...more };
  },

  async CreateStateMachineAlias(service, { name, description, routingConfiguration }) {
    const machine = checkRoutes(service, routingConfiguration);
    refuseDeleting(machine);
    const known = machine.aliases.get(name);
    const arn = `${machine.arn}:${name}`;
    if (known !== undefined) {
      const compared = (alias) => JSON.stringify([alias.description, alias.routingConfiguration]);
      if (compared(known) !== compared({ description, routingConfiguration })) {
        throw new ApiError("ConflictException", "Failed to create alias because an alias with the same name and a different routing configuration already exists.");
      }
      return { stateMachineAliasArn: arn, creationDate: seconds(known.creationDate) };
    }
    if (machine.aliases.size >= ALIASES) throw new ApiError("ServiceQuotaExceededException", `A state machine can have at most ${ALIASES} aliases`, { status: 402 });
    const creationDate = service.now();
    machine.aliases.set(name, { arn, name, ...(description !== undefined && { description }), routingConfiguration, creationDate, updateDate: creationDate });
    await save(service, machine);
    return { stateMachineAliasArn: arn, creationDate: seconds(creationDate) };
  },

  async UpdateStateMachineAlias(service, { stateMachineAliasArn, description, routingConfiguration }) {
    if (description === undefined && routingConfiguration === undefined) throw invalid("Either the description or the routing configuration must be specified", "MISSING_REQUIRED_PARAMETER");
    const { machine, alias } = aliasOf(service, stateMachineAliasArn);
    if (routingConfiguration !== undefined) {
      if (checkRoutes(service, routingConfiguration) !== machine) throw invalid(`Routing configuration must contain versions of the state machine of the alias`, "INVALID_ROUTING_CONFIGURATION");
      alias.routingConfiguration = routingConfiguration;
    }
    if (description !== undefined) alias.description = description;
    alias.updateDate = service.now();
    await save(service, machine);
    return { updateDate: seconds(alias.updateDate) };
  },

  async DescribeStateMachineAlias(service, { stateMachineAliasArn }) {
    const { arn, name, description, routingConfiguration, creationDate, updateDate } = aliasOf(service, stateMachineAliasArn).alias;
    return {
      stateMachineAliasArn: arn,
      name,
      ...(description !== undefined && { description }),
      routingConfiguration,
      creationDate: seconds(creationDate),
      updateDate: seconds(updateDate),
    };
  },

  async DeleteStateMachineAlias(service, { stateMachineAliasArn }) {
    const { arn, qualifier } = machineArn(stateMachineAliasArn);
    if (qualifier === undefined) throw invalid(`The ARN must name an alias: ${stateMachineAliasArn}`);
    const machine = service.machines.get(arn);
    if (machine?.aliases.delete(qualifier)) await save(service, machine);
    return {};
  },

  async ListStateMachineAliases(service, { stateMachineArn, maxResults, nextToken }) {
    const { arn, qualifier } = machineArn(stateMachineArn);
    const machine = service.machines.get(arn);
    if (machine === undefined) throw noMachine(stateMachineArn);
    // With a version, only the aliases that lead to it.
    const leads = ({ routingConfiguration }) => qualifier === undefined || routingConfiguration.some((route) => route.stateMachineVersionArn === stateMachineArn);
    if (qualifier !== undefined && !machine.versions.has(Number(qualifier))) throw noResource(stateMachineArn);
    const sorted = [...machine.aliases.values()].filter(leads).sort((a, b) => (a.name < b.name ? -1 : 1));
    const { items, ...more } = pageOf(sorted, { list: ["aliases", stateMachineArn], key: ({ name }) => name, maxResults, nextToken });
    return { stateMachineAliases: items.map(({ arn, creationDate }) => ({ stateMachineAliasArn: arn, creationDate: seconds(creationDate) })), ...more };
  },
};
