// The permissions for optimized integrations: the policies of the Developer Guide's page of each service ("Integrating optimized
// services": connect-lambda, connect-batch, connect-ecs, …), limited to what the definition names.

import { isObject } from "../../core/base/json.ts";
import type { Call, Found } from "./call.ts";
import { bucketAndKey, functionArn, queueArn, s3Arn } from "./names.ts";

/** Adds the permissions for a call. */
export type Rule = (call: Call) => void;

const EKS_ROLES: Readonly<Record<string, [parameter: string, service: string]>> = {
  createCluster: ["RoleArn", "eks.amazonaws.com"],
  createFargateProfile: ["PodExecutionRoleArn", "eks-fargate-pods.amazonaws.com"],
  createNodegroup: ["NodeRole", "ec2.amazonaws.com"],
};

/** The rules by service and action. */
export const RULES: Readonly<Record<string, Rule>> = {
  "apigateway:invoke": apiGateway,
  "athena:startQueryExecution": (call) => {
    const workgroup = athenaWorkgroup(call);
    call.allow("athena:StartQueryExecution", workgroup);
    call.whileWaiting(["athena:GetQueryExecution", "athena:StopQueryExecution"], workgroup);
    call.allow("athena:GetDataCatalog", call.arn("athena", "datacatalog/*"));
    call.allow(
      ["glue:GetDatabase", "glue:GetTable", "glue:GetTables", "glue:GetPartition", "glue:GetPartitions", "glue:BatchGetPartition"],
      [call.arn("glue", "catalog"), call.arn("glue", "database/*"), call.arn("glue", "table/*")],
    );
    const output = call.value("ResultConfiguration", "OutputLocation");
    if (output.reason === undefined) {
      const { bucket, key } = bucketAndKey(output.text);
      call.allow(["s3:GetBucketLocation", "s3:ListBucket", "s3:ListBucketMultipartUploads"], s3Arn(call, bucket));
      call.allow(
        ["s3:GetObject", "s3:PutObject", "s3:ListMultipartUploadParts", "s3:AbortMultipartUpload"],
        s3Arn(call, `${bucket}/${key}*`),
      );
    } else
      call.lacks(
        ["s3:GetBucketLocation", "s3:GetObject", "s3:PutObject"],
        "elsewhere",
        "the workgroup says where Athena writes its results: add that bucket",
        output.pointer,
      );
    call.lacks(["s3:GetObject", "s3:ListBucket"], "elsewhere", "the query says which data Athena reads: add their buckets");
  },
  "athena:stopQueryExecution": (call) => call.allow("athena:StopQueryExecution", call.arn("athena", "workgroup/*")),
  "athena:getQueryExecution": (call) => call.allow("athena:GetQueryExecution", call.arn("athena", "workgroup/*")),
  "athena:getQueryResults": (call) => {
    call.allow("athena:GetQueryResults", call.arn("athena", "workgroup/*"));
    call.lacks("s3:GetObject", "elsewhere", "the workgroup or the query says where the results are: add that bucket");
  },
  "batch:submitJob": (call) => {
    // A definition without a revision is the newest one.
    const definition = call.find("JobDefinition", "batch", (name) => `job-definition/${/[:*]/.test(name) ? name : `${name}:*`}`);
    call.allow("batch:SubmitJob", definition);
    call.allow(
      "batch:SubmitJob",
      call.find("JobQueue", "batch", (name) => `job-queue/${name}`),
    );
    call.whileWaiting("batch:TerminateJob", call.arn("batch", "job/*"));
    // This action has no resources in IAM.
    call.whileWaiting("batch:DescribeJobs", "*");
    call.rule("StepFunctionsGetEventsForBatchJobsRule");
  },
  "bedrock:invokeModel": (call) => {
    call.allow("bedrock:InvokeModel", bedrockModel(call, "ModelId"));
    for (const [member, action] of [
      ["Input", "s3:GetObject"],
      ["Output", "s3:PutObject"],
    ] as const) {
      if (call.has(member))
        call.allow(
          action,
          call.resource([member, "S3Uri"], (uri) => s3Object(call, uri)),
        );
    }
  },
  "bedrock:createModelCustomizationJob": (call) => {
    call.allow("bedrock:CreateModelCustomizationJob", bedrockModel(call, "BaseModelIdentifier"));
    call.allow("bedrock:CreateModelCustomizationJob", [
      call.arn("bedrock", "custom-model/*"),
      call.arn("bedrock", "model-customization-job/*"),
    ]);
    call.whileWaiting(
      ["bedrock:GetModelCustomizationJob", "bedrock:StopModelCustomizationJob"],
      call.arn("bedrock", "model-customization-job/*"),
    );
    call.passes("RoleArn", "bedrock.amazonaws.com");
  },
  "codebuild:startBuild": (call) => {
    const project = call.find("ProjectName", "codebuild", (name) => `project/${name}`);
    call.allow("codebuild:StartBuild", project);
    call.whileWaiting(["codebuild:StopBuild", "codebuild:BatchGetBuilds"], project);
    call.whileWaiting("codebuild:BatchGetReports", call.arn("codebuild", "report-group/*"));
    call.rule("StepFunctionsGetEventForCodeBuildStartBuildRule");
  },
  "codebuild:startBuildBatch": (call) =>
    buildBatch(
      call,
      "codebuild:StartBuildBatch",
      call.find("ProjectName", "codebuild", (name) => `project/${name}`),
    ),
  "codebuild:retryBuildBatch": (call) => buildBatch(call, "codebuild:RetryBuildBatch", projectOfBuild(call)),
  "codebuild:stopBuild": (call) => call.allow("codebuild:StopBuild", projectOfBuild(call)),
  "codebuild:stopBuildBatch": (call) => call.allow("codebuild:StopBuildBatch", projectOfBuild(call)),
  "codebuild:deleteBuildBatch": (call) => call.allow("codebuild:DeleteBuildBatch", projectOfBuild(call)),
  "codebuild:batchDeleteBuilds": (call) => call.allow("codebuild:BatchDeleteBuilds", call.arn("codebuild", "project/*")),
  "codebuild:batchGetReports": (call) => call.allow("codebuild:BatchGetReports", call.arn("codebuild", "report-group/*")),
  "databrew:startJobRun": (call) => {
    const job = call.find("Name", "databrew", (name) => `job/${name}`);
    call.allow("databrew:StartJobRun", job);
    call.whileWaiting(["databrew:ListJobRuns", "databrew:StopJobRun"], job);
  },
  "dynamodb:getItem": (call) => call.allow("dynamodb:GetItem", table(call)),
  "dynamodb:putItem": (call) => call.allow("dynamodb:PutItem", table(call)),
  "dynamodb:updateItem": (call) => call.allow("dynamodb:UpdateItem", table(call)),
  "dynamodb:deleteItem": (call) => call.allow("dynamodb:DeleteItem", table(call)),
  "ecs:runTask": (call) => {
    call.allow(
      "ecs:RunTask",
      call.find("TaskDefinition", "ecs", (name) => `task-definition/${/[:*]/.test(name) ? name : `${name}:*`}`),
    );
    call.whileWaiting(["ecs:StopTask", "ecs:DescribeTasks"], call.arn("ecs", "task/*"));
    call.rule("StepFunctionsGetEventsForECSTaskRule");
    for (const role of ["TaskRoleArn", "ExecutionRoleArn"]) call.passes(["Overrides", role], "ecs-tasks.amazonaws.com");
    call.lacks(
      "iam:PassRole",
      "elsewhere",
      "the task definition says which task role and execution role it has: add iam:PassRole for them",
    );
  },
  "eks:call": kubernetes,
  "eks:runJob": kubernetes,
  ...Object.fromEntries(
    ["createCluster", "deleteCluster", "createFargateProfile", "deleteFargateProfile", "createNodegroup", "deleteNodegroup"].map(
      (action) => [`eks:${action}`, (call: Call) => eks(call, action)],
    ),
  ),
  "elasticmapreduce:createCluster": (call) => {
    call.allow("elasticmapreduce:RunJobFlow", "*");
    call.whileWaiting(
      ["elasticmapreduce:DescribeCluster", "elasticmapreduce:TerminateJobFlows"],
      call.arn("elasticmapreduce", "cluster/*"),
    );
    call.rule("StepFunctionsGetEventForEMRRunJobFlowRule");
    for (const role of ["ServiceRole", "JobFlowRole", "AutoScalingRole"]) call.passes(role);
  },
  "elasticmapreduce:terminateCluster": (call) => {
    call.allow("elasticmapreduce:TerminateJobFlows", emrCluster(call));
    call.whileWaiting("elasticmapreduce:DescribeCluster", emrCluster(call));
    call.rule("StepFunctionsGetEventForEMRTerminateJobFlowsRule");
  },
  "elasticmapreduce:addStep": (call) => {
    call.allow("elasticmapreduce:AddJobFlowSteps", emrCluster(call));
    call.whileWaiting(["elasticmapreduce:DescribeStep", "elasticmapreduce:CancelSteps"], emrCluster(call));
    call.rule("StepFunctionsGetEventForEMRAddJobFlowStepsRule");
    call.passes("ExecutionRoleArn");
  },
  "elasticmapreduce:cancelStep": (call) => call.allow("elasticmapreduce:CancelSteps", emrCluster(call)),
  "elasticmapreduce:setClusterTerminationProtection": (call) => call.allow("elasticmapreduce:SetTerminationProtection", emrCluster(call)),
  "elasticmapreduce:modifyInstanceFleetByName": (call) =>
    call.allow(["elasticmapreduce:ModifyInstanceFleet", "elasticmapreduce:ListInstanceFleets"], emrCluster(call)),
  "elasticmapreduce:modifyInstanceGroupByName": (call) =>
    call.allow(["elasticmapreduce:ModifyInstanceGroups", "elasticmapreduce:ListInstanceGroups"], emrCluster(call)),
  "emr-containers:createVirtualCluster": (call) => {
    call.allow("emr-containers:CreateVirtualCluster", "*");
    linkedRole(call, "AWSServiceRoleForAmazonEMRContainers", "emr-containers.amazonaws.com");
  },
  "emr-containers:deleteVirtualCluster": (call) => {
    const cluster = call.find("Id", "emr-containers", (id) => `/virtualclusters/${id}`);
    call.allow("emr-containers:DeleteVirtualCluster", cluster);
    call.whileWaiting("emr-containers:DescribeVirtualCluster", cluster);
  },
  "emr-containers:startJobRun": (call) => {
    const cluster = call.find("VirtualClusterId", "emr-containers", (id) => `/virtualclusters/${id}`);
    const role = call.value("ExecutionRoleArn");
    call.allow(
      "emr-containers:StartJobRun",
      cluster,
      role.reason === undefined ? { StringEquals: { "emr-containers:ExecutionRoleArn": role.text } } : undefined,
    );
    call.whileWaiting(
      ["emr-containers:DescribeJobRun", "emr-containers:CancelJobRun"],
      cluster.resources.map((arn) => `${arn}/jobruns/*`)[0] ?? "*",
    );
  },
  "emr-serverless:createApplication": (call) => {
    call.allow("emr-serverless:CreateApplication", call.arn("emr-serverless", "/*"));
    call.whileWaiting(["emr-serverless:GetApplication", "emr-serverless:DeleteApplication"], call.arn("emr-serverless", "/applications/*"));
    call.rule("StepFunctionsGetEventsForEMRServerlessApplicationRule");
    linkedRole(call, "AWSServiceRoleForAmazonEMRServerless", "ops.emr-serverless.amazonaws.com");
  },
  "emr-serverless:startApplication": (call) => application(call, "StartApplication", ["GetApplication", "StopApplication"]),
  "emr-serverless:stopApplication": (call) => application(call, "StopApplication", ["GetApplication"]),
  "emr-serverless:deleteApplication": (call) => application(call, "DeleteApplication", ["GetApplication"]),
  "emr-serverless:startJobRun": (call) => {
    const found = call.find("ApplicationId", "emr-serverless", (id) => `/applications/${id}`);
    call.allow("emr-serverless:StartJobRun", found);
    call.whileWaiting(["emr-serverless:GetJobRun", "emr-serverless:CancelJobRun"], `${found.resources[0]}/jobruns/*`);
    call.rule("StepFunctionsGetEventsForEMRServerlessJobRule");
    call.passes("ExecutionRoleArn", "emr-serverless.amazonaws.com");
  },
  "emr-serverless:cancelJobRun": (call) => {
    const { resources, gap } = call.find("ApplicationId", "emr-serverless", (id) => `/applications/${id}`);
    const run = call.value("JobRunId").text ?? "*";
    const found = { resources: resources.map((arn) => `${arn}/jobruns/${run}`), ...(gap && { gap }) };
    call.allow("emr-serverless:CancelJobRun", found);
    call.whileWaiting("emr-serverless:GetJobRun", found.resources[0] ?? "*");
    call.rule("StepFunctionsGetEventsForEMRServerlessJobRule");
  },
  "events:putEvents": putEvents,
  "glue:startJobRun": (call) => {
    const job = call.find("JobName", "glue", (name) => `job/${name}`);
    call.allow("glue:StartJobRun", job);
    call.whileWaiting(["glue:GetJobRun", "glue:GetJobRuns", "glue:BatchStopJobRun"], { resources: job.resources });
  },
  "http:invoke": http,
  "lambda:invoke": (call) => call.allow("lambda:InvokeFunction", functionNamed(call)),
  "mediaconvert:createJob": (call) => {
    call.allow(
      "mediaconvert:CreateJob",
      ["queues/*", "jobTemplates/*", "presets/*"].map((resource) => call.arn("mediaconvert", resource)),
    );
    call.whileWaiting(["mediaconvert:GetJob", "mediaconvert:CancelJob"], call.arn("mediaconvert", "jobs/*"));
    call.passes("Role", "mediaconvert.amazonaws.com");
    call.rule("StepFunctionsGetEventsForMediaConvertJobRule");
  },
  ...Object.fromEntries(
    (
      [
        ["TrainingJob", "TrainingJobName", "training-job", "TrainingJobs"],
        ["TransformJob", "TransformJobName", "transform-job", "TransformJobs"],
        ["HyperParameterTuningJob", "HyperParameterTuningJobName", "hyper-parameter-tuning-job", "TuningJobs"],
        ["LabelingJob", "LabelingJobName", "labeling-job", "LabelingJobs"],
        ["ProcessingJob", "ProcessingJobName", "processing-job", "ProcessingJobs"],
      ] as const
    ).map(([job, parameter, kind, rule]): [string, Rule] => [
      `sagemaker:create${job}`,
      (call) => {
        const found = sagemaker(call, parameter, kind);
        call.allow([`sagemaker:Create${job}`, "sagemaker:AddTags"], found);
        call.whileWaiting([`sagemaker:Describe${job}`, `sagemaker:Stop${job}`], { resources: found.resources });
        call.rule(`StepFunctionsGetEventsForSageMaker${rule}Rule`);
        call.passes("RoleArn", "sagemaker.amazonaws.com");
        call.passes(["TrainingJobDefinition", "RoleArn"], "sagemaker.amazonaws.com");
      },
    ]),
  ),
  "sagemaker:createModel": (call) => {
    call.allow(["sagemaker:CreateModel", "sagemaker:AddTags"], sagemaker(call, "ModelName", "model"));
    call.passes("ExecutionRoleArn", "sagemaker.amazonaws.com");
  },
  "sagemaker:createEndpointConfig": (call) =>
    call.allow(["sagemaker:CreateEndpointConfig", "sagemaker:AddTags"], sagemaker(call, "EndpointConfigName", "endpoint-config")),
  "sagemaker:createEndpoint": (call) => {
    call.allow(["sagemaker:CreateEndpoint", "sagemaker:AddTags"], sagemaker(call, "EndpointName", "endpoint"));
    call.allow("sagemaker:CreateEndpoint", sagemaker(call, "EndpointConfigName", "endpoint-config"));
  },
  "sagemaker:updateEndpoint": (call) => {
    call.allow("sagemaker:UpdateEndpoint", sagemaker(call, "EndpointName", "endpoint"));
    call.allow("sagemaker:UpdateEndpoint", sagemaker(call, "EndpointConfigName", "endpoint-config"));
  },
  "sns:publish": (call) => {
    if (call.has("PhoneNumber")) call.allow("sns:Publish", "*");
    else
      call.allow(
        "sns:Publish",
        call.find(call.has("TargetArn") ? "TargetArn" : "TopicArn", "sns", (name) => name),
      );
  },
  "sqs:sendMessage": (call) => call.allow("sqs:SendMessage", queue(call)),
  "states:startExecution": startExecution,
};

