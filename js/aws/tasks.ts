// Task handlers that call AWS or an emulator.

import type { AwsCredentials } from "../core/api/aws.d.ts";
import type { Task as PublicTask, TaskHandler } from "../core/api/index.d.ts";
import { TaskError } from "../core/base/errors.ts";
import { Task } from "../core/driver/task.ts";
import { TaskResponse, jsonText, membersText } from "../core/tasks/integration.ts";
import { KnownText, isJsonText } from "../core/tasks/known-text.ts";
import { type Resource, matches, parseResource } from "../core/tasks/resource.ts";
import { callApi, withMetadata } from "./call.ts";
import { Clients, type ServiceClient } from "./clients.ts";
import { hidden, hiddenError } from "./errors.ts";
import { gatewayTask, httpTask } from "./http.ts";
import { type CallApi, INTEGRATIONS } from "./integrations.ts";
import { executionResult, invokeFunction, membersOfParameters } from "./invoke.ts";
import { JOBS, type Members } from "./jobs.ts";
import { callKubernetes, finishJob, startJob } from "./kubernetes.ts";
import { mapHandlers } from "./objects.ts";
import { type OptimizedService, LAMBDA_FUNCTIONS, allPatterns, clientOf, optimizedService, patternsOf, sdkName } from "./services.ts";
import type { Settings } from "./settings.ts";
import { sign } from "./sign.ts";
import { jobResult, pauses, until } from "./wait.ts";

/** Returns the handlers for the settings: one function, under the patterns of its tasks. */
export function awsHandlers(settings: Settings): Record<string, TaskHandler> {
  const clients = new Clients(settings);
  const handler: TaskHandler = (input, task) => new AwsTask(clients, task).perform(input);
  HANDLERS.set(handler, clients);
  return Object.fromEntries(namesOf(settings).map((name) => [name, handler]));
}

/** The handlers of `awsTasks()`, with the clients that they use. */
const HANDLERS = new WeakMap<object, Clients>();

/** Returns the clients of a handler of `awsTasks()`; undefined for other handlers. */
export function clientsOf(handler: object): Clients | undefined {
  return HANDLERS.get(handler);
}

/** Returns the names of the handlers. Services outside of AWS and its emulator must be named, by `only` or by a connection. */
function namesOf({ only, endpoint, endpoints, connections }: Settings): string[] {
  if (only !== undefined) return [...new Set(only.flatMap(patternsFor))];
  if (endpoint === undefined && endpoints.size > 0) return [...endpoints.keys()].flatMap(patternsOf);
  return [
    ...allPatterns(),
    ...(endpoint === undefined ? ["apigateway:*"] : []),
    ...(Object.keys(connections).length > 0 ? ["http:invoke"] : []),
  ];
}

/** Returns the names for a pattern of `only`. A service's pattern includes both kinds of integrations. */
function patternsFor(pattern: string): string[] {
  if (pattern === "*") return allPatterns();
  const names = [pattern];
  const [service = "", api] = pattern.split(":");
  if (api !== undefined && service !== "aws-sdk" && !pattern.startsWith("arn:")) {
    const client = clientOf(service);
    names.push(`aws-sdk:${client === undefined ? service : sdkName(client)}:${api}`);
  }
  return matches(pattern, "lambda:invoke") ? [...names, LAMBDA_FUNCTIONS] : names;
}

/** One task that a service performs. */
class AwsTask {
  readonly #clients: Clients;
  readonly #task: PublicTask;
  readonly #resource: Resource;
  readonly #submitted: ((text: string) => void) | undefined;
  /** The clients that were used. Their credentials are removed from results. */
  readonly #used = new Set<ServiceClient>();
  /** Other secrets, which are removed from results. */
  #moreSecrets: readonly string[] = [];

  constructor(clients: Clients, task: PublicTask) {
    this.#clients = clients;
    this.#task = task;
    this.#resource = parseResource(task.resource);
    // This must be requested before the handler does anything else.
    this.#submitted = this.#resource.pattern.startsWith("sync") && task instanceof Task ? Task.submission(task) : undefined;
  }

