// @ts-nocheck: has no types yet.
// Activities, task tokens, and tags.

import { Activity } from "../tasks/activity.ts";
import { Task } from "../driver/task.ts";
import { JsonText } from "../tasks/integration.ts";
import { activityArn, checkName, resourceArn, machineArn } from "./arn.ts";
import { ApiError, invalid, noActivity, noResource } from "./errors.ts";
import { jsonProblem } from "./json.ts";
import { pageOf } from "./paging.ts";

const TAGS = 50;
const WORKERS = 1000;

const seconds = (time) => time / 1000;

/** A registered activity and its queue. */
class Registered {
  queue = new Activity();
  workers = 0;

  constructor(about) {
    this.about = about;
  }
}

/** The activities that a store has. */
export async function loadActivities({ store, activities }) {
  for await (const [arn, about] of store.all("activity")) activities.set(arn, new Registered(about));
}

function find(service, arn) {
  const activity = service.activities.get(activityArn(arn));
  if (activity === undefined) throw noActivity(arn);
  return activity;
}

/** The tags of a resource with those of a request: `[{key, value}]`. Throws TooManyTags, and ValidationException for AWS's own. */
export function tagsOf(tags = [], arn, before = []) {
  if (tags.some(({ key }) => /^aws:/i.test(key ?? ""))) throw invalid("Tag keys that begin with 'aws:' are reserved for AWS");
  const all = new Map([...before, ...tags].filter(({ key }) => key !== undefined).map(({ key, value = "" }) => [key, value]));
  if (all.size > TAGS) throw new ApiError("TooManyTags", `The resource can have at most ${TAGS} tags`, { resourceName: arn });
  return [...all].map(([key, value]) => ({ key, value }));
}

/** How AWS encrypts what no key was given for. */
export function encryptionOf(configuration) {
  return configuration ?? { type: "AWS_OWNED_KEY" };
}

/** What carries the tags of an ARN, and how it is written back. Throws ResourceNotFound. */
function tagged(service, arn) {
  const { store, machines, activities } = service;
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

function answer(service, token, method, ...rest) {
  service.runner.answer(token, method, ...rest);
  return {};
}

/** The operations of this file, by name. */
export const activityOperations = {
  async CreateActivity(service, { name, tags, encryptionConfiguration }) {
    checkName(name);
    const arn = service.arn("activity", name);
    const known = service.activities.get(arn);
    if (known !== undefined) {
      if (JSON.stringify(known.about.encryptionConfiguration) !== JSON.stringify(encryptionOf(encryptionConfiguration))) throw new ApiError("ActivityAlreadyExists", `Activity Already Exists: '${arn}'`);
      return { activityArn: arn, creationDate: seconds(known.about.creationDate) };
    }
    if (service.activities.size >= service.limits.registered) throw new ApiError("ActivityLimitExceeded", `The limit of ${service.limits.registered} activities is reached`);
    const about = { arn, name, creationDate: service.now(), tags: tagsOf(tags, arn), encryptionConfiguration: encryptionOf(encryptionConfiguration) };
    service.activities.set(arn, new Registered(about));
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
    const sorted = [...service.activities.values()].map(({ about }) => about).filter(({ arn }) => service.owns(arn)).sort((a, b) => (a.name < b.name ? -1 : 1));
    const { items, ...more } = pageOf(sorted, { list: "activities", key: ({ name }) => name, maxResults, nextToken });
    return { activities: items.map(({ arn, name, creationDate }) => ({ activityArn: arn, name, creationDate: seconds(creationDate) })), ...more };
  },

  async GetActivityTask(service, { activityArn, workerName }, { signal } = {}) {
    const activity = find(service, activityArn);
    if (activity.workers >= WORKERS) throw new ApiError("ActivityWorkerLimitExceeded", `At most ${WORKERS} workers can poll an activity`);
    const poll = new AbortController();
    const timer = setTimeout(() => poll.abort(), service.limits.poll);
    const leave = () => poll.abort();
    signal?.addEventListener("abort", leave, { once: true });
    service.polls.add(poll);
    activity.workers += 1;
    try {
      const { taskToken, input, task } = await activity.queue.getTask({ workerName, signal: poll.signal });
      return { taskToken, input: Task.inputText(task) ?? JSON.stringify(input) };
    } catch (error) {
      if (!poll.signal.aborted) throw error;
      // Nothing to do for a minute: an empty answer, and the worker asks again.
      return {};
    } finally {
      activity.workers -= 1;
      service.polls.delete(poll);
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    }
  },

  async SendTaskSuccess(service, { taskToken, output }) {
    service.runner.checkToken(taskToken);
    const problem = output.trim() === "" ? "Invalid task output." : jsonProblem(output);
    if (problem !== undefined) throw new ApiError("InvalidOutput", `Invalid Output: '${problem}'`);
    return answer(service, taskToken, "succeed", new JsonText(output));
  },

  async SendTaskFailure(service, { taskToken, error, cause }) {
    return answer(service, taskToken, "fail", { error, cause });
  },

  async SendTaskHeartbeat(service, { taskToken }) {
    return answer(service, taskToken, "heartbeat");
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
};
