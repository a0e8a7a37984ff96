// The recorded or attached execution of a component. With the attribute `replay` it is replayed with its recorded answers, to show
// the data flow of its states, its slowest states and the failing field, and to run from any state. It is loaded with the first execution.

import type { html as Html } from "../ui/dom.ts";
import type { RunResult } from "../model/protocol.ts";
import type { HistoryEvent } from "../model/recorded.ts";
import { eventOf, resultOf } from "../model/recorded.ts";
import type { StepglassDebugger, Watched } from "./element.ts";
import type { FailedField, RecordedAnswers, RecordedFlow, RecordedReport } from "./protocol.ts";

/** A run with the recorded answers. */
interface Fork {
  answers: RecordedAnswers & { input: string };
  /** The event to run up to before the user takes over; 0 is the beginning. */
  event: number;
}

/** What the data pane shows of a recorded visit, besides its events. */
interface RecordedData {
  stages: RecordedFlow["stages"];
  /** What came after each failed attempt. */
  retried: string[];
  notes: HTMLElement[];
}

export class Recording {
  private events: readonly HistoryEvent[] = [];
  private outcome: RunResult | undefined;
  /** Whether the execution is replayed. A running one is not, because each event would replay all others. */
  private isWhole = false;
  private session = 0;
  /** How many events the worker has. */
  private sent = 0;
  private report: RecordedReport | undefined;
  private sending: Promise<void> | undefined;
  /** The definition that was recorded. */
  private readonly recorded: string;
  private readonly button: HTMLButtonElement;
  private readonly slowest: HTMLElement;
  /** The run that was started from the recording; undefined while the recording is shown. */
  fork: Fork | undefined;

  /** `html` is passed, because a module that two chunks share becomes a chunk of its own, which the first load would pay for. */
  constructor(
    private readonly element: StepglassDebugger,
    private readonly html: typeof Html,
  ) {
    this.button = html("button", { type: "button", class: "open", hidden: true });
    this.slowest = html("section", { class: "slowest", "aria-label": "Slowest states", hidden: true });
    this.recorded = element.definition;
    this.button.addEventListener("click", () => {
      const done = this.fork ? this.leave() : this.start(element.cursor);
      done.catch((error: Error) => element.say(`Not started: ${error.message}`));
    });
    element.parts.bar.append(this.button);
    element.parts.data.after(this.slowest);
  }

  /** Closes the recording. */
  dispose(): void {
    this.close();
    this.button.remove();
    this.slowest.remove();
  }

  /** Shows a history. */
  show(events: readonly HistoryEvent[], outcome: RunResult | undefined, at: number | undefined): void {
    const { element } = this;
    this.events = events;
    this.outcome = outcome;
    element.add(0, events);
    element.show(at ?? element.log.length);
    if (outcome) element.complete(outcome);
    void this.inspect();
  }

  /** Shows the events of an execution as they come, while `isCurrent` returns true. */
  async follow(execution: Watched, isCurrent: () => boolean): Promise<void> {
    const { element } = this;
    let waiting: HistoryEvent[] = [];
    let drawing = false;
    const draw = (): void => {
      drawing = false;
      const live = element.cursor === element.log.length;
      if (!isCurrent()) return;
      element.add(element.history.events.length, waiting);
      waiting = [];
      if (live) element.show(element.log.length);
      else element.arrange();
    };
    for await (const event of execution) {
      if (!isCurrent()) return;
      waiting.push(event as HistoryEvent);
      if (drawing) continue;
      drawing = true;
      // The graph is drawn at most once a frame, and also in a page that draws no frames.
      setTimeout(draw, 16);
    }
    draw();
    const outcome = (await execution.result) as RunResult | undefined;
    if (!isCurrent()) return;
    if (outcome) element.complete(outcome);
    this.events = element.history.events;
    this.outcome = outcome;
    void this.inspect();
  }

  /** Replays the recording, and shows what the replay says about it. */
  private async inspect(): Promise<void> {
    if (!this.isReplayed || this.events.length === 0) return;
    this.isWhole = true;
    await this.send().catch((error: Error) => this.element.say(`Not replayed: ${error.message}`));
    this.list();
    this.mark(this.report?.failed);
    this.element.dataShown = "";
    this.element.arrange();
  }

  private get isReplayed(): boolean {
    return this.element.hasAttribute("replay");
  }

  /** Hands the events so far to the worker, which replays them. */
  private send(): Promise<void> {
    const { element } = this;
    const { events } = element.history;
    if (this.sent === events.length && this.sending) return this.sending;
    this.sent = events.length;
    this.session ||= element.link!.session({ hear: () => {}, lost: () => this.close() });
    return (this.sending = element
      .link!.call("record", { session: this.session, text: element.text, definition: element.json, events: [...events] })
      .then((report) => void (this.report = report)));
  }

  private close(): void {
    if (this.session) this.element.link?.close(this.session);
    this.session = this.sent = 0;
    this.sending = this.report = undefined;
  }

  /** Returns the data of a visit, or undefined if the attribute does not ask for it. */
  async flow(state: string, enter: number): Promise<RecordedData | undefined> {
    if (!this.isWhole || this.fork) return undefined;
    await this.send();
    const flow = await this.element.link!.call("flow", { session: this.session, state, enter });
    const retried = flow?.retries.map(({ delayMilliseconds }) => ` Retried after ${time(delayMilliseconds)}.`) ?? [];
    return { stages: flow?.stages ?? [], retried, notes: this.notesOf(flow) };
  }

