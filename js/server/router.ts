// @ts-nocheck: has no types yet.
// Which of those who do the work does a task.
//
// In this order: the mock of the test case, the handlers that were given, Step Functions itself (nested executions), the
// registered activities, a handler for all, HTTP services, Lambda functions.

import { TAKER } from "../tasks/activity.ts";
import { Handlers } from "../tasks/resource.ts";
import { invalidArn } from "./errors.ts";
import { TestCases } from "./mocks.ts";
import { stepFunctions } from "./nested.ts";
import { httpTask, lambdaTask } from "./tasks.ts";

/** Finds the handler of a task anew each time: what is given may change while executions run. */
export class TaskRouter extends Handlers {
  #service;
  #given;
  #urls;
  #lambda;
  #cases;
  #noted = new WeakMap();

  constructor(service, { tasks = {}, urls = {}, lambdaEndpoint, mockConfig }) {
    super({});
    this.#service = service;
    this.use(tasks);
    const entries = urls instanceof Map ? [...urls] : Object.entries(urls);
    this.#urls = new Handlers(new Map(entries.map(([name, url]) => [name, httpTask(String(url))])));
    this.#lambda = lambdaEndpoint && lambdaTask(lambdaEndpoint);
    this.#cases = mockConfig && new TestCases(mockConfig);
  }

  /** Puts other handlers in the place of those that were given. */
  use(tasks) {
    const own = { find: (resource, input) => this.#own(resource, input), missing: () => undefined };
    this.#given = new Handlers(tasks, own);
  }

  /** The handlers of executions of a test case of the mock configuration. */
  forTestCase(machine, testCase) {
    if (testCase === undefined) return this;
    if (this.#cases === undefined) throw invalidArn(`there is no mock configuration with a test case ${testCase}: start the server with --mock-config`);
    let mocked;
    try {
      mocked = this.#cases.begin(machine, testCase);
    } catch (error) {
      throw invalidArn(error.message);
    }
    return new MockRouter(this, mocked);
  }

  find(resource, state, input) {
    const handler = this.#given.find(resource, state, input) ?? this.#urls.find(resource, state, input) ?? this.#lambdaOf(this.resource(resource));
    return handler === undefined ? undefined : this.noted(handler, resource);
  }

  missing(resource, state, input) {
    // Nobody can catch it, as on AWS.
    if (this.resource(resource).kind === "activity") return { error: "States.Runtime", cause: `The activity ${resource} does not exist.` };
    const { error, cause } = this.#given.missing(resource, state, input);
    const advice = "Start the server with --tasks, --task or --lambda-endpoint.";
    return { error, cause: cause.replace(/ Add one to the tasks option.*$/s, ` ${advice}`) };
  }

  #own(resource) {
    if (resource.kind === "activity") return this.#activity(resource);
    return stepFunctions(this.#service, resource);
  }

  #activity({ name, arn }) {
    const { activities } = this.#service;
    return (activities.get(arn) ?? [...activities.values()].find(({ about }) => about.name === name))?.queue;
  }

  #lambdaOf({ kind, name }) {
    return kind === "lambda" || name === "lambda:invoke" || name === "aws-sdk:lambda:invoke" ? this.#lambda : undefined;
  }

  /** A handler that also tells the runner of the tokens that it is given. */
  noted(handler, resource) {
    const { kind, pattern } = this.resource(resource);
    if (kind !== "activity" && pattern === "") return handler;
    let noted = this.#noted.get(handler);
    if (noted === undefined) this.#noted.set(handler, (noted = typeof handler === "function" ? this.#notedFunction(handler) : this.#notedTaker(handler)));
    return noted;
  }

  #notedFunction(handler) {
    return (input, task) => {
      if (task.token !== undefined) this.#service.runner.note(task.token, task.execution.arn);
      return handler(input, task);
    };
  }

  #notedTaker(handler) {
    return {
      [TAKER]: true,
      take: (call, driver) => {
        if (call.command.token !== undefined) this.#service.runner.note(call.command.token, driver.execution.arn);
        handler.take(call, driver);
      },
    };
  }
}

/** The handlers of one execution of a test case: its mocks first. */
class MockRouter extends Handlers {
  #router;
  #mocked;

  /** `mocked` maps states to handlers. */
  constructor(router, mocked) {
    super({});
    this.#router = router;
    this.#mocked = mocked;
  }

  find(resource, state, input) {
    const mock = this.#mocked.get(state);
    return mock === undefined ? this.#router.find(resource, state, input) : this.#router.noted(mock, resource);
  }

  missing(resource, state, input) {
    return this.#router.missing(resource, state, input);
  }
}
