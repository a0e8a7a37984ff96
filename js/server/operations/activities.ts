// The operations of activities and task tokens.

import { argumentText } from "../../core/tasks/integration.ts";
import { KnownText } from "../../core/tasks/known-text.ts";
import { type TakenTask, takeTask, taskAnywhere } from "../executions/activity-tasks.ts";
import { RegisteredActivity } from "../storage/activity.ts";
import { activityArn, checkName } from "../protocol/arn.ts";
import { ApiError, noActivity } from "../protocol/errors.ts";
import { jsonProblem } from "../protocol/json.ts";
import type { OperationContext, OperationsOf } from "./operation.ts";
import { pageOf } from "../protocol/paging.ts";
import { tagsOf } from "./tags.ts";
import { seconds } from "../protocol/responses.ts";
import type { Empty, Paged } from "../protocol/responses.ts";
import type { EncryptionConfiguration } from "../protocol/shapes.ts";

interface CreateActivityOutput {
  activityArn: string;
  creationDate: number;
}

interface DescribeActivityOutput extends CreateActivityOutput {
  name: string;
  encryptionConfiguration: EncryptionConfiguration;
}

interface ListActivitiesOutput extends Paged {
  activities: { activityArn: string; name: string; creationDate: number }[];
}

/** The task; empty if none was scheduled while the request waited. */
type GetActivityTaskOutput = Partial<TakenTask>;

/** The responses of the operations of activities and task tokens. */
export interface ActivityResponses {
  CreateActivity: CreateActivityOutput;
  DeleteActivity: Empty;
  DescribeActivity: DescribeActivityOutput;
  ListActivities: ListActivitiesOutput;
  GetActivityTask: GetActivityTaskOutput;
  SendTaskSuccess: Empty;
  SendTaskFailure: Empty;
  SendTaskHeartbeat: Empty;
}

const MAX_WORKERS = 1000;

/** Returns the activity of an ARN. Throws ActivityDoesNotExist. */
function find(service: OperationContext, arn: string): RegisteredActivity {
  const activity = service.activities.get(activityArn(arn));
  if (activity === undefined) throw noActivity(arn);
  return activity;
}

/** Returns the given configuration, or AWS's default: encryption with a key that AWS owns. Throws InvalidEncryptionConfiguration. */
export function encryptionOf(configuration: EncryptionConfiguration | undefined): EncryptionConfiguration {
  if (configuration?.type === "CUSTOMER_MANAGED_KMS_KEY" && configuration.kmsKeyId === undefined)
    throw new ApiError(
      "InvalidEncryptionConfiguration",
      "Invalid Encryption Configuration: kmsKeyId is required for a customer-managed key",
    );
  return configuration ?? { type: "AWS_OWNED_KEY" };
}

/** The operations of this file, by name. */
export const activityOperations = {
  async CreateActivity(service, { name, tags, encryptionConfiguration }) {
    checkName(name);
    const arn = service.arn("activity", name);
    const known = service.activities.get(arn);
    if (known !== undefined) {
      const same = JSON.stringify(known.about.encryptionConfiguration) === JSON.stringify(encryptionOf(encryptionConfiguration));
      if (!same) throw new ApiError("ActivityAlreadyExists", `Activity Already Exists: '${arn}'`);
      return { activityArn: arn, creationDate: seconds(known.about.creationDate) };
    }
    if (service.count(service.activities) >= service.limits.registered) {
      throw new ApiError("ActivityLimitExceeded", `The limit of ${service.limits.registered} activities is reached`);
    }
    const about = {
      arn,
      name,
      creationDate: service.now(),
      tags: tagsOf(tags, arn),
      encryptionConfiguration: encryptionOf(encryptionConfiguration),
    };
    service.activities.set(arn, new RegisteredActivity(about));
    await service.store.put("activity", arn, about);
    return { activityArn: arn, creationDate: seconds(about.creationDate) };
  },

  async DescribeActivity(service, { activityArn }) {
    const { arn, name, creationDate, encryptionConfiguration } = find(service, activityArn).about;
    return { activityArn: arn, name, creationDate: seconds(creationDate), encryptionConfiguration };
  },

  async DeleteActivity(service, { activityArn: arn }) {
    activityArn(arn);
    service.activities.delete(arn);
    await service.store.remove("activity", arn);
    return {};
  },

  async ListActivities(service, { maxResults, nextToken }) {
    const own = [...service.activities.values()].map(({ about }) => about).filter(({ arn }) => service.owns(arn));
    const sorted = own.sort((a, b) => (a.name < b.name ? -1 : 1));
    const { items, ...more } = pageOf(sorted, { list: "activities", key: ({ name }) => name, maxResults, nextToken });
    return {
      activities: items.map(({ arn, name, creationDate }) => ({ activityArn: arn, name, creationDate: seconds(creationDate) })),
      ...more,
    };
  },

  async GetActivityTask(service, { activityArn, workerName }, { signal }) {
    const activity = find(service, activityArn);
    if (activity.workers >= MAX_WORKERS)
      throw new ApiError("ActivityWorkerLimitExceeded", `At most ${MAX_WORKERS} workers can poll an activity`);
    const poll = new AbortController();
    const timer = setTimeout(() => poll.abort(), service.limits.poll);
    const leave = (): void => poll.abort();
    signal?.addEventListener("abort", leave, { once: true });
    service.polls.add(poll);
    activity.workers += 1;
    try {
      const wanted = { workerName, signal: poll.signal };
      return await (service.store.sharing === undefined ? takeTask : taskAnywhere)(service, activity, wanted);
    } catch (error) {
      if (!poll.signal.aborted) throw error;
      // No task came while the request waited. The response is empty, and the worker polls again.
      return {};
    } finally {
      activity.workers -= 1;
      service.polls.delete(poll);
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    }
  },

  async SendTaskSuccess(service, { taskToken, output }) {
    await service.runner.checkToken(taskToken);
    const problem = output.trim() === "" ? "Invalid task output." : jsonProblem(output);
    if (problem !== undefined) throw new ApiError("InvalidOutput", `Invalid Output: '${problem}'`);
    await service.runner.answer(taskToken, "succeed", argumentText(new KnownText(output), "the output"));
    return {};
  },

  async SendTaskFailure(service, { taskToken, error, cause }) {
    await service.runner.answer(taskToken, "fail", error, cause);
    return {};
  },

  async SendTaskHeartbeat(service, { taskToken }) {
    await service.runner.answer(taskToken, "heartbeat");
    return {};
  },
} satisfies OperationsOf<ActivityResponses>;
