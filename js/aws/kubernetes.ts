// Tasks that call the Kubernetes API of a cluster of EKS: `eks:call` and `eks:runJob` (Developer Guide, "Create and manage Amazon EKS
// clusters").

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { AwsCredentials } from "../core/api/aws.d.ts";
import { TaskError } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { jsonText, membersText } from "../core/tasks/integration.ts";
import { isJsonText } from "../core/tasks/known-text.ts";
import { reasonOf } from "./errors.ts";
import { bodyValue, entriesOf, listOf, urlOf } from "./http.ts";
import { type Members, valueAt } from "./jobs.ts";
import { presigned } from "./sign.ts";
import { until } from "./wait.ts";

/** The context of a call. */
interface ClusterSurroundings {
  credentials: AwsCredentials;
  region: string;
  /** Receives secrets before anything is sent, so that they can be removed from results. */
  addSecrets(secrets: readonly string[]): void;
  signal: AbortSignal;
}

/** The context of `eks:runJob.sync`. */
interface JobSurroundings extends ClusterSurroundings {
  /** Receives the response to the request that creates the job. */
  submitted(answer: Members): void;
  /** Waits until the job may be described again. */
  next(): Promise<void>;
  /** Waits; stops the job when the task is cancelled. */
  waiting(stop: () => Promise<unknown>, wait: () => Promise<Members>): Promise<Members>;
}

/** `eks:call`. */
export function callKubernetes(given: Members, surroundings: ClusterSurroundings): Promise<Members> {
  const { Method, Path, QueryParameters, RequestBody } = given;
  return new Cluster(given, surroundings).ask(String(Method ?? "GET"), String(Path ?? "/"), { query: QueryParameters, body: RequestBody });
}

/** `eks:runJob`. */
export function startJob(given: Members, surroundings: ClusterSurroundings): Promise<Members> {
  return new Cluster(given, surroundings).ask("POST", jobsOf(given), { body: given.Job });
}

/** `eks:runJob.sync`: returns the job after it has ended, with its logs if requested. */
export async function finishJob(given: Members, surroundings: JobSurroundings): Promise<Members> {
  const cluster = new Cluster(given, surroundings);
  const started = await cluster.ask("POST", jobsOf(given), { body: given.Job });
  surroundings.submitted(started);
  const name = String(valueAt(valueOf(started.ResponseBody), "metadata.name"));
  const path = `${jobsOf(given)}/${encodeURIComponent(name)}`;
  // The request to stop must also work after the task was aborted, so it has a signal of its own.
  const stop = () =>
    new Cluster(given, { ...surroundings, signal: new AbortController().signal }).ask("DELETE", path, {
      query: { propagationPolicy: ["Foreground"] },
    });
  return surroundings.waiting(stop, async () => {
    const job = await until(surroundings.next, async () => {
      const now = valueOf((await cluster.ask("GET", path)).ResponseBody);
      return endOf(now) === undefined ? undefined : (now as Members);
    });
    const options = isObject(given.LogOptions) ? given.LogOptions : {};
    const result = options.RetrieveLogs === true ? { ...job, logs: await logsOf(cluster, given, name, options) } : job;
    if (endOf(job) === "Failed") throw new TaskError("States.TaskFailed", jsonText(result));
    return result;
  });
}

function namespaceOf({ Namespace }: Members): string {
  return encodeURIComponent(String(Namespace ?? "default"));
}

function jobsOf(given: Members): string {
  return `/apis/batch/v1/namespaces/${namespaceOf(given)}/jobs`;
}

/** Returns the condition with which a job has ended. */
function endOf(job: unknown): "Complete" | "Failed" | undefined {
  const conditions = valueAt(job, "status.conditions");
  const ends = Array.isArray(conditions) ? conditions.filter((one) => isObject(one) && one.status === "True") : [];
  return (["Complete", "Failed"] as const).find((end) => ends.some(({ type }: Members) => type === end));
}

/** Returns the logs of all containers of a job. A log that cannot be read is replaced by the error. */
async function logsOf(cluster: Cluster, given: Members, job: string, { RawLogs, LogParameters }: Members): Promise<Members> {
  const path = `/api/v1/namespaces/${namespaceOf(given)}/pods`;
  const found = await cluster.ask("GET", path, { query: { labelSelector: [`job-name=${job}`] } });
  const pods: Members = {};
  for (const pod of listAt(valueOf(found.ResponseBody), "items")) {
    const name = String(valueAt(pod, "metadata.name"));
    const containers: Members = {};
    for (const container of listAt(pod, "spec.containers").map((one) => String(valueAt(one, "name")))) {
      try {
        const query = { ...(isObject(LogParameters) && LogParameters), container: [container] };
        const { text } = await cluster.send("GET", `${path}/${encodeURIComponent(name)}/log`, { query });
        containers[container] = { log: RawLogs === true ? text : valueOf(bodyValue(text)) };
      } catch (thrown) {
        if (!(thrown instanceof TaskError)) throw thrown;
        containers[container] = { error: thrown.error, cause: thrown.errorCause };
      }
    }
    pods[name] = { containers };
  }
  return { pods };
}

