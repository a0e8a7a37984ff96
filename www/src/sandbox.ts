// The page's side of the tasks' sandbox: a frame without an origin, which holds a worker, which holds the code.

export interface Loaded {
  handlers: string[];
  resolver: boolean;
  /// What is wrong with a mock's function, by the mock's name.
  problems: Record<string, string>;
  /// The way to the handlers, for the interpreter's thread.
  port: MessagePort;
}

interface Pending {
  load: number;
  resolve(loaded: Loaded): void;
  reject(error: Error): void;
  port: MessagePort;
}

/// Loads the text of an ES module. Nothing of it runs in this page or can reach it, the network or any storage.
export class Sandbox {
  private frame: HTMLIFrameElement | undefined;
  private there: Promise<void> | undefined;
  private pending: Pending | undefined;
  private loads = 0;
  private loading: Promise<unknown> = Promise.resolve();
  private loaded = false;
  /// The callers that wait until the functions of mocks are read, by the number of their request.
  private readonly reading = new Map<number, (there: boolean) => void>();
  private reads = 0;

  /// `died` is called when a handler was stopped because it did not yield, `mocked` when functions of mocks were read.
  constructor(
    private readonly died: (message: string) => void,
    private readonly mocked: (problems: Record<string, string>) => void,
  ) {}

  /// Takes functions that stand for tasks in place of those that are there; resolves when the next call finds them.
  /// False where nothing is loaded.
  async mocks(mocks: Record<string, string>): Promise<boolean> {
    await this.loading.catch(() => {});
    if (!this.loaded) return false;
    const read = ++this.reads;
    return new Promise((resolve) => {
      this.reading.set(read, resolve);
      this.frame!.contentWindow!.postMessage({ type: "mocks", mocks, read }, "*");
    });
  }

  /// `mocks` are texts of functions by their names.
  load(code: string, mocks: Record<string, string>): Promise<Loaded> {
    const loading = this.reload(code, mocks);
    this.loading = loading;
    return loading;
  }

  private async reload(code: string, mocks: Record<string, string>): Promise<Loaded> {
    await this.open();
    this.pending?.reject(new Error("the handlers were loaded again"));
    // It ends the worker that reads mocks now; what is loaded has newer ones.
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

  /// The worker is gone, and with it whatever it had yet to say of mocks.
  private forget(replaced: boolean): void {
    this.loaded = false;
    for (const resolve of this.reading.values()) resolve(replaced);
    this.reading.clear();
  }

  private open(): Promise<void> {
    return (this.there ??= new Promise((resolve, reject) => {
      const frame = document.createElement("iframe");
      // Without a network the service worker has the frame, whose answer brings the same sandbox with it.
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
        // However it came: code is handed only to a frame without an origin.
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
