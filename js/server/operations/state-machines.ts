// The operations of state machines.

import { randomUUID } from "node:crypto";
import type { MachineType } from "../../core/api/index.d.ts";
import { encryptionOf } from "./activities.ts";
import { tagsOf } from "./tags.ts";
import { checkName, machineArn } from "../protocol/arn.ts";
import { ApiError, invalid, noMachine } from "../protocol/errors.ts";
import { Machine, Revision, refuseDeleting, resolve, save } from "../storage/registered-machine.ts";
import type { RevisionSource, Version } from "../storage/registered-machine.ts";
import type { OperationsOf } from "./operation.ts";
import { pageOf } from "../protocol/paging.ts";
import { seconds } from "../protocol/responses.ts";
import type { Empty, Paged } from "../protocol/responses.ts";
import type { EncryptionConfiguration, Input, LoggingConfiguration, TracingConfiguration } from "../protocol/shapes.ts";
import { publish } from "./versions.ts";

interface CreateStateMachineOutput {
  stateMachineArn: string;
  creationDate: number;
  stateMachineVersionArn?: string;
}

interface UpdateStateMachineOutput {
  updateDate: number;
  revisionId?: string;
  stateMachineVersionArn?: string;
}

/** The members of both DescribeStateMachine and DescribeStateMachineForExecution. */
export interface MachineDescription {
  stateMachineArn: string;
  name: string;
  definition: string | undefined;
  roleArn: string;
  loggingConfiguration: LoggingConfiguration;
  tracingConfiguration: TracingConfiguration;
  revisionId?: string;
  encryptionConfiguration: EncryptionConfiguration;
  variableReferences?: Record<string, string[]>;
}

interface DescribeStateMachineOutput extends MachineDescription {
  status: "ACTIVE" | "DELETING";
  type: MachineType;
  creationDate: number;
  description?: string;
}

interface ListStateMachinesOutput extends Paged {
  stateMachines: { stateMachineArn: string; name: string; type: MachineType; creationDate: number }[];
}

/** The responses of the operations of state machines. */
export interface MachineResponses {
  CreateStateMachine: CreateStateMachineOutput;
  UpdateStateMachine: UpdateStateMachineOutput;
  DeleteStateMachine: Empty;
  DescribeStateMachine: DescribeStateMachineOutput;
  ListStateMachines: ListStateMachinesOutput;
}

/** Returns a machine's logging configuration with the API's defaults. Throws InvalidLoggingConfiguration. */
function loggingOf({ level = "OFF", includeExecutionData = false, destinations }: LoggingConfiguration = {}): LoggingConfiguration {
  const count = destinations?.length ?? 0;
  const nameless = destinations?.some(({ cloudWatchLogsLogGroup }) => !cloudWatchLogsLogGroup?.logGroupArn) ?? false;
  if (count > 1 || (level !== "OFF" && count !== 1) || nameless) {
    throw new ApiError("InvalidLoggingConfiguration", "Invalid Logging Configuration: Must specify exactly one Log Destination.");
  }
  return { level, includeExecutionData, ...(destinations && { destinations }) };
}

function tracingOf({ enabled = false }: TracingConfiguration = {}): TracingConfiguration {
  return { enabled };
}

/** Returns the version that a request publishes; undefined if it publishes none. */
function publishedOf({ publish, versionDescription }: Input<"CreateStateMachine" | "UpdateStateMachine">): Machine["published"] {
  if (versionDescription !== undefined && !publish) throw invalid("Version description can only be set when publish is true");
  return publish ? { versionDescription } : undefined;
}

