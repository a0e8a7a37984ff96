// A registered activity: its queue, and its record in the store.

import type { Store } from "../../core/api/durable.d.ts";
import { Activity } from "../../core/tasks/activity.ts";
import type { Tag } from "./records.ts";
import type { EncryptionConfiguration } from "../protocol/shapes.ts";

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
export async function loadActivities({
  store,
  activities,
}: {
  readonly store: Store;
  readonly activities: Map<string, RegisteredActivity>;
}): Promise<void> {
  for await (const [arn, about] of store.all("activity")) activities.set(arn, new RegisteredActivity(about));
}
