// The operations of tags.

import { machineArn, resourceArn } from "../protocol/arn.ts";
import { ApiError, invalid, noResource } from "../protocol/errors.ts";
import type { OperationsOf } from "./operation.ts";
import type { Tag } from "../storage/records.ts";
import type { Registry } from "../storage/registry.ts";
import type { Empty } from "../protocol/responses.ts";
import type { GivenTag } from "../protocol/shapes.ts";

/** The responses of the operations of tags. */
export interface TagResponses {
  TagResource: Empty;
  UntagResource: Empty;
  ListTagsForResource: { tags: Tag[] };
}

const MAX_TAGS = 50;

/** Merges the tags of a request into those of a resource. Throws TooManyTags, and ValidationException for keys that AWS reserves. */
export function tagsOf(tags: GivenTag[] = [], arn: string, before: Tag[] = []): Tag[] {
  if (tags.some(({ key }) => /^aws:/i.test(key ?? ""))) throw invalid("Tag keys that begin with 'aws:' are reserved for AWS");
  const all = new Map(before.map(({ key, value }) => [key, value]));
  for (const { key, value = "" } of tags) if (key !== undefined) all.set(key, value);
  if (all.size > MAX_TAGS) throw new ApiError("TooManyTags", `The resource can have at most ${MAX_TAGS} tags`, { resourceName: arn });
  return [...all].map(([key, value]) => ({ key, value }));
}

/** Returns the machine or activity of an ARN, with its tags, and a function that writes it to the store. Throws ResourceNotFound. */
function tagged({ store, machines, activities }: Registry, arn: string): { holder: { tags: Tag[] }; save: () => Promise<void> } {
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
export const tagOperations = {
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
} satisfies OperationsOf<TagResponses>;
