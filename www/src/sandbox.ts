// The page's side of the sandbox for task handlers: an iframe with an opaque origin, which has a worker that runs the code.

export interface Loaded {
  handlers: string[];
  resolver: boolean;
  /** The errors in the functions of mocks, by the mock's name. */
  problems: Record<string, string>;
  /** The port to the handlers, for the interpreter's worker. */
  port: MessagePort;
}

interface Pending {
  load: number;
  resolve(loaded: Loaded): void;
  reject(error: Error): void;
  port: MessagePort;
}

/** Loads the text of an ES module. It cannot run in this page or reach the page, the network or any storage. */
export class Sandbox {
  private frame: HTMLIFrameElement | undefined;
  private there: Promise<void> | undefined;
  private pending: Pending | undefined;
  private loads = 0;
  private loading: Promise<unknown> = Promise.resolve();
  private loaded = false;
  /** The callers that wait until the functions of mocks are loaded, by the number of their request. */
  private readonly reading = new Map<number, (there: boolean) => void>();
  private reads = 0;

  /** `died` is called if a handler was stopped because it did not yield, `mocked` when the functions of mocks were loaded. */
  constructor(
    private readonly died: (message: string) => void,
    private readonly mocked: (problems: Record<string, string>) => void,
  ) {}

  /**
   * Replaces the functions of mocks. The promise resolves when the next call uses them. It resolves to false if no module is
   * loaded.
   */
  async mocks(mocks: Record<string, string>): Promise<boolean> {
    await this.loading.catch(() => {});
    if (!this.loaded) return false;
    const read = ++this.reads;
    return new Promise((resolve) => {
      this.reading.set(read, resolve);
      this.frame!.contentWindow!.postMessage({ type: "mocks", mocks, read }, "*");
    });
  }

  /** `mocks` has the texts of functions by mock name. */
  load(code: string, mocks: Record<string, string>): Promise<Loaded> {
    const loading = this.reload(code, mocks);
    this.loading = loading;
    return loading;
  }

  private async reload(code: string, mocks: Record<string, string>): Promise<Loaded> {
    await this.open();
    this.pending?.reject(new Error("the handlers were loaded again"));
    // This ends the worker that loads mocks at this moment; the new worker has the newer ones.
    this.forget(true);
    const { port1, port2 } = new MessageChannel();
    const load = ++this.loads;
    const loaded = await new Promise<Loaded>((resolve, reject) => {
      this.pending = { load, resolve, reject, port: port1 };
      this.frame!.contentWindow!.postMessage({ type: "load", code, mocks, load }, "*", [port2]);
    });
    this.loaded = true;
    return loaded;
  }

  /** Called when the worker is gone, so that pending requests about mocks end. */
  private forget(replaced: boolean): void {
    this.loaded = false;
    for (const resolve of this.reading.values()) resolve(replaced);
    this.reading.clear();
  }

  private open(): Promise<void> {
    return (this.there ??= new Promise((resolve, reject) => {
      const frame = document.createElement("iframe");
      // Without a network, the service worker serves the frame, and its answer includes the sandbox policy.
      const offline = !navigator.onLine && navigator.serviceWorker?.controller != null;
      if (!offline) frame.setAttribute("sandbox", "allow-scripts");
      frame.title = "Task handlers";
      frame.hidden = true;
      const patience = setTimeout(() => {
        this.there = undefined;
        frame.remove();
        reject(new Error("the sandbox for task handlers did not load"));
      }, 10_000);
      addEventListener("message", (event) => {
        // In either case, code is sent only to a frame with an opaque origin.
        if (event.source !== frame.contentWindow || event.origin !== "null") return;
        if (event.data?.type === "there") {
          clearTimeout(patience);
          resolve();
        } else this.hear(event.data);
      });
      frame.src = new URL(offline ? "kept/sandbox.html" : "sandbox.html", document.baseURI).href;
      document.body.append(frame);
      this.frame = frame;
    }));
  }

  private hear(data: {
    type: string;
    load: number;
    read?: number;
    handlers?: string[];
    resolver?: boolean;
    message?: string;
    problems?: Record<string, string>;
  }): void {
    const { pending } = this;
    if (data.type === "mocked") {
      this.mocked(data.problems ?? {});
      this.reading.get(data.read!)?.(true);
      this.reading.delete(data.read!);
      return;
    }
    if (data.type === "died") {
      this.forget(false);
      this.died(data.message ?? "");
    }
    if (!pending || pending.load !== data.load) return;
    this.pending = undefined;
    if (data.type === "loaded")
      pending.resolve({
        handlers: data.handlers ?? [],
        resolver: data.resolver === true,
        problems: data.problems ?? {},
        port: pending.port,
      });
    else pending.reject(new Error(data.message ?? "the handlers could not be loaded"));
  }
}
