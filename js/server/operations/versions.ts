// The operations of versions and aliases.

import { machineArn } from "../protocol/arn.ts";
import { ApiError, invalid, noMachine, noResource } from "../protocol/errors.ts";
import { isVersion, machineOf, refuseDeleting, save } from "../storage/registered-machine.ts";
import type { Alias, Machine, Version } from "../storage/registered-machine.ts";
import type { OperationContext, OperationsOf } from "./operation.ts";
import { pageOf } from "../protocol/paging.ts";
import { seconds } from "../protocol/responses.ts";
import type { Empty, Paged } from "../protocol/responses.ts";
import type { RoutingConfigurationListItem } from "../protocol/shapes.ts";

interface PublishStateMachineVersionOutput {
  creationDate: number;
  stateMachineVersionArn: string;
}

interface ListStateMachineVersionsOutput extends Paged {
  stateMachineVersions: { stateMachineVersionArn: string; creationDate: number }[];
}

interface CreateStateMachineAliasOutput {
  stateMachineAliasArn: string;
  creationDate: number;
}

interface DescribeStateMachineAliasOutput extends CreateStateMachineAliasOutput {
  name: string;
  description?: string;
  routingConfiguration: RoutingConfigurationListItem[];
  updateDate: number;
}

interface ListStateMachineAliasesOutput extends Paged {
  stateMachineAliases: CreateStateMachineAliasOutput[];
}

/** The responses of the operations of versions and aliases. */
export interface VersionResponses {
  PublishStateMachineVersion: PublishStateMachineVersionOutput;
  DeleteStateMachineVersion: Empty;
  ListStateMachineVersions: ListStateMachineVersionsOutput;
  CreateStateMachineAlias: CreateStateMachineAliasOutput;
  UpdateStateMachineAlias: { updateDate: number };
  DescribeStateMachineAlias: DescribeStateMachineAliasOutput;
  DeleteStateMachineAlias: Empty;
  ListStateMachineAliases: ListStateMachineAliasesOutput;
}

const VERSIONS = 1000;
const ALIASES = 100;

/** Publishes the current revision of a machine. If it is already the latest version, that version is returned. */
export function publish(
  service: OperationContext,
  machine: Machine,
  description: string | undefined,
  { isDescribed = false } = {},
): Version {
  const newest = machine.versions.get(machine.lastVersion);
  const isOther = isDescribed && description !== undefined && description !== newest?.description;
  if (newest?.revision === machine.current && !isOther) return newest;
  if (machine.versions.size >= VERSIONS) throw quotaExceeded(`A state machine can have at most ${VERSIONS} versions`);
  machine.lastVersion += 1;
  const number = machine.lastVersion;
  const about = { arn: `${machine.arn}:${number}`, number, ...(description !== undefined && { description }) };
  const version = { ...about, creationDate: service.now(), revision: machine.current };
  machine.versions.set(number, version);
  return version;
}

function quotaExceeded(message: string): ApiError {
  return new ApiError("ServiceQuotaExceededException", message, { status: 402 });
}

/** Returns the machine whose versions a routing configuration names. Throws ValidationException if the configuration is not valid. */
function machineOfRoutes(service: OperationContext, routes: RoutingConfigurationListItem[]): Machine {
  const arns = routes.map(({ stateMachineVersionArn }) => stateMachineVersionArn);
  const parts = arns.map((arn) => machineArn(arn));
  const shown = `[${arns.join(", ")}]`;
  const refuse = (message: string): ApiError => invalid(message, "INVALID_ROUTING_CONFIGURATION");
  if (!parts.every(({ qualifier }) => isVersion(qualifier)))
    throw refuse(`Routing configuration must contain state machine version ARNs. Received: ${shown}`);
  if (new Set(arns).size < arns.length)
    throw refuse(`Routing configuration must contain distinct state machine version ARNs. Received: ${shown}`);
  const [machineName, ...others] = new Set(parts.map(({ arn }) => arn));
  if (others.length > 0) throw refuse(`Routing configuration must contain versions of one state machine. Received: ${shown}`);
  const weights = routes.map(({ weight }) => weight);
  if (weights.reduce((sum, weight) => sum + weight, 0) !== 100) {
    throw refuse(`Sum of routing configuration weights must equal 100. Received: [${weights.join(", ")}]`);
  }
  const machine = service.machines.get(machineName ?? "");
  if (machine === undefined || arns.some((arn) => machine.version(arn) === undefined)) throw noReference();
  return machine;
}

function noReference(): ApiError {
  return new ApiError("ResourceNotFound", "Request references a resource that does not exist.");
}

/** Returns the alias of an ARN with its machine. Throws ResourceNotFound. */
function aliasOf(service: OperationContext, text: string): { machine: Machine; alias: Alias } {
  const { arn, qualifier } = machineArn(text);
  const machine = service.machines.get(arn);
  const alias = qualifier === undefined ? undefined : machine?.aliases.get(qualifier);
  if (machine === undefined || alias === undefined) throw noReference();
  return { machine, alias };
}

