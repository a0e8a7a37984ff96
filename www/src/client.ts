// The page's side of the interpreter's thread: calls, notes, and a watchdog.

import { Patience } from "./model/patience.ts";
import type { Lost, Methods, Note, Reply } from "./model/protocol.ts";
import { interpreter } from "./start.ts";

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
}

/// Said by calls whose worker was ended while they waited.
export class WorkerLost extends Error {}

export class Client {
  private worker: Worker | undefined;
  private calls = new Map<number, Waiting>();
  private next = 1;
  private patience = new Patience(5);
  private watch: ReturnType<typeof setInterval> | undefined;
  private ready = false;

  /// While a machine runs, the thread is asked for a sign of life even if nothing else is wanted of it.
  running = false;

  /// `note` hears what the worker says unasked; `lost` is called when it was ended for not answering, or has crashed.
  constructor(
    private readonly note: (note: Note) => void,
    private readonly lost: (why: string) => void,
  ) {
    this.open();
  }

  call<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["value"]> {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      if (this.calls.size === 0) this.patience.heard();
      this.patience.gave(method, params);
      this.calls.set(id, { resolve: resolve as (value: never) => void, reject });
      this.worker!.postMessage({ id, method, params });
    });
  }

  /// Gives the worker the way to the task handlers.
  connect(port: MessagePort): void {
    this.worker!.postMessage({ connect: true }, [port]);
  }

  /// Ends the thread and begins a new one. Whatever ran is gone.
  restart(why: string): void {
    clearInterval(this.watch);
    this.worker?.terminate();
    const calls = [...this.calls.values()];
    this.calls.clear();
    this.open();
    for (const call of calls) call.reject(new WorkerLost(why));
    this.lost(why);
  }

  private open(): void {
    const { worker, said, failed } = interpreter();
    this.worker = worker;
    this.ready = false;
    this.running = false;
    this.patience = new Patience(5);
    worker.onmessage = ({ data }: MessageEvent<Note | Lost | Reply>) => {
      if (worker !== this.worker) return;
      this.patience.heard();
      if ("note" in data) {
        // Loading may take its time on a slow line; patience begins after it.
        if (data.note === "ready") this.ready = true;
        if (data.note === "lost") return this.restart(data.message);
        return this.note(data);
      }
      const call = this.calls.get(data.id);
      if (!call) return;
      this.calls.delete(data.id);
      if ("error" in data) call.reject(new Error(data.error));
      else call.resolve(data.value as never);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.worker) this.note({ note: "broken", message: event.message || "the interpreter's thread could not be started" });
    };
    // What was said before somebody listened; not at once, because who listens is not made yet.
    setTimeout(() => {
      for (const event of said) worker.onmessage?.call(worker, event);
      if (failed) worker.onerror?.call(worker, failed);
    });
    this.watch = setInterval(() => {
      // A background tab's timers are slow, so silence counts only while the page is looked at.
      if (document.hidden || !this.ready) return;
      if (this.calls.size === 0) {
        if (this.running) this.call("ping", {}).catch(() => {});
        return;
      }
      if (this.patience.passed()) this.restart(`The interpreter did not answer for ${this.patience.seconds} seconds and was restarted.`);
    }, 1_000);
  }
}