function listAt(value: unknown, path: string): unknown[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** Returns the value of a response. JSON stays text, so that numbers keep their digits. */
function valueOf(body: unknown): unknown {
  return isJsonText(body) ? body.value : body;
}

/** The query and the body of a request. */
interface Asked {
  query?: unknown;
  body?: unknown;
}

interface Answered {
  status: number;
  reason: string;
  text: string;
}

/** How long a token is valid, in seconds. Each request gets a new one. */
const VALID = 60;

/** The API of a cluster. */
class Cluster {
  readonly #given: Members;
  readonly #surroundings: ClusterSurroundings;

  constructor(given: Members, surroundings: ClusterSurroundings) {
    this.#given = given;
    this.#surroundings = surroundings;
  }

  /** Sends a request whose response is JSON. */
  async ask(method: string, path: string, asked: Asked = {}): Promise<Members> {
    return answerOf(await this.send(method, path, asked));
  }

  /** Sends a request. Throws a TaskError such as EKS.401 for an error response. */
  async send(method: string, path: string, { query, body }: Asked = {}): Promise<Answered> {
    const url = urlOf(this.#given.Endpoint);
    const [own, search = ""] = path.split("?", 2);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/${own!.replace(/^\//, "")}`;
    url.search = search;
    for (const [name, value] of entriesOf(query)) for (const one of listOf(value)) url.searchParams.append(name, one);
    const token = this.#token();
    this.#surroundings.addSecrets([token]);
    const text = body === undefined || body === null ? undefined : typeof body === "string" ? body : jsonText(body);
    const headers: Record<string, string> = { accept: "application/json, */*", authorization: `Bearer ${token}` };
    if (text !== undefined) {
      headers["content-type"] = method === "PATCH" ? patchType(body) : "application/json";
      headers["content-length"] = String(Buffer.byteLength(text));
    }
    const answer = await this.#exchange(url, method, headers, text);
    if (answer.status < 200 || answer.status > 299) throw new TaskError(`EKS.${answer.status}`, membersText(answerOf(answer)));
    return answer;
  }

  /** Creates a token like `aws eks get-token`: a signed request to STS, with which the cluster identifies the caller. */
  #token(): string {
    const { credentials } = this.#surroundings;
    // The cluster's own region, which is part of its host name.
    const [, region = this.#surroundings.region] = /\.([a-z0-9-]+)\.eks\.amazonaws\.com/.exec(String(this.#given.Endpoint)) ?? [];
    const china = region.startsWith("cn-") ? ".cn" : "";
    const url = new URL(`https://sts.${region}.amazonaws.com${china}/?Action=GetCallerIdentity&Version=2011-06-15`);
    const headers = new Headers({ host: url.host, "x-k8s-aws-id": String(this.#given.ClusterName) });
    presigned({ url, method: "GET", headers, body: undefined }, credentials, { region, service: "sts" }, new Date(), VALID);
    return `k8s-aws-v1.${Buffer.from(url.href).toString("base64url")}`;
  }

  #exchange(url: URL, method: string, headers: Record<string, string>, body: string | undefined): Promise<Answered> {
    const { signal } = this.#surroundings;
    const ca = Buffer.from(String(this.#given.CertificateAuthority ?? ""), "base64").toString();
    if (url.protocol === "https:" && !ca.includes("-----BEGIN CERTIFICATE-----"))
      throw new TaskError("States.Runtime", "CertificateAuthority is not the Base64 text of a certificate");
    return new Promise((resolve, reject) => {
      const failed = (thrown: unknown): void =>
        reject(
          signal.aborted ? signal.reason : new TaskError("EKS.SdkClientException", `Unable to execute HTTP request: ${reasonOf(thrown)}`),
        );
      const options = { method, headers, signal };
      const sent = url.protocol === "https:" ? requestHttps(url, { ...options, ca }) : requestHttp(url, options);
      sent.on("error", failed).on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", failed);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, reason: response.statusMessage ?? "", text: Buffer.concat(chunks).toString() }),
        );
      });
      sent.end(body);
    });
  }
}

function answerOf({ status, reason, text }: Answered): Members {
  return { ResponseBody: bodyValue(text), StatusCode: status, StatusText: reason };
}

/** A list is a JSON Patch. An object is merged. */
function patchType(body: unknown): string {
  const list = Array.isArray(body) || (typeof body === "string" && body.trimStart().startsWith("["));
  return list ? "application/json-patch+json" : "application/merge-patch+json";
}
