// The flags for tasks that are sent to AWS or an emulator of it. Several commands share them.

import type { Options, Values } from "./command.ts";

export const awsOptions = {
  aws: { type: "boolean" },
  "aws-endpoint": { type: "string", multiple: true },
  "aws-only": { type: "string", multiple: true },
  "aws-dry-run": { type: "boolean" },
} as const satisfies Options;

/** The values of these flags. */
export type AwsValues = Values<typeof awsOptions>;

/**
 * Returns whether flags or variables of Step Functions Local let tasks leave this process. Otherwise the code for that is not
 * loaded.
 */
export function wantsAws(values: AwsValues, env: NodeJS.ProcessEnv): boolean {
  return Object.keys(awsOptions).some((name) => values[name as keyof AwsValues] !== undefined) || VARIABLES.some((name) => env[name]);
}

const VARIABLES = ["BATCH", "DYNAMODB", "ECS", "GLUE", "LAMBDA", "SAGE_MAKER", "SNS", "SQS", "STEP_FUNCTIONS"].map(
  (name) => `${name}_ENDPOINT`,
);