/** Converts a revision to the response of DescribeStateMachine, with the ARN of the request. */
function described(
  machine: Machine,
  { record, definition }: Revision,
  { arn, creationDate, description }: Pick<Version, "arn" | "creationDate" | "description">,
  includedData: Input<"DescribeStateMachine">["includedData"],
): DescribeStateMachineOutput {
  const { roleArn, loggingConfiguration, tracingConfiguration, encryptionConfiguration, id, variableReferences } = record;
  const metadata = includedData === "METADATA_ONLY";
  return {
    stateMachineArn: arn,
    name: machine.name,
    status: machine.status,
    definition: metadata ? "{}" : definition,
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

/** Returns whether CreateStateMachine would create the same machine. Role and tags are not compared, as AWS's API reference says. */
function isSame(
  known: Machine,
  type: Machine["type"],
  about: RevisionSource,
  definition: string,
  published: Machine["published"],
): boolean {
  const compared = (text: string, { loggingConfiguration, tracingConfiguration, encryptionConfiguration }: RevisionSource): string =>
    JSON.stringify([text, loggingConfiguration, tracingConfiguration, encryptionOf(encryptionConfiguration)]);
  const { current } = known;
  return (
    known.type === type &&
    compared(current.definition, current.record) === compared(definition, about) &&
    JSON.stringify(known.published) === JSON.stringify(published)
  );
}

/** Applies UpdateStateMachine to a machine. A request that changes nothing creates no revision. */
function update(machine: Machine, input: Input<"UpdateStateMachine">, updateDate: number): void {
  const { record, definition: before } = machine.current;
  const { definition = before, roleArn = record.roleArn, encryptionConfiguration = record.encryptionConfiguration } = input;
  const about: RevisionSource = {
    roleArn,
    loggingConfiguration: input.loggingConfiguration ? loggingOf(input.loggingConfiguration) : record.loggingConfiguration,
    tracingConfiguration: input.tracingConfiguration ? tracingOf(input.tracingConfiguration) : record.tracingConfiguration,
    ...(encryptionConfiguration !== undefined && { encryptionConfiguration }),
    id: randomUUID(),
    updateDate,
  };
  const compared = ({ roleArn, loggingConfiguration, tracingConfiguration, encryptionConfiguration }: RevisionSource): string =>
    JSON.stringify([roleArn, loggingConfiguration, tracingConfiguration, encryptionConfiguration]);
  if (definition === before && compared(about) === compared(record)) return;
  machine.current = Revision.of(machine, about, definition);
}

/** The operations of this file, by name. */
export const machineOperations = {
  async CreateStateMachine(service, input) {
    const { name, definition, roleArn, type = "STANDARD", encryptionConfiguration } = input;
    checkName(name);
    const published = publishedOf(input);
    encryptionOf(encryptionConfiguration);
    const creationDate = service.now();
    const about: RevisionSource = {
      roleArn,
      loggingConfiguration: loggingOf(input.loggingConfiguration),
      tracingConfiguration: tracingOf(input.tracingConfiguration),
      ...(encryptionConfiguration !== undefined && { encryptionConfiguration }),
      updateDate: creationDate,
    };
    const arn = service.arn("stateMachine", name);
    const known = service.machines.get(arn);
    if (known !== undefined) {
      refuseDeleting(known);
      if (!isSame(known, type, about, definition, published))
        throw new ApiError("StateMachineAlreadyExists", `State Machine Already Exists: '${arn}'`);
      return { stateMachineArn: arn, creationDate: seconds(known.creationDate), ...(published && { stateMachineVersionArn: `${arn}:1` }) };
    }
    if (service.count(service.machines) >= service.limits.registered) {
      throw new ApiError("StateMachineLimitExceeded", `The limit of ${service.limits.registered} state machines is reached`);
    }
    const source = { arn, name, type, creationDate, tags: tagsOf(input.tags, arn), published };
    const machine = new Machine(source, (made) => Revision.of(made, about, definition));
    service.machines.set(arn, machine);
    const version = published && publish(service, machine, published.versionDescription);
    await save(service, machine);
    return { stateMachineArn: arn, creationDate: seconds(creationDate), ...(version && { stateMachineVersionArn: version.arn }) };
  },

  async UpdateStateMachine(service, input) {
    const { stateMachineArn } = input;
    const machine = service.machines.get(stateMachineArn);
    if (machine === undefined) {
      // Versions and aliases cannot be updated: AWS finds no machine for their ARNs.
      machineArn(stateMachineArn);
      throw noMachine(stateMachineArn);
    }
    refuseDeleting(machine);
    const { definition, roleArn, loggingConfiguration, tracingConfiguration, encryptionConfiguration } = input;
    const nothing = [definition, roleArn, loggingConfiguration, tracingConfiguration, encryptionConfiguration].every(
      (member) => member === undefined,
    );
    if (nothing && !input.publish) {
      const message = "Either the definition, the role ARN, the LoggingConfiguration, or the TracingConfiguration must be specified";
      throw new ApiError("MissingRequiredParameter", message);
    }
    const published = publishedOf(input);
    encryptionOf(encryptionConfiguration);
    const updateDate = service.now();
    update(machine, input, updateDate);
    const version = published && publish(service, machine, published.versionDescription, { isDescribed: true });
    await save(service, machine);
    const { id } = machine.current.record;
    return {
      updateDate: seconds(updateDate),
      ...(id !== undefined && { revisionId: id }),
      ...(version && { stateMachineVersionArn: version.arn }),
    };
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
    const { qualifier } = machineArn(stateMachineArn);
    const { machine, revision } = resolve(service, stateMachineArn);
    const version = qualifier === undefined ? undefined : machine.versions.get(Number(qualifier));
    return described(machine, revision, version ?? { arn: stateMachineArn, creationDate: machine.creationDate }, includedData);
  },

  async ListStateMachines(service, { maxResults, nextToken }) {
    const sorted = [...service.machines.values()].filter(({ arn }) => service.owns(arn)).sort((a, b) => (a.name < b.name ? -1 : 1));
    const { items, ...more } = pageOf(sorted, { list: "machines", key: ({ name }) => name, maxResults, nextToken });
    const stateMachines = items.map(({ arn, name, type, creationDate }) => ({
      stateMachineArn: arn,
      name,
      type,
      creationDate: seconds(creationDate),
    }));
    return { stateMachines, ...more };
  },
} satisfies OperationsOf<MachineResponses>;
