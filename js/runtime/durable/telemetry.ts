// Spans for OpenTelemetry. The user passes the API, so this package has no dependency on it.

import type { Task, TaskHandler } from "../../core/api/index.d.ts";
import type { ExecutionRecord, TelemetryApi, TelemetrySpan } from "../../core/api/durable.d.ts";
import { isTaskError, messageOf } from "../../core/base/errors.ts";

/** The part of a trace that is stored in a record, so that the trace continues after a restart. */
type SpanContext = ReturnType<TelemetrySpan["spanContext"]>;

// Values of OpenTelemetry's enums SpanStatusCode and SpanKind.
const ERROR = 2;
const PRODUCER = 3;
const CONSUMER = 4;

/** Returns the attributes of OpenTelemetry's conventions for messaging: an operation on a message, its destination and its id. */
function message(type: "send" | "process", name: string, destination: string, id: string): Record<string, string> {
  return {
    "messaging.system": "stepglass",
    "messaging.operation.type": type,
    "messaging.operation.name": name,
    "messaging.destination.name": destination,
    "messaging.message.id": id,
  };
}

export class Telemetry {
  readonly #api: TelemetryApi;
  readonly #tracer: ReturnType<TelemetryApi["trace"]["getTracer"]>;

  constructor(api: TelemetryApi) {
    this.#api = api;
    this.#tracer = api.trace.getTracer("stepglass");
  }

  /**
   * Creates the span of a start, in the trace of the caller. All later spans of the execution are part of that trace, also in
   * another process.
   */
  started(machine: string, arn: string, startTime: number): { trace: SpanContext } {
    const attributes = { ...message("send", "start", machine, arn), "stepglass.execution.arn": arn };
    const span = this.#tracer.startSpan(`start ${machine}`, { kind: PRODUCER, startTime: new Date(startTime), attributes });
    const { traceId, spanId, traceFlags } = span.spanContext();
    span.end();
    return { trace: { traceId, spanId, traceFlags } };
  }

  /** Creates the span of a whole execution, from its start to its end. */
  ended({ id, machine, status, startDate, stopDate, error, cause, trace }: ExecutionRecord): void {
    const attributes = {
      "stepglass.execution.arn": id,
      "stepglass.execution.status": status,
      ...(status !== "SUCCEEDED" && { "error.type": error ?? status }),
    };
    // The time is a Date, because some versions of the SDK read a number from before the start of the process as an offset from
    // that start.
    const startTime = new Date(startDate);
    const span = this.#tracer.startSpan(String(machine), { startTime, attributes }, this.#within(trace as SpanContext | undefined));
    if (status !== "SUCCEEDED") span.setStatus({ code: ERROR, message: [error ?? status, cause].filter(Boolean).join(": ") });
    span.end(stopDate === undefined ? undefined : new Date(stopDate));
  }

  /** Returns a handler that creates a span for each of its calls. The span is active during the call. */
  traced(handler: TaskHandler, traceOf: (arn: string) => unknown): TaskHandler {
    return (input: unknown, task: Task) => {
      const { stateName, resource, attempt, idempotencyKey, execution } = task;
      const parent = this.#within(traceOf(execution.arn) as SpanContext | undefined);
      const attributes = {
        ...message("process", "process", resource, idempotencyKey),
        "faas.trigger": "pubsub",
        "faas.invocation.id": `${idempotencyKey}#${attempt}`,
        "stepglass.execution.arn": execution.arn,
        "stepglass.state.name": stateName,
        "stepglass.task.resource": resource,
        "stepglass.task.attempt": attempt,
        "stepglass.task.idempotency_key": idempotencyKey,
      };
      const span = this.#tracer.startSpan(stateName, { kind: CONSUMER, attributes }, parent);
      const fail = (thrown: unknown): never => {
        const message = isTaskError(thrown) ? `${thrown.error}: ${thrown.errorCause ?? ""}` : messageOf(thrown);
        span.recordException(thrown instanceof Error ? thrown : new Error(message));
        span.setStatus({ code: ERROR, message });
        span.setAttribute?.(
          "error.type",
          (isTaskError(thrown) ? thrown.error : thrown instanceof Error ? thrown.name : undefined) ?? "_OTHER",
        );
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