/** Returns the queue of a request. Its URL contains region, account and name. */
export function queue(call: Call): Found {
  return call.resource(["QueueUrl"], (url) => queueArn(call, url));
}

/** Returns the table of a request. */
export function table(call: Call): Found {
  return call.find("TableName", "dynamodb", (name) => `table/${name}`);
}

/** Returns the function of a request, with the qualifier if there is one, because IAM identifies versions and aliases by it. */
export function functionNamed(call: Call): Found {
  const found = call.resource(["FunctionName"], (name) => functionArn(call, name));
  if (!call.has("Qualifier")) return found;
  const qualifier = call.value("Qualifier").text ?? "*";
  return { ...found, resources: found.resources.map((arn) => `${arn}:${qualifier}`) };
}

/**
 * Adds permissions for StartExecution, with those that `.sync` needs to poll and to stop (Developer Guide, "Start a new workflow").
 */
export function startExecution(call: Call): void {
  const machine = call.find("StateMachineArn", "states", (name) => `stateMachine:${name}`);
  call.allow("states:StartExecution", machine);
  // A version or an alias belongs to the machine, whose name is part of its executions' ARNs.
  const executions = machine.resources.map((arn) => {
    const [name = "*"] = arn.split(":stateMachine:")[1]?.split(":") ?? [];
    return `${arn.split(":stateMachine:")[0]}:execution:${name}:*`;
  });
  call.whileWaiting(["states:DescribeExecution", "states:StopExecution"], { resources: executions });
  call.rule("StepFunctionsGetEventsForStepFunctionsExecutionRule");
}

