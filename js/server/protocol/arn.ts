// Names and ARNs of Step Functions.

import { isBadName } from "../../core/execution/start.ts";
import { ApiError, invalidArn } from "./errors.ts";

/** Throws InvalidName for a name that AWS does not accept. */
export function checkName(name: string): void {
  if (isBadName(name)) throw new ApiError("InvalidName", `Invalid Name: '${name}'`);
}

/** Returns the parts of an ARN after its type; there is at least one. Throws InvalidArn for other types and services. */
function split(arn: string, types: readonly string[]): [first: string, ...rest: string[]] {
  if (!arn.startsWith("arn:")) throw invalidArn(`Invalid ARN prefix: ${arn}`);
  const [, partition, service, region, account, type, first, ...rest] = arn.split(":");
  if (service !== "states" || !partition || region === undefined || account === undefined || type === undefined || !first) {
    throw invalidArn(`Invalid ARN: ${arn}`);
  }
  if (!types.includes(type)) throw invalidArn(`Resource type not valid in this context: ${type}`);
  return [first, ...rest];
}

/** The parts of a state machine's ARN. */
interface MachineArn {
  /** The ARN without qualifier, label and test case. */
  arn: string;
  name: string;
  /** A version or an alias, after a colon. */
  qualifier?: string;
  /** The label of a Distributed Map, after a slash. */
  label?: string;
  /** A test case of the mock configuration, after a hash. */
  testCase?: string;
}

/** Splits the ARN of a machine, a version or an alias into its parts. */
export function machineArn(text: string): MachineArn {
  const [plain, testCase] = cut(text, "#");
  const [named, qualifier, ...more] = split(plain, ["stateMachine"]);
  if (more.length > 0 || qualifier === "") throw invalidArn(`Invalid ARN: ${text}`);
  const [name, label] = cut(named, "/");
  const end = plain.length - (qualifier === undefined ? 0 : qualifier.length + 1) - (label === undefined ? 0 : label.length + 1);
  return { arn: plain.slice(0, end), name, qualifier, label, testCase };
}

/** Throws InvalidArn for a text that is not an execution's ARN. The API does not take the ARNs of Express executions. */
export function executionArn(text: string): string {
  if (split(text, ["execution"]).length !== 2) throw invalidArn(`Invalid ARN: ${text}`);
  return text;
}

/** Throws InvalidArn for a text that is not an activity's ARN. */
export function activityArn(text: string): string {
  split(text, ["activity"]);
  return text;
}

/** Throws InvalidArn for a text that is not a Map Run's ARN. */
export function mapRunArn(text: string): string {
  split(text, ["mapRun"]);
  return text;
}

/** Throws InvalidArn for the ARN of a resource that cannot have tags. */
export function resourceArn(text: string): string {
  split(text, ["stateMachine", "activity"]);
  return text;
}

/** Splits a text at the first `mark`. */
function cut(text: string, mark: string): [before: string, after?: string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
