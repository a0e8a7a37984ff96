// The optimized integrations: their actions, and how a task can wait for them (Developer Guide, "Integrating services with Step
// Functions" and the page of each service).

import type { IntegrationParameter, IntegrationPattern } from "../api/integrations.d.ts";

/** A parameter without the property that depends on whether it is required. */
export type NamedType = Pick<IntegrationParameter, "name" | "type">;

/** An action of an optimized integration. */
export interface OptimizedAction {
  patterns: readonly IntegrationPattern[];
  /** The action of the AWS SDK whose parameters it has, if that has another name. */
  operation?: string;
  /** Its parameters if they are its own, or those that it requires in addition to the SDK's. */
  required?: readonly NamedType[];
  optional?: readonly NamedType[];
  /** Whether `required` and `optional` are all of its parameters. */
  own?: boolean;
  /** The action of the AWS SDK with which Step Functions polls a job. Its response is the result of `.sync`. */
  polls?: string;
}

/** A service with optimized integrations. */
export interface OptimizedService {
  title: string;
  /** The service of the AWS SDK integrations. */
  sdk: string;
  actions: Readonly<Record<string, OptimizedAction>>;
}

const RESPONSE: readonly IntegrationPattern[] = ["requestResponse"];
const SYNC: readonly IntegrationPattern[] = ["requestResponse", "sync"];
const TOKEN: readonly IntegrationPattern[] = ["requestResponse", "waitForTaskToken"];

/** Returns actions with the parameters of the SDK's actions with the same names. */
function actions(patterns: readonly IntegrationPattern[], names: string): Record<string, OptimizedAction> {
  return Object.fromEntries(names.split(" ").map((name) => [name, { patterns }]));
}

/** Returns such actions that are jobs, each with the action that polls the job. */
function jobs(polled: Readonly<Record<string, string>>): Record<string, OptimizedAction> {
  return Object.fromEntries(Object.entries(polled).map(([name, polls]) => [name, { patterns: SYNC, polls }]));
}

/** Returns an action with parameters of its own: `Name` is a string, `Name:object` another type. */
function own(patterns: readonly IntegrationPattern[], required: string, optional = ""): OptimizedAction {
  return { patterns, own: true, required: named(required), optional: named(optional) };
}

function named(text: string): NamedType[] {
  return text.split(" ").flatMap((word) => {
    const [name = "", type = "string"] = word.split(":");
    // The words come from this file, so the type is valid.
    return name === "" ? [] : [{ name, type: type as NamedType["type"] }];
  });
}

const REQUEST = "Headers:object QueryParameters:object RequestBody:object";

