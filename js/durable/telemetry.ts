// Spans for OpenTelemetry. The host of a runtime passes the API: this package has no dependency on it.

import type { Task, TaskHandler } from "../api/index.d.ts";
import type { ExecutionRecord, TelemetryApi, TelemetrySpan } from "../api/durable.d.ts";
import { isTaskError, messageOf } from "../base/errors.ts";

/** What a record keeps of its trace, so that it goes on after a restart. */
type SpanContext = ReturnType<TelemetrySpan["spanContext"]>;

// SpanStatusCode.ERROR of OpenTelemetry.
const ERROR = 2;

export class Telemetry {
  readonly #api: TelemetryApi;
  readonly #tracer: ReturnType<TelemetryApi["trace"]["getTracer"]>;

  constructor(api: TelemetryApi) {
    this.#api = api;
    this.#tracer = api.trace.getTracer("stepglass");
  }

  /** The span of a start, in the trace of whoever starts; what follows is part of it, also in another process. */
  started(machine: string, arn: string, startTime: number): { trace: SpanContext } {
    const attributes = { "stepglass.execution.arn": arn };
    const span = this.#tracer.startSpan(`start ${machine}`, { startTime: new Date(startTime), attributes });
    const { traceId, spanId, traceFlags } = span.spanContext();
    span.end();
    return { trace: { traceId, spanId, traceFlags } };
  }

  /** The span of a whole execution, from its start to its end. */
  ended({ id, machine, status, startDate, stopDate, error, cause, trace }: ExecutionRecord): void {
    const attributes = { "stepglass.execution.arn": id, "stepglass.execution.status": status };
    // Not a number: some versions of the SDK take one from before the process began for a time that counts from then.
    const startTime = new Date(startDate);
    const span = this.#tracer.startSpan(String(machine), { startTime, attributes }, this.#within(trace as SpanContext | undefined));
    if (status !== "SUCCEEDED") span.setStatus({ code: ERROR, message: [error ?? status, cause].filter(Boolean).join(": ") });
    span.end(stopDate === undefined ? undefined : new Date(stopDate));
  }

  /** A handler with a span for each of its calls, which is active while it runs. */
  traced(handler: TaskHandler, traceOf: (arn: string) => unknown): TaskHandler {
    return (input: unknown, task: Task) => {
      const { stateName, resource, attempt, idempotencyKey, execution } = task;
      const parent = this.#within(traceOf(execution.arn) as SpanContext | undefined);
      const attributes = {
        "stepglass.execution.arn": execution.arn,
        "stepglass.state.name": stateName,
        "stepglass.task.resource": resource,
        "stepglass.task.attempt": attempt,
        "stepglass.task.idempotency_key": idempotencyKey,
      };
      const span = this.#tracer.startSpan(stateName, { attributes }, parent);
      const fail = (thrown: unknown): never => {
        const message = isTaskError(thrown) ? `${thrown.error}: ${thrown.errorCause ?? ""}` : messageOf(thrown);
        span.recordException(thrown instanceof Error ? thrown : new Error(message));
        span.setStatus({ code: ERROR, message });
        span.end();
        throw thrown;
      };
      let answer: unknown;
      try {
        answer = this.#api.context.with(this.#api.trace.setSpan(parent, span), () => handler(input, task));
      } catch (thrown) {
        return fail(thrown);
      }
      return Promise.resolve(answer).then((value) => (span.end(), value), fail);
    };
  }

  #within(trace: SpanContext | undefined): unknown {
    const { context, trace: api } = this.#api;
    return trace === undefined
      ? context.active()
      : api.setSpanContext(this.#api.ROOT_CONTEXT ?? context.active(), { ...trace, isRemote: true });
  }
}