  /** Returns the failing field, or why there is no data flow. */
  private notesOf(flow: RecordedFlow | null): HTMLElement[] {
    const { html } = this;
    const gap = this.report?.gap;
    if (!flow) return gap === undefined ? [] : [html("p", { class: "quiet" }, `The steps in this state are not known. ${gap}`)];
    const { failed } = flow;
    if (failed?.expression === undefined) return [];
    const { expression, field = "", from = 0, to = expression.length, why } = failed;
    const part = html("mark", {}, expression.slice(from, to));
    return [
      html("p", { class: "failed-field" }, `${field} `, html("code", {}, expression.slice(0, from), part, expression.slice(to))),
      ...(why === undefined ? [] : [html("p", { class: "bad" }, why)]),
    ];
  }

  /** Marks the failing part of the definition, if the text is shown and not edited. */
  private mark(failed: FailedField | undefined): void {
    const { element, html } = this;
    const { text, parts } = element;
    if (!failed?.range || this.fork) return;
    const { from, to } = failed.range;
    const part = html("mark", { title: failed.why ?? failed.said ?? "This part failed." }, text.slice(from, to));
    parts.code.replaceChildren(text.slice(0, from), part, text.slice(to));
    parts.code.scrollTop = Math.max(0, part.offsetTop - parts.code.offsetTop - parts.code.clientHeight / 2);
  }

  /** Lists the slowest states and the retries. */
  private list(): void {
    const { html } = this;
    const { outcome } = this.report ?? {};
    this.slowest.hidden = !outcome || outcome.slowest.length === 0;
    if (!outcome || this.slowest.hidden) return;
    const whole = outcome.slowest.reduce((sum, { took }) => sum + took, 0);
    this.slowest.replaceChildren(
      html("b", {}, "Slowest states"),
      html(
        "ol",
        {},
        ...outcome.slowest.map(({ state, visits, took, enter, p50, p95, p99 }) => {
          const again = outcome.retried.find((one) => one.state === state)?.retries ?? 0;
          const part = outcome.critical.find((one) => one.state === state)?.share ?? 0;
          const words = [
            visits > 1 && `${visits} visits (p50 ${time(p50)}, p95 ${time(p95)}, p99 ${time(p99)})`,
            again > 0 && (again === 1 ? "1 retry" : `${again} retries`),
            part >= 0.005 && `${Math.round(100 * part)} % of the critical path`,
          ].filter(Boolean);
          const button = html(
            "button",
            { type: "button" },
            `${state} `,
            html("span", { class: "quiet" }, [time(took), ...words].join(", ")),
          );
          button.style.setProperty("--share", String(took / whole));
          button.addEventListener("click", () => {
            // At the end of the visit, all of its attempts are shown.
            const visit = this.element.history.visitAt(enter);
            void this.element.goto(visit?.end || this.element.log.length);
          });
          return html("li", {}, button);
        }),
      ),
    );
  }

  /** Starts a run that does the same as the recording up to an event, and answers tasks as recorded from there on. */
  async start(event: number): Promise<void> {
    const { element } = this;
    await this.send();
    const visit = element.history.visitAt(event);
    const { event: to, ...answers } = await element.link!.call("answers", {
      session: this.session,
      state: visit?.state ?? "",
      enter: visit?.enter ?? 0,
    });
    if (visit && to === 0) throw new Error(`The replay does not reach ${visit.state}. ${this.report?.gap ?? ""}`);
    this.fork = { answers, event: to };
    element.editable = true;
    await element.load();
  }

  /** Takes a new run to the place that it was started for. Later runs of the user begin before the first state. */
  async begun(session: number): Promise<void> {
    const { element, fork } = this;
    if (!fork || fork.event === 0) return;
    const { event } = fork;
    fork.event = 0;
    element.stand(await element.link!.call("go", { session, how: "continue" }));
    await element.rest();
    element.stand(await element.link!.call("goto", { session, event }));
    element.stand(await element.link!.call("fork", { session, event }));
  }

  /** Shows the recording again. */
  private async leave(): Promise<void> {
    const { element, events, outcome } = this;
    this.fork = undefined;
    this.close();
    element.editable = false;
    element.given = this.recorded;
    await element.load(true);
    this.show(events, outcome, undefined);
  }

  /** Updates the button. */
  arrange(): void {
    const { button, element } = this;
    button.hidden = !this.isReplayed || !(this.fork || this.report);
    const words = this.fork ? "Back to the recording" : "Run from here";
    if (button.textContent !== words) button.textContent = words;
    button.title = this.fork
      ? "Shows the recorded execution and its definition again"
      : "Starts a run that is the same up to the shown state. You can change the definition; its tasks answer as recorded, as far as they are the same";
    this.slowest.hidden ||= this.fork !== undefined;
    if (!this.fork && this.report && this.slowest.hidden) this.list();
    if (!button.hidden) element.parts.bar.hidden = false;
  }
}

/** Returns the events and the result of a history, as an attribute has it. */
export function historyOf(value: unknown): { events: HistoryEvent[]; outcome: RunResult | undefined } {
  const list = Array.isArray(value) ? value : (value as { events?: unknown[] })?.events;
  if (!Array.isArray(list)) throw new Error("the history has no events");
  const events = list.map(eventOf).sort((a, b) => a.id - b.id);
  return { events, outcome: events.length > 0 ? resultOf(events.at(-1)!) : undefined };
}

function time(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;
}
