// The worker of components that replay a recorded execution. It does all that the other worker does. Besides, it computes the data flow
// of a recording, and its runs get the recorded answers again. It is a file of its own, because few pages need it.

import { layoutOf } from "../../../js/entries/stepping.ts";
import { ProgramHost, replayHistory } from "../../../js/entries/replaying.ts";
import { type Graph, GraphIndex } from "../model/graph.ts";
import type { HistoryEvent } from "../model/recorded.ts";
import { failingRange } from "../worker/failingRange.ts";
import { failureOf } from "../worker/failure.ts";
import { ListedHistory } from "../worker/historyLists.ts";
import { outcomeOf } from "../worker/outcome.ts";
import { ReplayedRun } from "../worker/replayedRun.ts";
import type { FailedField, RecordedFlow, RecordedMethods, RecordedReport } from "./protocol.ts";
import { type Answers, answerWith, methodsWith } from "./sessions.ts";

/** A recorded execution of a component, and its replay. */
class Recording {
  private readonly index: GraphIndex;
  private readonly history: ListedHistory;
  private readonly replay: ReplayedRun | undefined;
  private readonly report: ReturnType<typeof replayHistory>;

  constructor(
    private readonly text: string,
    private readonly definition: string,
    events: readonly HistoryEvent[],
  ) {
    this.index = new GraphIndex(layoutOf(definition, {}) as unknown as Graph);
    this.history = new ListedHistory(this.index);
    for (const event of events) this.history.add(event);
    this.report = replayHistory(definition, { events } as never);
    if (this.report.input !== undefined) this.replay = new ReplayedRun(definition, this.history, this.report);
  }

  async about(): Promise<RecordedReport> {
    const outcome = outcomeOf(this.history);
    const { failure } = outcome;
    const failed = failure && (await this.flow(failure.state, failure.enter))?.failed;
    const { divergence, missing } = this.report;
    const from = divergence?.event === undefined ? "at its end" : `from event ${divergence.event} on`;
    const gap = divergence ? `The replay differs ${from}: ${divergence.message}.` : missing[0]?.message;
    return { outcome, ...(failed && { failed }), ...(gap !== undefined && { gap }) };
  }

  async flow(state: string, enter: number): Promise<RecordedFlow | null> {
    const { replay } = this;
    const flow = replay && (await replay.flow({ state, enter }));
    if (!flow) return null;
    const info = failureOf(replay.session, this.definition, flow.visit, flow.attempt);
    return { stages: flow.stages, retries: flow.retries, ...(info && { failed: this.located(state, info) }) };
  }

  /** Adds where the failing part is in the text. A definition in YAML is not searched. */
  private located(state: string, info: FailedField): FailedField {
    const at = this.text === this.definition ? this.index.byName.get(state) : undefined;
    const range = at === undefined ? undefined : failingRange(this.text, this.index.graph.nodes[at]!.pointer, info);
    return { ...info, ...(range && { range }) };
  }

  async answers(state: string, enter: number): Promise<RecordedMethods["answers"]["value"]> {
    const { tasks, startTime, input } = this.report;
    if (input === undefined) throw new Error("The recording has no input, so nothing can run from it.");
    const event = (await this.replay?.entryOf(state, enter)) ?? 0;
    return { tasks, ...(startTime !== undefined && { startTime }), input: JSON.stringify(input), event };
  }

  dispose(): void {
    this.replay?.dispose();
  }
}

const recordings = new Map<number, Recording>();

function of(id: number): Recording {
  const recording = recordings.get(id);
  if (!recording) throw new Error("the recording is closed");
  return recording;
}

// Tasks without a recorded answer ask the visitor.
const own = methodsWith(({ recorded }) => new ProgramHost({ ask: true, ...(recorded && { recorded: recorded.tasks }) }, () => false));

const methods: Answers<RecordedMethods> = {
  ...own,
  record({ session, text, definition, events }) {
    recordings.get(session)?.dispose();
    const recording = new Recording(text, definition, events);
    recordings.set(session, recording);
    return recording.about();
  },
  flow: ({ session, state, enter }) => of(session).flow(state, enter),
  answers: ({ session, state, enter }) => of(session).answers(state, enter),
  close({ session }) {
    recordings.get(session)?.dispose();
    recordings.delete(session);
    return own.close({ session });
  },
};

answerWith(methods);
