// The jobs that `.sync` waits for: how each service describes a job, how a job ends, and how it is stopped.

import { isObject } from "../core/base/json.ts";

/** Members of a request or response, in PascalCase. */
export type Members = Record<string, unknown>;

/** A job of a service. */
export interface Job {
  /** The API that describes it. */
  describe: string;
  /** Returns the request of that API, from the response to the first request and from that request. */
  ask(answer: Members, request: Members): Members;
  /** The path of the job in the description: "Jobs.0". Default: the whole description. */
  at?: string;
  /** The member of the task's result that holds the job. Default: the job is the result. */
  as?: string;
  /** The path of the status in the job. */
  status: string;
  succeeded: readonly string[];
  failed?: readonly string[];
  /** Returns whether a job with a status of success has really succeeded. */
  holds?(job: unknown): boolean;
  /** Whether the job has ended when the service no longer has it. */
  vanishes?: boolean;
  /** The API that stops the job when its task is cancelled, and its request. */
  stop?: readonly [action: string, ask: Job["ask"]];
}

/** Returns the value at a path of names and positions; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const step of path === "" ? [] : path.split(".")) at = isObject(at) || Array.isArray(at) ? (at as Members)[step] : undefined;
  return at;
}

const text = (value: unknown, path: string): unknown => valueAt(value, path);

/** A job of SageMaker. Its Describe API takes the job's name. */
function sagemaker(kind: string, stops = true): Job {
  const name = `${kind}Name`;
  const ask: Job["ask"] = (_, request) => ({ [name]: request[name] });
  return {
    describe: `describe${kind}`,
    ask,
    status: `${kind}Status`,
    succeeded: ["Completed"],
    failed: ["Failed", "Stopped"],
    ...(stops && { stop: [`stop${kind}`, ask] }),
  };
}

/** A part of an EKS cluster that is being created. */
function eksCreation(kind: string, ask: Job["ask"]): Job {
  return {
    describe: `describe${kind}`,
    ask,
    status: `${kind}.Status`,
    succeeded: ["ACTIVE"],
    failed: ["FAILED", "CREATE_FAILED", "DEGRADED"],
  };
}

/** A part of a cluster of EKS that is deleted. */
function eksDeletion(kind: string, ask: Job["ask"]): Job {
  return { describe: `describe${kind}`, ask, status: `${kind}.Status`, succeeded: [], failed: ["DELETE_FAILED"], vanishes: true };
}

const cluster: Job["ask"] = (_, request) => ({ Name: request.Name });
const nodegroup: Job["ask"] = (_, { ClusterName, NodegroupName }) => ({ ClusterName, NodegroupName });
const fargate: Job["ask"] = (_, { ClusterName, FargateProfileName }) => ({ ClusterName, FargateProfileName });

/** An application of EMR Serverless on its way to a state. */
function application(...succeeded: string[]): Job {
  return {
    describe: "getApplication",
    ask: (answer, request) => ({ ApplicationId: answer.ApplicationId ?? request.ApplicationId }),
    status: "Application.State",
    succeeded,
    failed: ["TERMINATED"].filter((state) => !succeeded.includes(state)),
  };
}

const emrCluster = { describe: "describeCluster", status: "Cluster.Status.State" };
const emrStep: Job["ask"] = (answer, request) => ({ ClusterId: request.ClusterId, StepId: answer.StepId });

const BUILD_BATCH: Job = {
  describe: "batchGetBuildBatches",
  ask: (answer) => ({ Ids: [text(answer, "BuildBatch.Id")] }),
  at: "BuildBatches.0",
  as: "BuildBatch",
  status: "BuildBatchStatus",
  succeeded: ["SUCCEEDED"],
  failed: ["FAILED", "FAULT", "STOPPED", "TIMED_OUT"],
  stop: ["stopBuildBatch", (answer) => ({ Id: text(answer, "BuildBatch.Id") })],
};