/** The services by their names in a Resource: `sqs` in `arn:aws:states:::sqs:sendMessage`. */
export const OPTIMIZED: Readonly<Record<string, OptimizedService>> = {
  apigateway: {
    title: "API Gateway",
    sdk: "apigateway",
    actions: { invoke: own(TOKEN, "ApiEndpoint Method", `${REQUEST} Stage Path AllowNullValues:boolean AuthType`) },
  },
  athena: {
    title: "Athena",
    sdk: "athena",
    actions: {
      ...jobs({ startQueryExecution: "getQueryExecution" }),
      ...actions(RESPONSE, "getQueryExecution getQueryResults stopQueryExecution"),
    },
  },
  batch: { title: "Batch", sdk: "batch", actions: jobs({ submitJob: "describeJobs" }) },
  bedrock: {
    title: "Bedrock",
    sdk: "bedrock",
    actions: {
      ...jobs({ createModelCustomizationJob: "getModelCustomizationJob" }),
      invokeModel: own(
        RESPONSE,
        "ModelId",
        "Body:object Input:object Output:object ContentType Accept Trace GuardrailIdentifier GuardrailVersion",
      ),
    },
  },
  codebuild: {
    title: "CodeBuild",
    sdk: "codebuild",
    actions: {
      ...jobs({ startBuild: "batchGetBuilds", startBuildBatch: "batchGetBuildBatches", retryBuildBatch: "batchGetBuildBatches" }),
      ...actions(RESPONSE, "stopBuild stopBuildBatch batchDeleteBuilds batchGetReports deleteBuildBatch"),
    },
  },
  databrew: { title: "Glue DataBrew", sdk: "databrew", actions: jobs({ startJobRun: "describeJobRun" }) },
  dynamodb: { title: "DynamoDB", sdk: "dynamodb", actions: actions(RESPONSE, "getItem putItem updateItem deleteItem") },
  ecs: {
    title: "ECS",
    sdk: "ecs",
    actions: { runTask: { patterns: ["requestResponse", "sync", "waitForTaskToken"], polls: "describeTasks" } },
  },
  eks: {
    title: "EKS",
    sdk: "eks",
    actions: {
      call: own(RESPONSE, "ClusterName CertificateAuthority Endpoint Method Path", "QueryParameters:object RequestBody:object"),
      runJob: own(SYNC, "ClusterName CertificateAuthority Endpoint Job:object", "Namespace LogOptions:object"),
      ...jobs({
        createCluster: "describeCluster",
        deleteCluster: "describeCluster",
        createFargateProfile: "describeFargateProfile",
        deleteFargateProfile: "describeFargateProfile",
        createNodegroup: "describeNodegroup",
        deleteNodegroup: "describeNodegroup",
      }),
    },
  },
  elasticmapreduce: {
    title: "EMR",
    sdk: "emr",
    actions: {
      createCluster: { patterns: SYNC, operation: "runJobFlow", polls: "describeCluster" },
      terminateCluster: { ...own(SYNC, "ClusterId"), polls: "describeCluster" },
      addStep: { ...own(SYNC, "ClusterId Step:object", "ExecutionRoleArn"), polls: "describeStep" },
      cancelStep: own(RESPONSE, "ClusterId StepId"),
      setClusterTerminationProtection: own(RESPONSE, "ClusterId TerminationProtected:boolean"),
      modifyInstanceFleetByName: own(RESPONSE, "ClusterId InstanceFleetName InstanceFleet:object"),
      modifyInstanceGroupByName: own(RESPONSE, "ClusterId InstanceGroupName InstanceGroup:object"),
    },
  },
  "emr-containers": {
    title: "EMR on EKS",
    sdk: "emrcontainers",
    actions: {
      ...jobs({ deleteVirtualCluster: "describeVirtualCluster", startJobRun: "describeJobRun" }),
      ...actions(RESPONSE, "createVirtualCluster"),
    },
  },
  "emr-serverless": {
    title: "EMR Serverless",
    sdk: "emrserverless",
    actions: jobs({
      createApplication: "getApplication",
      startApplication: "getApplication",
      stopApplication: "getApplication",
      deleteApplication: "getApplication",
      startJobRun: "getJobRun",
      cancelJobRun: "getJobRun",
    }),
  },
  events: { title: "EventBridge", sdk: "eventbridge", actions: actions(TOKEN, "putEvents") },
  glue: { title: "Glue", sdk: "glue", actions: jobs({ startJobRun: "getJobRun" }) },
  http: {
    title: "HTTP endpoint",
    sdk: "http",
    actions: { invoke: own(RESPONSE, "ApiEndpoint Method InvocationConfig:object", `${REQUEST} Transform:object`) },
  },
  lambda: {
    title: "Lambda",
    sdk: "lambda",
    actions: { invoke: own(TOKEN, "FunctionName", "Payload:object InvocationType ClientContext Qualifier") },
  },
  mediaconvert: { title: "MediaConvert", sdk: "mediaconvert", actions: jobs({ createJob: "getJob" }) },
  sagemaker: {
    title: "SageMaker AI",
    sdk: "sagemaker",
    actions: {
      ...jobs({
        createTrainingJob: "describeTrainingJob",
        createTransformJob: "describeTransformJob",
        createHyperParameterTuningJob: "describeHyperParameterTuningJob",
        createLabelingJob: "describeLabelingJob",
        createProcessingJob: "describeProcessingJob",
      }),
      ...actions(RESPONSE, "createEndpoint createEndpointConfig createModel updateEndpoint"),
    },
  },
  sns: { title: "SNS", sdk: "sns", actions: { publish: { patterns: TOKEN, required: named("TopicArn") } } },
  sqs: { title: "SQS", sdk: "sqs", actions: actions(TOKEN, "sendMessage") },
  states: {
    title: "Step Functions",
    sdk: "sfn",
    actions: {
      startExecution: {
        ...own(["requestResponse", "sync", "sync:2", "waitForTaskToken"], "StateMachineArn", "Input:object Name TraceHeader"),
        polls: "describeExecution",
      },
    },
  },
};
