// @ts-nocheck: has no types yet.
// Names and ARNs of Step Functions.

import { isBadName } from "../execution/start.ts";
import { ApiError, invalidArn } from "./errors.ts";

/** Throws InvalidName for a name that AWS refuses. */
export function checkName(name) {
  if (isBadName(name)) throw new ApiError("InvalidName", `Invalid Name: '${name}'`);
}

/** Takes an ARN of the states service apart: `{type, parts}` where `parts` is what stands after the type. */
function split(arn, types) {
  if (!arn.startsWith("arn:")) throw invalidArn(`Invalid ARN prefix: ${arn}`);
  const [, partition, service, region, account, type, ...parts] = arn.split(":");
  if (service !== "states" || !partition || region === undefined || account === undefined || parts.length === 0 || parts[0] === "") {
    throw invalidArn(`Invalid ARN: ${arn}`);
  }
  if (!types.includes(type)) throw invalidArn(`Resource type not valid in this context: ${type}`);
  return { type, parts };
}

/**
 * An ARN of a machine: `{arn, name, qualifier, label, testCase}`. The ARN is without what the others say: a version or an
 * alias after a colon, a Map's label after a slash, a test case after a hash.
 */
export function machineArn(text) {
  const [plain, testCase] = cut(text, "#");
  const { parts } = split(plain, ["stateMachine"]);
  if (parts.length > 2 || parts[1] === "") throw invalidArn(`Invalid ARN: ${text}`);
  const [name, label] = cut(parts[0], "/");
  const [, qualifier] = parts;
  const end = plain.length - (qualifier === undefined ? 0 : qualifier.length + 1) - (label === undefined ? 0 : label.length + 1);
  return { arn: plain.slice(0, end), name, qualifier, label, testCase };
}

/** Throws InvalidArn for what is no execution's ARN. Express executions have none that the API takes. */
export function executionArn(text) {
  const { parts } = split(text, ["execution"]);
  if (parts.length !== 2) throw invalidArn(`Invalid ARN: ${text}`);
  return text;
}

/** Throws InvalidArn for what is no activity's ARN. */
export function activityArn(text) {
  split(text, ["activity"]);
  return text;
}

/** Throws InvalidArn for what is no map run's ARN. */
export function mapRunArn(text) {
  split(text, ["mapRun"]);
  return text;
}

/** Throws InvalidArn for what can have no tags. */
export function resourceArn(text) {
  split(text, ["stateMachine", "activity"]);
  return text;
}

function cut(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
