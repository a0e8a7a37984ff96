// The connection to the worker that all components of a page share. The worker is started when the first component is visible,
// and ended when it hangs.

import type { Call, FromWorker, RecordedMethods } from "./protocol.ts";

export interface Listener {
  hear(message: Extract<FromWorker, { session: number }>): void;
  /** Called when the worker was ended, and with it the session. */
  lost(why: string): void;
}

interface Open {
  resolve(value: never): void;
  reject(error: Error): void;
}

/** How long the worker may be silent, in seconds. Only seconds in which the page itself could receive messages count. */
const PATIENCE = 8;
const links = new Map<string, Link>();

/** Returns the link for these addresses. Equal addresses share a link. */
export function linkTo(worker: string, wasm: string): Link {
  const key = `${worker} ${wasm}`;
  let link = links.get(key);
  if (!link) links.set(key, (link = new Link(worker, wasm)));
  return link;
}

export class Link {
  private worker: Worker | undefined;
  private readonly calls = new Map<number, Open>();
  private readonly listeners = new Map<number, Listener>();
  private next = 1;
  private sessions = 1;
  private silent = 0;
  private ready = false;
  private watch: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly address: string,
    private readonly wasm: string,
  ) {}

  call<M extends keyof RecordedMethods>(method: M, params: RecordedMethods[M]["params"]): Promise<RecordedMethods[M]["value"]> {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      if (this.calls.size === 0) this.silent = 0;
      this.calls.set(id, { resolve: resolve as (value: never) => void, reject });
      try {
        this.open().postMessage({ id, method, params } as Call);
      } catch (error) {
        this.calls.delete(id);
        reject(error as Error);
      }
    });
  }

  /** Returns a number for a session whose messages this listener receives. */
  session(listener: Listener): number {
    const session = this.sessions++;
    this.listeners.set(session, listener);
    return session;
  }

  close(session: number): void {
    if (!this.listeners.delete(session)) return;
    if (this.worker) this.call("close", { session }).catch(() => {});
  }

  private open(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(scriptUrl(this.address), { type: "module", name: "stepglass-debugger" });
    this.worker = worker;
    this.ready = false;
    this.silent = 0;
    worker.postMessage({ wasm: this.wasm });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      this.silent = 0;
      if ("ready" in data) this.ready = true;
      else if ("broken" in data) this.end(data.broken);
      else if ("session" in data) this.listeners.get(data.session)?.hear(data);
      else {
        const call = this.calls.get(data.id);
        this.calls.delete(data.id);
        if (!call) return;
        if ("error" in data) call.reject(new Error(data.error));
        else call.resolve(data.value as never);
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.end(event.message || "the interpreter's worker could not be loaded");
    };
    // A machine without an end never freezes the page: its worker is ended, and the other components start again.
    this.watch = setInterval(() => {
      if (document.hidden || !this.ready || this.calls.size === 0) return;
      if (++this.silent > PATIENCE) this.end("the interpreter did not answer and was stopped");
    }, 1_000);
    return worker;
  }

  private end(why: string): void {
    clearInterval(this.watch);
    this.worker?.terminate();
    this.worker = undefined;
    const calls = [...this.calls.values()];
    this.calls.clear();
    for (const call of calls) call.reject(new Error(why));
    const listeners = [...this.listeners.values()];
    this.listeners.clear();
    for (const listener of listeners) listener.lost(why);
  }
}

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): { createScriptURL(address: string): string };
}

let policy: { createScriptURL(address: string): string } | undefined;

/** Pages with Trusted Types must allow the policy `stepglass-debugger`, or have a default policy. */
function scriptUrl(address: string): string {
  const factory = (globalThis as { trustedTypes?: Policies }).trustedTypes;
  if (!factory) return address;
  try {
    policy ??= factory.createPolicy("stepglass-debugger", { createScriptURL: (url) => url });
    return policy.createScriptURL(address);
  } catch {
    return address;
  }
}