/** Adds permissions for PutEvents to the buses of the entries. */
export function putEvents(call: Call): void {
  const entries = call.list("Entries");
  if (entries === undefined || entries.length === 0) {
    call.allow(
      "events:PutEvents",
      call.find("Entries", "events", () => "event-bus/*"),
    );
    return;
  }
  entries.forEach((entry, i) => {
    const named = isObject(entry) && ("EventBusName" in entry || "EventBusName.$" in entry);
    call.allow("events:PutEvents", named ? busOf(call, entry, i) : call.arn("events", "event-bus/default"));
  });
}

function busOf(call: Call, entry: Record<string, unknown>, i: number): Found {
  return call.within(entry, `Entries/${i}`).find("EventBusName", "events", (name) => `event-bus/${name}`);
}

/** Adds permissions for calls of HTTPS endpoints (Developer Guide, "Call HTTPS APIs"). */
function http(call: Call): void {
  const machine = call.arn("states", `stateMachine:${call.options.name ?? "*"}`);
  const method = call.value("Method");
  const endpoint = call.value("ApiEndpoint");
  call.allow(
    "states:InvokeHTTPEndpoint",
    {
      resources: [machine],
      ...(endpoint.reason !== undefined && {
        gap: { reason: endpoint.reason, pointer: endpoint.pointer, message: "ApiEndpoint is not known, so every endpoint is allowed" },
      }),
    },
    {
      ...(method.reason === undefined && { StringEquals: { "states:HTTPMethod": method.text } }),
      ...(endpoint.text !== undefined && { StringLike: { "states:HTTPEndpoint": endpoint.text } }),
    },
  );
  const within = call.has("InvocationConfig") ? "InvocationConfig" : "Authentication";
  call.allow(
    "events:RetrieveConnectionCredentials",
    call.find([within, "ConnectionArn"], "events", (name) => `connection/${name}`),
  );
  call.allow(["secretsmanager:GetSecretValue", "secretsmanager:DescribeSecret"], call.arn("secretsmanager", "secret:events!connection/*"));
}

