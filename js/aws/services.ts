// The services of the optimized integrations: their SDK client, and their names in the errors of the AWS SDK for Java 1, with which
// Step Functions calls them. Recorded: dynamodb, events, lambda, sns, sqs, states; the others follow the same rule.

import { sdkServices } from "../core/integrations/catalogue.ts";

/** How an optimized integration calls its service. */
export interface OptimizedService {
  /** The package after `@aws-sdk/client-`. */
  client: string;
  /** The start of error names: `SQS.` */
  prefix: string;
  /** The service's name in causes: `AmazonSQS`. */
  service: string;
  /** The error's name if the service gives none. */
  exception: string;
}

const service = (client: string, prefix: string, name: string, exception = `${name}Exception`): OptimizedService => ({
  client,
  prefix,
  service: name,
  exception,
});

/** Keys are the service's names in Resources. `http` and `apigateway` have no client. */
const OPTIMIZED: ReadonlyMap<string, OptimizedService> = new Map([
  ["athena", service("athena", "Athena", "AmazonAthena")],
  ["batch", service("batch", "Batch", "AWSBatch")],
  ["bedrock", service("bedrock", "Bedrock", "AmazonBedrock")],
  ["codebuild", service("codebuild", "CodeBuild", "AWSCodeBuild")],
  ["databrew", service("databrew", "DataBrew", "AWSGlueDataBrew")],
  ["dynamodb", service("dynamodb", "DynamoDB", "AmazonDynamoDBv2", "AmazonDynamoDBException")],
  ["ecs", service("ecs", "ECS", "AmazonECS")],
  ["eks", service("eks", "EKS", "AmazonEKS")],
  ["elasticmapreduce", service("emr", "ElasticMapReduce", "AmazonElasticMapReduce")],
  ["emr-containers", service("emr-containers", "EMRContainers", "AmazonEMRContainers")],
  ["emr-serverless", service("emr-serverless", "EMRServerless", "AWSEMRServerless")],
  ["events", service("eventbridge", "EventBridge", "AmazonEventBridge")],
  ["glue", service("glue", "Glue", "AWSGlue")],
  ["lambda", service("lambda", "Lambda", "AWSLambda")],
  ["mediaconvert", service("mediaconvert", "MediaConvert", "AWSMediaConvert")],
  ["sagemaker", service("sagemaker", "SageMaker", "AmazonSageMaker")],
  ["sns", service("sns", "SNS", "AmazonSNS")],
  ["sqs", service("sqs", "SQS", "AmazonSQS")],
  ["states", service("sfn", "StepFunctions", "AWSStepFunctions")],
]);

/** Returns how an optimized integration calls its service; undefined for an unknown service. */
export function optimizedService(name: string): OptimizedService | undefined {
  return OPTIMIZED.get(name);
}

/** The packages of the services, after `@aws-sdk/client-`, by their names in SDK integrations. */
const PACKAGES: ReadonlyMap<string, string> = new Map(
  sdkServices.map(({ name, title }) => [name, title.toLowerCase().replaceAll(" ", "-")]),
);

/** Other names of Step Functions. */
const NAMES: ReadonlyMap<string, string> = new Map([["stepfunctions", "sfn"]]);

/**
 * Returns the package of a service, after `@aws-sdk/client-`, by its name in either kind of Resource; undefined for an unknown
 * service.
 */
export function clientOf(name: string): string | undefined {
  const sdk = name.replaceAll("-", "").replace(/service$/, "");
  return OPTIMIZED.get(name)?.client ?? PACKAGES.get(NAMES.get(sdk) ?? sdk);
}

/** Returns the name of a package's service in SDK integrations. */
export function sdkName(client: string): string {
  return client.replaceAll("-", "").replace(/service$/, "");
}

/** Returns the patterns of handlers for everything that a client's service handles. */
export function patternsOf(client: string): string[] {
  const optimized = [...OPTIMIZED].filter(([, about]) => about.client === client).map(([name]) => `${name}:*`);
  // Distributed Maps read and write objects.
  const objects = client === "s3" ? ["s3:*"] : [];
  return [...optimized, ...objects, `aws-sdk:${sdkName(client)}:*`, ...(client === "lambda" ? [LAMBDA_FUNCTIONS] : [])];
}

/** The ARN of a function as the Resource of a task. */
export const LAMBDA_FUNCTIONS = "arn:*:lambda:*:function:*";

/** Returns the patterns of handlers for everything that the SDK can call. */
export function allPatterns(): string[] {
  return [...[...OPTIMIZED.keys(), "s3"].map((name) => `${name}:*`), "aws-sdk:*", LAMBDA_FUNCTIONS];
}