/** By the integration's service and API. `states:startExecution` is described in its own way. */
export const JOBS: ReadonlyMap<string, Job> = new Map<string, Job>([
  [
    "athena:startQueryExecution",
    {
      describe: "getQueryExecution",
      ask: ({ QueryExecutionId }) => ({ QueryExecutionId }),
      status: "QueryExecution.Status.State",
      succeeded: ["SUCCEEDED"],
      failed: ["FAILED", "CANCELLED"],
      stop: ["stopQueryExecution", ({ QueryExecutionId }) => ({ QueryExecutionId })],
    },
  ],
  [
    "batch:submitJob",
    {
      describe: "describeJobs",
      ask: ({ JobId }) => ({ Jobs: [JobId] }),
      at: "Jobs.0",
      status: "Status",
      succeeded: ["SUCCEEDED"],
      failed: ["FAILED"],
      stop: ["terminateJob", ({ JobId }) => ({ JobId, Reason: "The execution no longer waits for it." })],
    },
  ],
  [
    "bedrock:createModelCustomizationJob",
    {
      describe: "getModelCustomizationJob",
      ask: ({ JobArn }) => ({ JobIdentifier: JobArn }),
      status: "Status",
      succeeded: ["Completed"],
      failed: ["Failed", "Stopped"],
      stop: ["stopModelCustomizationJob", ({ JobArn }) => ({ JobIdentifier: JobArn })],
    },
  ],
  [
    "codebuild:startBuild",
    {
      describe: "batchGetBuilds",
      ask: (answer) => ({ Ids: [text(answer, "Build.Id")] }),
      at: "Builds.0",
      as: "Build",
      status: "BuildStatus",
      succeeded: ["SUCCEEDED"],
      failed: ["FAILED", "FAULT", "STOPPED", "TIMED_OUT"],
      stop: ["stopBuild", (answer) => ({ Id: text(answer, "Build.Id") })],
    },
  ],
  ["codebuild:retryBuildBatch", BUILD_BATCH],
  ["codebuild:startBuildBatch", BUILD_BATCH],
  [
    "databrew:startJobRun",
    {
      describe: "describeJobRun",
      ask: ({ RunId }, { Name }) => ({ Name, RunId }),
      status: "State",
      succeeded: ["SUCCEEDED"],
      failed: ["FAILED", "TIMEOUT", "STOPPED"],
      stop: ["stopJobRun", ({ RunId }, { Name }) => ({ Name, RunId })],
    },
  ],
  [
    "ecs:runTask",
    {
      describe: "describeTasks",
      ask: (answer, { Cluster }) => ({ Cluster, Tasks: [text(answer, "Tasks.0.TaskArn")] }),
      at: "Tasks.0",
      status: "LastStatus",
      succeeded: ["STOPPED"],
      holds: (job) => containersOf(job).every(({ ExitCode }) => ExitCode === 0),
      stop: [
        "stopTask",
        (answer, { Cluster }) => ({ Cluster, Task: text(answer, "Tasks.0.TaskArn"), Reason: "The execution no longer waits for it." }),
      ],
    },
  ],
  ["eks:createCluster", eksCreation("Cluster", cluster)],
  ["eks:createFargateProfile", eksCreation("FargateProfile", fargate)],
  ["eks:createNodegroup", eksCreation("Nodegroup", nodegroup)],
  ["eks:deleteCluster", eksDeletion("Cluster", cluster)],
  ["eks:deleteFargateProfile", eksDeletion("FargateProfile", fargate)],
  ["eks:deleteNodegroup", eksDeletion("Nodegroup", nodegroup)],
  [
    "elasticmapreduce:addStep",
    {
      describe: "describeStep",
      ask: emrStep,
      status: "Step.Status.State",
      succeeded: ["COMPLETED"],
      failed: ["FAILED", "CANCELLED", "INTERRUPTED"],
      stop: ["cancelSteps", (answer, request) => ({ ClusterId: request.ClusterId, StepIds: [answer.StepId] })],
    },
  ],
  [
    "elasticmapreduce:createCluster",
    {
      ...emrCluster,
      ask: ({ ClusterId }) => ({ ClusterId }),
      succeeded: ["WAITING", "RUNNING", "TERMINATED"],
      failed: ["TERMINATED_WITH_ERRORS"],
      stop: ["terminateJobFlows", ({ ClusterId }) => ({ JobFlowIds: [ClusterId] })],
    },
  ],
  [
    "elasticmapreduce:terminateCluster",
    { ...emrCluster, ask: (_, { ClusterId }) => ({ ClusterId }), succeeded: ["TERMINATED", "TERMINATED_WITH_ERRORS"] },
  ],
  [
    "emr-containers:startJobRun",
    {
      describe: "describeJobRun",
      ask: ({ Id, VirtualClusterId }) => ({ Id, VirtualClusterId }),
      status: "JobRun.State",
      succeeded: ["COMPLETED"],
      failed: ["FAILED", "CANCELLED"],
      stop: ["cancelJobRun", ({ Id, VirtualClusterId }) => ({ Id, VirtualClusterId })],
    },
  ],
  [
    "emr-containers:deleteVirtualCluster",
    {
      describe: "describeVirtualCluster",
      ask: (_, { Id }) => ({ Id }),
      status: "VirtualCluster.State",
      succeeded: ["TERMINATED"],
      failed: ["ARRESTED"],
      vanishes: true,
    },
  ],
  [
    "emr-serverless:cancelJobRun",
    {
      describe: "getJobRun",
      ask: (_, { ApplicationId, JobRunId }) => ({ ApplicationId, JobRunId }),
      status: "JobRun.State",
      succeeded: ["CANCELLED", "SUCCESS", "FAILED"],
    },
  ],
  ["emr-serverless:createApplication", application("CREATED", "STARTED", "STOPPED")],
  ["emr-serverless:deleteApplication", application("TERMINATED")],
  ["emr-serverless:startApplication", application("STARTED")],
  ["emr-serverless:stopApplication", application("STOPPED")],
  [
    "emr-serverless:startJobRun",
    {
      describe: "getJobRun",
      ask: ({ ApplicationId, JobRunId }) => ({ ApplicationId, JobRunId }),
      status: "JobRun.State",
      succeeded: ["SUCCESS"],
      failed: ["FAILED", "CANCELLED"],
      stop: ["cancelJobRun", ({ ApplicationId, JobRunId }) => ({ ApplicationId, JobRunId })],
    },
  ],
  [
    "glue:startJobRun",
    {
      describe: "getJobRun",
      ask: ({ JobRunId }, { JobName }) => ({ JobName, RunId: JobRunId }),
      at: "JobRun",
      status: "JobRunState",
      succeeded: ["SUCCEEDED"],
      failed: ["FAILED", "STOPPED", "TIMEOUT", "ERROR", "EXPIRED"],
      stop: ["batchStopJobRun", ({ JobRunId }, { JobName }) => ({ JobName, JobRunIds: [JobRunId] })],
    },
  ],
  [
    "mediaconvert:createJob",
    {
      describe: "getJob",
      ask: (answer) => ({ Id: text(answer, "Job.Id") }),
      status: "Job.Status",
      succeeded: ["COMPLETE"],
      failed: ["ERROR", "CANCELED"],
      stop: ["cancelJob", (answer) => ({ Id: text(answer, "Job.Id") })],
    },
  ],
  ["sagemaker:createHyperParameterTuningJob", sagemaker("HyperParameterTuningJob")],
  ["sagemaker:createLabelingJob", sagemaker("LabelingJob")],
  ["sagemaker:createProcessingJob", sagemaker("ProcessingJob")],
  ["sagemaker:createTrainingJob", sagemaker("TrainingJob")],
  ["sagemaker:createTransformJob", sagemaker("TransformJob")],
]);

function containersOf(task: unknown): Members[] {
  const containers = valueAt(task, "Containers");
  return Array.isArray(containers) ? containers.filter(isObject) : [];
}
