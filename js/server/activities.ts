// Activities, task tokens, and tags.

import { Activity } from "../core/tasks/activity.ts";
import { argumentText } from "../core/tasks/integration.ts";
import { KnownText } from "../core/tasks/known-text.ts";
import { type TakenTask, takeTask, taskAnywhere } from "./activity-tasks.ts";
import { activityArn, checkName, machineArn, resourceArn } from "./arn.ts";
import { ApiError, invalid, noActivity, noResource } from "./errors.ts";
import { jsonProblem } from "./json.ts";
import type { Operations } from "./operations.ts";
import { pageOf } from "./paging.ts";
import type { Tag } from "./records.ts";
import { seconds } from "./responses.ts";
import type { Empty, Paged } from "./responses.ts";
import type { Service } from "./service.ts";
import type { EncryptionConfiguration, GivenTag } from "./shapes.ts";

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

/** The responses of the operations of activities, task tokens and tags. */
export interface ActivityResponses {
  CreateActivity: CreateActivityOutput;
  DeleteActivity: Empty;
  DescribeActivity: DescribeActivityOutput;
  ListActivities: ListActivitiesOutput;
  GetActivityTask: GetActivityTaskOutput;
  SendTaskSuccess: Empty;
  SendTaskFailure: Empty;
  SendTaskHeartbeat: Empty;
  TagResource: Empty;
  UntagResource: Empty;
  ListTagsForResource: { tags: Tag[] };
}

const MAX_TAGS = 50;
const MAX_WORKERS = 1000;

/** The record of an activity in the store. */
interface ActivityRecord {
  arn: string;
  name: string;
  /** Milliseconds since 1970. */
  creationDate: number;
  tags: Tag[];
  encryptionConfiguration: EncryptionConfiguration;
}

/** A registered activity and its queue. */
export class RegisteredActivity {
  readonly about: ActivityRecord;
  readonly queue = new Activity();
  /** The number of workers that wait for a task. */
  workers = 0;

  constructor(about: ActivityRecord) {
    this.about = about;
  }
}

/** Reads the activities from the store. */
export async function loadActivities({ store, activities }: Service): Promise<void> {
  for await (const [arn, about] of store.all("activity")) activities.set(arn, new RegisteredActivity(about));
}

/** Returns the activity of an ARN. Throws ActivityDoesNotExist. */
function find(service: Service, arn: string): RegisteredActivity {
  const activity = service.activities.get(activityArn(arn));
  if (activity === undefined) throw noActivity(arn);
  return activity;
}

/** Merges the tags of a request into those of a resource. Throws TooManyTags, and ValidationException for keys that AWS reserves. */
export function tagsOf(tags: GivenTag[] = [], arn: string, before: Tag[] = []): Tag[] {
  if (tags.some(({ key }) => /^aws:/i.test(key ?? ""))) throw invalid("Tag keys that begin with 'aws:' are reserved for AWS");
  const all = new Map(before.map(({ key, value }) => [key, value]));
  for (const { key, value = "" } of tags) if (key !== undefined) all.set(key, value);
  if (all.size > MAX_TAGS) throw new ApiError("TooManyTags", `The resource can have at most ${MAX_TAGS} tags`, { resourceName: arn });
  return [...all].map(([key, value]) => ({ key, value }));
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

/** Returns the machine or activity of an ARN, with its tags, and a function that writes it to the store. Throws ResourceNotFound. */
function tagged({ store, machines, activities }: Service, arn: string): { holder: { tags: Tag[] }; save: () => Promise<void> } {
  resourceArn(arn);
  const activity = activities.get(arn);
  if (activity !== undefined) return { holder: activity.about, save: () => store.put("activity", arn, activity.about) };
  const machine = machines.get(arn);
  if (machine === undefined) {
    if (arn.includes(":stateMachine:")) machineArn(arn);
    throw noResource(arn);
  }
  return { holder: machine, save: () => store.put("machine", arn, machine.document()) };
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

  async TagResource(service, { resourceArn, tags }) {
    const { holder, save } = tagged(service, resourceArn);
    holder.tags = tagsOf(tags, resourceArn, holder.tags);
    await save();
    return {};
  },

  async UntagResource(service, { resourceArn, tagKeys }) {
    const { holder, save } = tagged(service, resourceArn);
    const keys = new Set(tagKeys);
    holder.tags = holder.tags.filter(({ key }) => !keys.has(key));
    await save();
    return {};
  },

  async ListTagsForResource(service, { resourceArn }) {
    const { holder } = tagged(service, resourceArn);
    return { tags: holder.tags };
  },
} satisfies Partial<Operations>;