  get #signal(): AbortSignal {
    return this.#task.signal;
  }

  async perform(input: unknown): Promise<unknown> {
    try {
      const value = await this.#result(input);
      // The items of a Map are not copied.
      return value instanceof TaskResponse ? value : new TaskResponse(new KnownText(hidden(textOf(value), await this.#secrets())));
    } catch (thrown) {
      if (this.#signal.aborted) throw this.#signal.reason;
      throw hiddenError(thrown, await this.#secrets());
    }
  }

  async #secrets(): Promise<string[]> {
    return [...this.#moreSecrets, ...(await Promise.all([...this.#used].map((client) => client.secrets()))).flat()];
  }

  async #result(input: unknown): Promise<unknown> {
    const { kind, name } = this.#resource;
    if (kind === "lambda") return this.#function({ FunctionName: this.#task.resource, Payload: this.#payload(input) });
    if (kind !== "service") throw new TaskError("States.TaskFailed", `${this.#task.resource} is not an API of AWS`);
    if (this.#task.purpose !== "Task") return this.#forMap(name, input);
    const parameters = membersOfParameters(this.#task.parameters);
    const [service = "", api = "", operation] = name.split(":");
    if (service === "aws-sdk") return this.#sdk(api, operation ?? "", parameters);
    if (service === "http") return this.#http(parameters);
    if (service === "apigateway") return gatewayTask(parameters, (request) => this.#sign(request), this.#signal);
    if (name === "lambda:invoke") return this.#invoke(parameters);
    const about = optimizedService(service);
    if (name === "eks:call" || name === "eks:runJob") return this.#kubernetes(name, parameters);
    if (about === undefined) throw new TaskError("States.Runtime", `stepglass/aws cannot do ${name}: give a handler or a mock for it`);
    return this.#optimized(name, api, about, parameters);
  }

  /** Handles what a Distributed Map reads or writes. */
  async #forMap(name: string, input: unknown): Promise<TaskResponse> {
    const client = await this.#client("s3");
    const handler = mapHandlers(client, this.#signal)[name];
    if (handler === undefined) throw new TaskError("States.Runtime", `stepglass/aws cannot do ${name} for a Map`);
    return new TaskResponse(await handler(input, this.#task));
  }

  async #client(name: string): Promise<ServiceClient> {
    const credentials = membersOfParameters(this.#task.credentials);
    const role = typeof credentials.RoleArn === "string" ? credentials.RoleArn : undefined;
    const client = await this.#clients.get(name, role);
    this.#used.add(client);
    return client;
  }

  /** Returns the JSON text of a function's payload, with all digits of numbers. */
  #payload(input: unknown): string {
    return this.#text() ?? jsonText(input);
  }

  #text(member?: string): string | undefined {
    return this.#task instanceof Task ? Task.inputText(this.#task, member) : undefined;
  }

  async #sdk(service: string, action: string, request: Members): Promise<Members> {
    const name = clientOf(service);
    if (name === undefined) throw new TaskError("States.Runtime", `there is no service ${service} in the AWS SDK`);
    const memberText = (member: string): string | undefined => this.#text(member);
    return (await callApi({ client: await this.#client(name), action, request, memberText, signal: this.#signal })).value;
  }

  /** Calls a function that is the Resource itself. Its result is the task's result. */
  async #function(request: Members): Promise<unknown> {
    const { Payload } = await invokeFunction({ client: await this.#client("lambda"), request, ...this.#lambda });
    return Payload;
  }

  async #invoke(parameters: Members): Promise<Members> {
    const given = parameters.Payload;
    // A string is JSON already. The default is an empty object.
    const Payload =
      typeof given === "string" ? given : given === undefined || given === null ? "{}" : (this.#text("Payload") ?? jsonText(given));
    return invokeFunction({ client: await this.#client("lambda"), request: { ...parameters, Payload }, ...this.#lambda });
  }

  get #lambda() {
    return { optimized: optimizedService("lambda"), signal: this.#signal };
  }

  async #optimized(name: string, api: string, optimized: OptimizedService, given: Members): Promise<unknown> {
    const integration = INTEGRATIONS.get(name);
    const client = await this.#client(integration?.client ?? optimized.client);
    const call: CallApi = async (action, request) => (await callApi({ client, action, optimized, request, signal: this.#signal })).value;
    const request = (await integration?.request?.(given, this.#task, call)) ?? given;
    const memberText = (member: string, value: unknown): string | undefined => (given[member] === value ? this.#text(member) : undefined);
    const answer = await callApi({ client, action: integration?.action ?? api, optimized, request, memberText, signal: this.#signal });
    const value = integration?.response?.(answer.value, given) ?? answer.value;
    const response = withMetadata(value, answer);
    if (!this.#resource.pattern.startsWith("sync")) return response;
    this.#submitted?.(hidden(membersText(response), await client.secrets()));
    return name === "states:startExecution"
      ? this.#execution(client, call, value)
      : this.#job({ name, client, optimized }, call, value, given);
  }

  /** Waits for the end of an execution that was started. */
  async #execution(client: ServiceClient, call: CallApi, { ExecutionArn }: Members): Promise<KnownText> {
    const stop = () =>
      callApi({ client, action: "stopExecution", request: { ExecutionArn, Cause: "The execution that waits for it has ended." } });
    const { ended, text } = await this.#waiting(stop, () =>
      until(this.#pauses(), async () => {
        const result = executionResult(this.#resource, await call("describeExecution", { ExecutionArn }));
        return result.ended === undefined ? undefined : result;
      }),
    );
    if (ended === "failed") throw new TaskError("States.TaskFailed", text);
    return new KnownText(text);
  }

  /** Waits for the end of a job that was started. */
  async #job(
    { name, client, optimized }: { name: string; client: ServiceClient; optimized: OptimizedService },
    call: CallApi,
    answer: Members,
    request: Members,
  ): Promise<Members> {
    const job = JOBS.get(name);
    if (job === undefined) throw new TaskError("States.Runtime", `${name} has no job that .sync could wait for`);
    const [action, ask] = job.stop ?? [];
    const stop = async (): Promise<unknown> =>
      action === undefined ? undefined : callApi({ client, action, optimized, request: ask?.(answer, request) ?? {} });
    return this.#waiting(stop, () => jobResult({ job, answer, request }, call, this.#pauses()));
  }

  /** Waits. A job or an execution is stopped when its task is cancelled, as Step Functions does. */
  async #waiting<T>(stop: () => Promise<unknown>, wait: () => Promise<T>): Promise<T> {
    try {
      return await wait();
    } catch (thrown) {
      // If the task continues in another process, it still needs the job. An error of the stop request has no effect.
      if (this.#signal.aborted && !(this.#task instanceof Task && Task.isLeft(this.#task))) stop().catch(() => {});
      throw thrown;
    }
  }

  #pauses(): () => Promise<void> {
    const { heartbeatSeconds, heartbeat } = this.#task;
    return pauses({ signal: this.#signal, heartbeatSeconds, heartbeat });
  }

  #http(parameters: Members): Promise<Members> {
    const addSecrets = (secrets: readonly string[]): void => void (this.#moreSecrets = secrets);
    return httpTask(parameters, { connections: this.#clients.settings.connections, addSecrets, signal: this.#signal });
  }

  async #sign(request: Parameters<typeof sign>[0]): Promise<void> {
    const { credentials, region } = await this.#signing("api-gateway");
    sign(request, credentials, region, new Date());
  }

  /** Returns the credentials for a signature, and removes them from results. */
  async #signing(client: string): Promise<{ credentials: AwsCredentials; region: string }> {
    const found = await this.#clients.signing(client);
    const { secretAccessKey, sessionToken = "", accessKeyId } = found.credentials;
    this.#moreSecrets = [secretAccessKey, sessionToken, accessKeyId];
    return found;
  }

  async #kubernetes(name: string, given: Members): Promise<unknown> {
    const { endpoint, only = [] } = this.#clients.settings;
    // The endpoint of the cluster is in the task's parameters, so an emulator cannot replace it.
    if (endpoint !== undefined && !only.some((pattern) => /^eks:(?!\*$)/.test(pattern) && matches(pattern, name)))
      throw new TaskError("States.Runtime", `${name} would leave the emulator for the cluster's Endpoint: allow it, by only: ["${name}"]`);
    const signing = await this.#signing("eks");
    const addSecrets = (secrets: readonly string[]): void => void (this.#moreSecrets = [...this.#moreSecrets, ...secrets]);
    const surroundings = { ...signing, addSecrets, signal: this.#signal };
    if (name === "eks:call") return callKubernetes(given, surroundings);
    if (!this.#resource.pattern.startsWith("sync")) return startJob(given, surroundings);
    return finishJob(given, {
      ...surroundings,
      submitted: (answer) => this.#submitted?.(hidden(membersText(answer), this.#moreSecrets)),
      next: this.#pauses(),
      waiting: (stop, wait) => this.#waiting(stop, wait),
    });
  }
}

function textOf(value: unknown): string {
  return isJsonText(value) || typeof value !== "object" || value === null || Array.isArray(value) ? jsonText(value) : membersText(value);
}
