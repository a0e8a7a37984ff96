// A client of `stepglass dap`, based on @vscode/debugadapter-testsupport. It stores events until a test waits for them.
import { spawn } from "node:child_process";
import { DebugClient } from "@vscode/debugadapter-testsupport";
import { command } from "./command.mjs";

/** Starts an adapter that listens on a port. Returns its `number` and a function that ends it. */
export async function adapter() {
  const child = spawn(process.execPath, [command, "dap", "--port", "0"], { stdio: ["ignore", "ignore", "pipe"] });
  let told = "";
  const number = await new Promise((found, fail) => {
    child.on("exit", () => fail(new Error(`the adapter has ended: ${told}`)));
    child.stderr.on("data", (text) => {
      told += text;
      const [, port] = /listens on 127\.0\.0\.1:(\d+)/.exec(told) ?? [];
      if (port !== undefined) found(Number(port));
    });
  });
  return { number, stop: () => child.kill() };
}

export class Editor {
  #events = [];
  #waiting = [];

  /** Connects to an adapter on a port, or to one that `connect` reaches. */
  static async connect(port, capabilities = {}) {
    const editor = new Editor();
    if (typeof port === "number") await editor.client.start(port);
    else editor.client.connect(port.readable, port.writable);
    editor.capabilities = await editor.ask("initialize", {
      adapterID: "stepglass",
      linesStartAt1: true,
      columnsStartAt1: true,
      pathFormat: "path",
      ...capabilities,
    });
    return editor;
  }

  constructor() {
    this.client = new DebugClient("", "", "stepglass");
    const { emit } = this.client;
    this.client.emit = (name, message, ...rest) => {
      if (message?.type === "event") this.#take(message);
      return emit.call(this.client, name, message, ...rest);
    };
  }

  #take({ event, body }) {
    const at = this.#waiting.findIndex(({ name }) => name === event);
    if (at < 0) this.#events.push({ event, body });
    else this.#waiting.splice(at, 1)[0].resolve(body);
  }

  /** Waits for the next event of a name, and returns its body. */
  event(name) {
    const at = this.#events.findIndex(({ event }) => event === name);
    if (at >= 0) return Promise.resolve(this.#events.splice(at, 1)[0].body);
    return new Promise((resolve) => this.#waiting.push({ name, resolve }));
  }

  /** Returns the bodies of all events of a name that have arrived and were not read yet. */
  taken(name) {
    const found = this.#events.filter(({ event }) => event === name).map(({ body }) => body);
    this.#events = this.#events.filter(({ event }) => event !== name);
    return found;
  }

  /** Sends a request, and returns the body of the response. Throws an error with the message of a failed response. */
  async ask(request, given) {
    return (await this.client.send(request, given)).body;
  }

  /** Launches, sets breakpoints (lists by file), and starts. `before` may set other breakpoints. Resolves when the run has started. */
  async launch(given, { breakpoints = {}, exceptions = [], before = async () => {}, request = "launch" } = {}) {
    await this.ask(request, given);
    await this.event("initialized");
    const set = {};
    for (const [path, list] of Object.entries(breakpoints))
      set[path] = (await this.ask("setBreakpoints", { source: { path }, breakpoints: list })).breakpoints;
    await this.ask("setExceptionBreakpoints", { filters: exceptions });
    await before(this);
    await this.ask("configurationDone");
    return set;
  }

  /** Sends a request that continues the run. Returns the stop that follows, with the state and the line of its innermost frame. */
  async stop(request, given = {}) {
    if (request !== undefined) await this.ask(request, { threadId: this.threadId, ...given });
    const stopped = await this.event("stopped");
    this.threadId = stopped.threadId;
    const frames = await this.frames();
    this.frameId = frames[0]?.id;
    return { ...stopped, state: frames[0]?.name, line: frames[0]?.line, frames };
  }

  async frames(threadId = this.threadId) {
    return (await this.ask("stackTrace", { threadId })).stackFrames;
  }

  /** Returns the scopes of the innermost frame by their names. */
  async scopes(frameId = this.frameId) {
    const { scopes } = await this.ask("scopes", { frameId });
    return Object.fromEntries(scopes.map((scope) => [scope.name, scope]));
  }

  /** Returns the variables of a reference by name. */
  async variables(variablesReference, page = {}) {
    const { variables } = await this.ask("variables", { variablesReference, ...page });
    return Object.fromEntries(variables.map((one) => [one.name, one]));
  }

  /** Returns the displayed values of a scope. */
  async shown(scope) {
    const { [scope]: found } = await this.scopes();
    const variables = await this.variables(found.variablesReference);
    return Object.fromEntries(Object.entries(variables).map(([name, { value }]) => [name, value]));
  }

  async evaluate(expression, context = "watch") {
    return (await this.ask("evaluate", { expression, frameId: this.frameId, context })).result;
  }

  /** Ends the session. The adapter continues to serve other sessions. */
  async close() {
    await this.ask("disconnect", {});
    this.client.stopAdapter();
  }
}
