// The requests of the console to its server; docs/server.md describes them.

import type { Status } from "./query.ts";

export type StatusCounts = Partial<Record<Status, number>>;
export type Action = "signal" | "cancel" | "stop" | "redrive" | "resume" | "migrate";

export interface Execution {
  executionArn: string;
  name: string;
  stateMachineArn: string;
  stateMachineName: string;
  type: "STANDARD" | "EXPRESS";
  status: Status;
  startDate: string;
  stopDate?: string;
  suspended?: string;
  attributes?: Record<string, string | number | boolean>;
  redrivable: boolean;
}

export interface ExecutionPage {
  executions: Execution[];
  before?: number;
}

export interface Counts {
  statuses: StatusCounts;
  machines: { stateMachineArn: string; name: string; statuses: StatusCounts }[];
  from: string;
  /** The length of an interval, in milliseconds. */
  width: number;
  intervals: StatusCounts[];
}

export interface About {
  kind: "server" | "runtime" | "store";
  actions: Action[];
  page: boolean;
  user?: string;
}

export interface BulkReport {
  done: string[];
  refused: { executionArn: string; type: string; reason: string }[];
}

/** Fetches JSON. Throws an Error with the server's message. */
async function request<Answer>(path: string, init?: RequestInit): Promise<Answer> {
  let answer: Response;
  try {
    answer = await fetch(`/debugger/api/${path}`, init);
  } catch {
    throw new Error("The server cannot be reached.");
  }
  const body = (await answer.json().catch(() => ({}))) as Answer & { message?: string };
  if (!answer.ok) throw new Error(body.message ?? `The server has answered with status ${answer.status}.`);
  return body;
}

export const api = {
  about: () => request<About>("console"),
  list: (parameters: URLSearchParams, signal?: AbortSignal) => request<ExecutionPage>(`executions?${parameters}`, signal && { signal }),
  counts: (parameters: URLSearchParams, signal?: AbortSignal) => request<Counts>(`counts?${parameters}`, signal && { signal }),
  bulk: (action: Action, executions: readonly string[], more: object) =>
    request<BulkReport>("bulk", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...more, action, executions }),
    }),
};
