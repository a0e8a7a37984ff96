// The page's side of the interpreter's worker: it sends calls, receives notes, and ends a worker that does not answer.

import { HangDetector } from "./model/hangDetector.ts";
import type { Lost, Methods, Note, Reply } from "./model/protocol.ts";
import { interpreter } from "./start.ts";

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
}

/** The error of a call whose worker was ended before it answered. */
export class WorkerLost extends Error {}

export class Client {
  private worker: Worker | undefined;
  private calls = new Map<number, Waiting>();
  private next = 1;
  private hangDetector = new HangDetector(5);
  private watch: ReturnType<typeof setInterval> | undefined;
  private ready = false;

  /** Whether a machine runs. While it does, the worker is pinged even if no call waits. */
  running = false;

  /**
   * `note` is called with each note from the worker. `lost` is called when the worker was ended for not answering, or has
   * crashed.
   */
  constructor(
    private readonly note: (note: Note) => void,
    private readonly lost: (why: string) => void,
  ) {
    this.open();
  }

  call<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["value"]> {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      if (this.calls.size === 0) this.hangDetector.received();
      this.hangDetector.sent(method, params);
      this.calls.set(id, { resolve: resolve as (value: never) => void, reject });
      this.worker!.postMessage({ id, method, params });
    });
  }

  /** Gives the worker the port to the task handlers. */
  connect(port: MessagePort): void {
    this.worker!.postMessage({ connect: true }, [port]);
  }

  /** Ends the worker and starts a new one. The run and its history are lost. */
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
    const { worker, messages, failed } = interpreter();
    this.worker = worker;
    this.ready = false;
    this.running = false;
    this.hangDetector = new HangDetector(5);
    worker.onmessage = ({ data }: MessageEvent<Note | Lost | Reply>) => {
      if (worker !== this.worker) return;
      this.hangDetector.received();
      if ("note" in data) {
        // Loading can take long on a slow connection, so the watchdog starts after it.
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
    // These messages arrived before a listener was set. They are delivered later, because the listener does not exist yet.
    setTimeout(() => {
      for (const event of messages) worker.onmessage?.call(worker, event);
      if (failed) worker.onerror?.call(worker, failed);
    });
    this.watch = setInterval(() => {
      // The timers of a background tab are slow, so silence counts only while the page is visible.
      if (document.hidden || !this.ready) return;
      if (this.calls.size === 0) {
        if (this.running) this.call("ping", {}).catch(() => {});
        return;
      }
      if (this.hangDetector.isHanging())
        this.restart(`The interpreter did not answer for ${this.hangDetector.seconds} seconds and was restarted.`);
    }, 1_000);
  }
}