/** Returns whether an alias routes to a version. */
function leadsTo({ routingConfiguration }: Alias, versionArn: string): boolean {
  return routingConfiguration.some(({ stateMachineVersionArn }) => stateMachineVersionArn === versionArn);
}

/** The operations of versions, by name. */
export const versionOperations = {
  async PublishStateMachineVersion(service, { stateMachineArn, revisionId, description }) {
    const machine = machineOf(service, stateMachineArn);
    refuseDeleting(machine);
    const current = machine.current.record.id ?? "INITIAL";
    if (revisionId !== undefined && revisionId !== current) {
      throw new ApiError(
        "ConflictException",
        `Failed to publish the State Machine version for revision ${revisionId}. The current State Machine revision is ${current}.`,
      );
    }
    const version = publish(service, machine, description);
    await save(service, machine);
    return { creationDate: seconds(version.creationDate), stateMachineVersionArn: version.arn };
  },

  async DeleteStateMachineVersion(service, { stateMachineVersionArn }) {
    const { arn, qualifier } = machineArn(stateMachineVersionArn);
    if (!isVersion(qualifier)) throw invalid(`The ARN must name a version: ${stateMachineVersionArn}`);
    const machine = service.machines.get(arn);
    if (machine === undefined) return {};
    const users = [...machine.aliases.values()].filter((alias) => leadsTo(alias, stateMachineVersionArn));
    if (users.length > 0) {
      const names = users.map(({ name }) => name).join(", ");
      throw new ApiError(
        "ConflictException",
        `Version to be deleted must not be referenced by an alias. Current list of aliases referencing this version: [${names}]`,
      );
    }
    machine.versions.delete(Number(qualifier));
    await save(service, machine);
    return {};
  },

  async ListStateMachineVersions(service, { stateMachineArn, maxResults, nextToken }) {
    const machine = machineOf(service, stateMachineArn);
    const sorted = [...machine.versions.values()].sort((a, b) => b.number - a.number);
    const { items, ...more } = pageOf(sorted, {
      list: ["versions", machine.arn],
      key: ({ number }) => number,
      descending: true,
      maxResults,
      nextToken,
    });
    return {
      stateMachineVersions: items.map(({ arn, creationDate }) => ({ stateMachineVersionArn: arn, creationDate: seconds(creationDate) })),
      ...more,
    };
  },
} satisfies Partial<OperationsOf<VersionResponses>>;

/** The operations of aliases, by name. */
export const aliasOperations = {
  async CreateStateMachineAlias(service, { name, description, routingConfiguration }) {
    const machine = machineOfRoutes(service, routingConfiguration);
    refuseDeleting(machine);
    const known = machine.aliases.get(name);
    const arn = `${machine.arn}:${name}`;
    if (known !== undefined) {
      const compared = (alias: Pick<Alias, "description" | "routingConfiguration">): string =>
        JSON.stringify([alias.description, alias.routingConfiguration]);
      if (compared(known) !== compared({ description, routingConfiguration })) {
        throw new ApiError(
          "ConflictException",
          "Failed to create alias because an alias with the same name and a different routing configuration already exists.",
        );
      }
      return { stateMachineAliasArn: arn, creationDate: seconds(known.creationDate) };
    }
    if (machine.aliases.size >= ALIASES) throw quotaExceeded(`A state machine can have at most ${ALIASES} aliases`);
    const creationDate = service.now();
    const about = { arn, name, ...(description !== undefined && { description }), routingConfiguration };
    machine.aliases.set(name, { ...about, creationDate, updateDate: creationDate });
    await save(service, machine);
    return { stateMachineAliasArn: arn, creationDate: seconds(creationDate) };
  },

  async UpdateStateMachineAlias(service, { stateMachineAliasArn, description, routingConfiguration }) {
    if (description === undefined && routingConfiguration === undefined) {
      throw invalid("Either the description or the routing configuration must be specified", "MISSING_REQUIRED_PARAMETER");
    }
    const { machine, alias } = aliasOf(service, stateMachineAliasArn);
    if (routingConfiguration !== undefined) {
      if (machineOfRoutes(service, routingConfiguration) !== machine) {
        throw invalid("Routing configuration must contain versions of the state machine of the alias", "INVALID_ROUTING_CONFIGURATION");
      }
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
    if (qualifier !== undefined && !machine.versions.has(Number(qualifier))) throw noResource(stateMachineArn);
    // For the ARN of a version, only the aliases that route to it are listed.
    const sorted = [...machine.aliases.values()]
      .filter((alias) => qualifier === undefined || leadsTo(alias, stateMachineArn))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const { items, ...more } = pageOf(sorted, { list: ["aliases", stateMachineArn], key: ({ name }) => name, maxResults, nextToken });
    return {
      stateMachineAliases: items.map(({ arn, creationDate }) => ({ stateMachineAliasArn: arn, creationDate: seconds(creationDate) })),
      ...more,
    };
  },
} satisfies Partial<OperationsOf<VersionResponses>>;
