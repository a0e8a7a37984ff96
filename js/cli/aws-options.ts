// The flags of tasks that are sent to AWS or an emulator of it, which several commands have.

import type { Options, Values } from "./command.ts";

export const awsOptions = {
  aws: { type: "boolean" },
  "aws-endpoint": { type: "string", multiple: true },
  "aws-only": { type: "string", multiple: true },
  "aws-dry-run": { type: "boolean" },
} as const satisfies Options;

/** What was given for them. */
export type AwsValues = Values<typeof awsOptions>;

/** Whether tasks may leave this process by flags or by variables of Step Functions Local: else nothing of it is loaded. */
export function wantsAws(values: AwsValues, env: NodeJS.ProcessEnv): boolean {
  return Object.keys(awsOptions).some((name) => values[name as keyof AwsValues] !== undefined) || VARIABLES.some((name) => env[name]);
}

const VARIABLES = ["BATCH", "DYNAMODB", "ECS", "GLUE", "LAMBDA", "SAGE_MAKER", "SNS", "SQS", "STEP_FUNCTIONS"].map(
  (name) => `${name}_ENDPOINT`,
);