/** Adds permissions for REST and HTTP APIs of API Gateway. Only IAM's authorization needs one. */
function apiGateway(call: Call): void {
  const auth = call.value("AuthType");
  if (auth.reason === "missing" || auth.text === "NO_AUTH" || auth.text === "RESOURCE_POLICY") return;
  const endpoint = call.value("ApiEndpoint");
  const [, id = "*", region] = /^(?:https:\/\/)?([^./]+)\.execute-api\.([^./]+)/.exec(endpoint.text ?? "") ?? [];
  const part = (name: string) => (call.has(name) ? (call.value(name).text ?? "*").replace(/^\//, "") : "");
  const stage = part("Stage") || "*";
  const arn = call.arn("execute-api", `${id}/${stage}/${part("Method") || "*"}/${part("Path")}`, region === undefined ? {} : { region });
  const gap = endpoint.reason && { reason: endpoint.reason, pointer: endpoint.pointer, message: "ApiEndpoint is not known" };
  call.allow("execute-api:Invoke", { resources: [arn], ...(gap && { gap }) });
}

function kubernetes(call: Call): void {
  call.lacks([], "elsewhere", "Kubernetes itself decides what the role can do: map the role to a group in the cluster");
}

/** Adds permissions for clusters, node groups and profiles of EKS. */
function eks(call: Call, action: string): void {
  const operation = action.charAt(0).toUpperCase() + action.slice(1);
  const noun = operation.replace(/^(Create|Delete)/, "");
  const cluster = call.value("ClusterName").text ?? "*";
  const found: Found =
    noun === "Cluster"
      ? call.find("Name", "eks", (name) => `cluster/${name}`)
      : call.find("ClusterName", "eks", (name) => `cluster/${name}`);
  call.allow(`eks:${operation}`, found);
  const inside = noun === "Nodegroup" ? `nodegroup/${cluster}/*/*` : `fargateprofile/${cluster}/*/*`;
  const own = noun === "Cluster" ? found.resources : [call.arn("eks", inside)];
  if (noun !== "Cluster" && operation.startsWith("Delete")) call.allow(`eks:${operation}`, own);
  call.whileWaiting([`eks:Describe${noun}`, ...(operation.startsWith("Create") ? [`eks:Delete${noun}`] : [])], { resources: own });
  const role = EKS_ROLES[action];
  if (role === undefined) return;
  call.passes(...role);
  if (noun === "Nodegroup") call.allow("ec2:DescribeSubnets", "*");
  if (noun !== "Cluster") call.allow("iam:GetRole", call.arn("iam", "role/*", { region: "" }));
}

function application(call: Call, action: string, waiting: string[]): void {
  const found = call.find("ApplicationId", "emr-serverless", (id) => `/applications/${id}`);
  call.allow(`emr-serverless:${action}`, found);
  call.whileWaiting(
    waiting.map((name) => `emr-serverless:${name}`),
    { resources: found.resources },
  );
  call.rule("StepFunctionsGetEventsForEMRServerlessApplicationRule");
}

function buildBatch(call: Call, action: string, project: Found): void {
  call.allow(action, project);
  call.whileWaiting(["codebuild:StopBuildBatch", "codebuild:BatchGetBuildBatches"], { resources: project.resources });
  call.rule("StepFunctionsGetEventForCodeBuildStartBuildBatchRule");
}

/** Returns the project of a build's id, `project:uuid`. */
function projectOfBuild(call: Call): Found {
  return call.resource(["Id"], (id) => call.arn("codebuild", `project/${id.replace(/^arn:.*:build(?:-batch)?\//, "").split(":")[0]}`));
}

function emrCluster(call: Call): Found {
  return call.find("ClusterId", "elasticmapreduce", (id) => `cluster/${id}`);
}

function athenaWorkgroup(call: Call): Found {
  if (!call.has("WorkGroup")) return { resources: [call.arn("athena", "workgroup/primary")] };
  return call.find("WorkGroup", "athena", (name) => `workgroup/${name}`);
}

function sagemaker(call: Call, parameter: string, kind: string): Found {
  // IAM uses these names in lower case.
  return call.find(parameter, "sagemaker", (name) => `${kind}/${name.toLowerCase()}`);
}

/** Returns a model of Bedrock: a foundation model, or an inference profile over several regions, which includes its models. */
function bedrockModel(call: Call, parameter: string): Found {
  const { text } = call.value(parameter);
  const profile = /^(?:us|eu|apac|jp|au|us-gov|global)\.(.+)$/.exec(text ?? "")?.[1];
  const foundation = (id: string, region = call.options.region ?? "*") =>
    call.arn("bedrock", `foundation-model/${id}`, { region, account: "" });
  if (text !== undefined && profile !== undefined)
    return { resources: [call.arn("bedrock", `inference-profile/${text}`), foundation(profile, "*")] };
  return call.resource([parameter], (name) => (name.startsWith("arn:") ? name : foundation(name)));
}

/** Adds the permission to create the service-linked role at the first call of an account. */
function linkedRole(call: Call, role: string, service: string): void {
  call.allow("iam:CreateServiceLinkedRole", call.arn("iam", `role/aws-service-role/${service}/${role}*`, { region: "" }), {
    StringLike: { "iam:AWSServiceName": service },
  });
}

function s3Object(call: Call, uri: string): string {
  const { bucket, key } = bucketAndKey(uri);
  return s3Arn(call, `${bucket}/${key || "*"}`);
}
