// Calls one API of an AWS service.

import type { MemberText, Schema, Style } from "./shapes.ts";
import { TaskError } from "../core/base/errors.ts";
import { OPTIMIZED_STYLE, SDK_STYLE, toRequest, toResponse } from "./shapes.ts";
import type { HttpResponse, ServiceClient } from "./clients.ts";
import { stateError } from "./errors.ts";
import type { Members } from "./jobs.ts";
import type { OptimizedService } from "./services.ts";

/** A call of an API. */
export interface ApiCall {
  client: ServiceClient;
  /** The API, as in a Resource: `sendMessage`. */
  action: string;
  /** Absent for SDK integrations. */
  optimized?: OptimizedService | undefined;
  request: Members;
  memberText?: MemberText | undefined;
  signal?: AbortSignal | undefined;
}

/** The response of a call. */
interface ApiAnswer {
  value: Members;
  http: HttpResponse;
  requestId: string | undefined;
}

/** Calls an API. Throws a TaskError with the names of Step Functions, or the reason of the signal. */
export async function callApi({ client, action, optimized, request, memberText, signal }: ApiCall): Promise<ApiAnswer> {
  const Command = client.command(action);
  if (Command === undefined)
    throw new TaskError("States.Runtime", `${client.package} has no API ${action}: does this version of the package have it?`);
  const [input, output] = schemasOf(new Command({}).schema, client);
  const style: Style = optimized === undefined ? SDK_STYLE : OPTIMIZED_STYLE;
  const answered: { response?: HttpResponse } = {};
  try {
    const answer = await client.send(new Command(toRequest(input, request, memberText) as object), answered, signal);
    const { requestId } = (answer.$metadata ?? {}) as { requestId?: string };
    const value = ((await toResponse(output, answer, style)) ?? {}) as Members;
    return { value, http: answered.response ?? { status: 200, headers: [] }, requestId };
  } catch (thrown) {
    if (signal?.aborted) throw signal.reason;
    throw stateError(thrown, client, optimized);
  }
}

/** Returns the schemas of an operation's input and output. */
function schemasOf(operation: Schema | undefined, client: ServiceClient): [input: Schema, output: Schema] {
  const schema = typeof operation === "function" ? operation() : operation;
  if (Array.isArray(schema) && schema[0] === 9) return [schema[4] as Schema, schema[5] as Schema];
  throw new TaskError(
    "States.Runtime",
    `${client.package} is too old, because its commands do not say which shapes they have: npm install ${client.package}@latest`,
  );
}

/** Returns the response of an optimized integration: with metadata of the HTTP response, its members sorted by name. */
export function withMetadata(value: Members, { http, requestId }: Pick<ApiAnswer, "http" | "requestId">): Members {
  const all: Record<string, string[]> = {};
  for (const [name, text] of http.headers) (all[name] ??= []).push(text);
  const one = Object.fromEntries(Object.entries(all).map(([name, texts]) => [name, texts.join(",")]));
  const whole: Members = {
    ...value,
    SdkHttpMetadata: { AllHttpHeaders: all, HttpHeaders: one, HttpStatusCode: http.status },
    SdkResponseMetadata: { RequestId: requestId ?? null },
  };
  return Object.fromEntries(Object.entries(whole).sort(([a], [b]) => (a < b ? -1 : 1)));
}
