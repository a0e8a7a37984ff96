// The metrics of the server, for Prometheus and others.

import { openMetrics } from "../runtime/durable/metrics.ts";
import type { Context } from "./executions/context.ts";

/** The content type of OpenMetrics text. */
export const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Returns the metrics of the executions, and of the activities as queues, as OpenMetrics text. */
export async function metricsOf({ runner, store, activities }: Pick<Context, "runner" | "store" | "activities">): Promise<string> {
  const { host } = runner;
  const queues = [...activities.values()].map(({ about, queue, workers }) => ({
    name: about.arn,
    waiting: queue.waiting,
    active: queue.active,
    workers,
  }));
  return openMetrics(await host.metrics.read(store, host.resident, queues));
}
