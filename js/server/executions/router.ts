// Finds the handler of a task.
//
// The order is: the mock of the test case, the handlers of the options, Step Functions itself (nested executions), the registered
// activities, a handler for all, HTTP services, Lambda functions, other handlers (AWS).

import type { PlatformUrl, TaskHandler } from "../../core/api/index.d.ts";
import type { ServeOptions } from "../../core/api/server.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import type { Taker } from "../../core/tasks/call.ts";
import { withOthers } from "../../core/tasks/handlers.ts";
import { Handlers } from "../../core/tasks/resource.ts";
import type { MissingHandler, NamedHandlers, Resource } from "../../core/tasks/resource.ts";
import { answerer } from "../../testing/mocks/answers.ts";
import type { MockConfig } from "../../testing/mocks/config.ts";
import { loadMockConfig } from "../../testing/mocks/file.ts";
import type { Context } from "./context.ts";
import { invalidArn } from "../protocol/errors.ts";
import { stepFunctions } from "./nested.ts";
import { type TraceOf, httpTask, lambdaTask } from "./tasks.ts";

/** The handler of a task: a function, or an object that takes the call. */
type Handler = TaskHandler | Taker;

/** The handlers of a server. */
interface RouterOptions extends Pick<ServeOptions, "otherTasks" | "urls" | "lambdaEndpoint" | "mockConfig"> {
  tasks: NamedHandlers | undefined;
}

/** Searches the handler for each task anew, because handlers can change while executions run. */
export class TaskRouter extends Handlers {
  readonly #service: Context;
  readonly #urls: Handlers;
  readonly #lambda: TaskHandler | undefined;
  readonly #mockConfig: MockConfig | undefined;
  /** The handlers of last resort. */
  readonly #others: Readonly<Record<string, TaskHandler>>;
  #given: Handlers;

  constructor(service: Context, { tasks = {}, otherTasks = {}, urls = {}, lambdaEndpoint, mockConfig }: RouterOptions) {
    super({});
    this.#service = service;
    this.#others = otherTasks;
    this.#given = this.#handlers(tasks);
    const traceOf: TraceOf = ({ execution }) => service.runner.traceOf(execution.arn);
    const entries: [string, string | PlatformUrl][] = urls instanceof Map ? [...urls] : Object.entries(urls);
    this.#urls = new Handlers(new Map(entries.map(([name, url]) => [name, httpTask(String(url), traceOf)])));
    this.#lambda = lambdaEndpoint ? lambdaTask(lambdaEndpoint, traceOf) : undefined;
    this.#mockConfig = mockConfig ? loadMockConfig(mockConfig, (message) => service.log("error", () => `warning: ${message}`)) : undefined;
  }

  /** Replaces the handlers of the options. */
  use(tasks: NamedHandlers): void {
    this.#given = this.#handlers(tasks);
  }

  #handlers(tasks: NamedHandlers): Handlers {
    const all = Object.keys(this.#others).length === 0 ? tasks : withOthers(tasks, this.#others);
    return new Handlers<TaskHandler>(all, { find: (resource) => this.#own(resource), missing: () => undefined });
  }

  /**
   * Returns the handlers for an execution of a test case. Its mocks count the invocations of their states. Throws InvalidArn for an
   * unknown test case.
   */
  forTestCase(machine: string, testCase: string | undefined): Handlers {
    if (testCase === undefined) return this;
    if (this.#mockConfig === undefined) {
      throw invalidArn(`there is no mock configuration with a test case ${testCase}: start the server with --mock-config`);
    }
    try {
      const mocks = Object.entries(this.#mockConfig.mocks(machine, testCase));
      return new MockRouter(this, new Map(mocks.map(([state, mock]) => [state, answerer(state, mock)])));
    } catch (error) {
      throw invalidArn(messageOf(error));
    }
  }

  override find(resource: string, state: string, input: unknown): Handler | undefined {
    const given = this.#given.find(resource, state, input);
    if (given !== undefined && !Object.values(this.#others).includes(given as TaskHandler)) return given;
    return this.#urls.find(resource, state, input) ?? this.#lambdaOf(this.resource(resource)) ?? given;
  }

  override missing(resource: string, state: string, input: unknown): MissingHandler {
    // No Catch handles this error, as on AWS. The engine adds the state to the cause.
    if (this.resource(resource).kind === "activity") return { error: "States.Runtime", cause: `The activity ${resource} does not exist.` };
    const unknown = this.#service.tasks.missing(this.resource(resource));
    if (unknown !== undefined) return unknown;
    const { error, cause, problem } = this.#given.missing(resource, state, input);
    const advice = "Start the server with --tasks, --task or --lambda-endpoint.";
    return { error, cause: problem === undefined ? cause : `${problem} ${advice}` };
  }

  /** Returns the handler for tasks of registered activities and of Step Functions itself. */
  #own(resource: Resource): Taker | undefined {
    if (resource.kind === "activity") return this.#activity(resource.name, resource.arn);
    if (resource.kind === "runtime") return this.#service.tasks.find(resource);
    return stepFunctions(this.#service, resource);
  }

  #activity(name: string, arn: string): Taker | undefined {
    const { activities } = this.#service;
    return (activities.get(arn) ?? [...activities.values()].find(({ about }) => about.name === name))?.queue;
  }

  #lambdaOf({ kind, name }: Resource): TaskHandler | undefined {
    return kind === "lambda" || name === "lambda:invoke" || name === "aws-sdk:lambda:invoke" ? this.#lambda : undefined;
  }
}

/** The handlers of one execution of a test case. The mocks come first. */
class MockRouter extends Handlers {
  readonly #router: TaskRouter;
  readonly #mocked: Map<string, TaskHandler>;

  /** `mocked` maps states to handlers. */
  constructor(router: TaskRouter, mocked: Map<string, TaskHandler>) {
    super({});
    this.#router = router;
    this.#mocked = mocked;
  }

  override find(resource: string, state: string, input: unknown): Handler | undefined {
    return this.#mocked.get(state) ?? this.#router.find(resource, state, input);
  }

  override missing(resource: string, state: string, input: unknown): MissingHandler {
    return this.#router.missing(resource, state, input);
  }
}
