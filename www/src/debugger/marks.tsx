// What the debugger adds to the graph: marks of breakpoints and mocks, where a run is paused, commands of the node menu, and
// how long a state still waits.

import { effect, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type NodeMark, type Override, addNodeCommands, nodeMarks, overrides } from "../graph/hooks.ts";
import { type GraphNode, isState } from "../model/graph.ts";
import type { PendingTimer } from "../model/protocol.ts";
import * as store from "../store.ts";
import { duration } from "../ui/format.ts";
import * as model from "./model.ts";
import * as session from "./session.ts";

const FORMS = { plain: "filled", condition: "diamond", log: "ring", off: "hollow" } as const;
const WORDS = { plain: "breakpoint", condition: "conditional breakpoint", log: "log point", off: "breakpoint off" } as const;

effect(() => {
  const index = store.graph.value;
  const marks = new Map<string, NodeMark[]>();
  const add = (state: string, mark: NodeMark): void => {
    const pointer = index?.node(index.byName.get(state) ?? -1)?.pointer;
    if (pointer === undefined) return;
    const list = marks.get(pointer);
    if (list) list.push(mark);
    else marks.set(pointer, [mark]);
  };
  for (const [state, there] of model.byState.value) {
    const mark = model.markOf(state)!;
    const exit = there.every(({ kind }) => kind === "exit");
    add(state, { kind: "breakpoint", side: exit ? "exit" : "entry", form: FORMS[mark.kind], title: `${WORDS[mark.kind]}: ${mark.title}` });
  }
  for (const { state } of store.analysis.value?.tasks ?? []) if (model.isMocked(state)) add(state, { kind: "mock", title: "mocked" });
  const answers = store.recordedAnswers.value;
  for (const state of new Set(answers?.tasks.map(({ state: name }) => name))) if (!model.isMocked(state)) add(state, { kind: "replayed", title: `answers as in ${answers!.title}` });
  nodeMarks.value = marks;
});

effect(() => {
  const index = store.graph.value;
  const at = model.position.value;
  const shown = new Map<string, Override>();
  const put = (state: string, override: Override): void => {
    const pointer = index?.node(index.byName.get(state) ?? -1)?.pointer;
    if (pointer !== undefined) shown.set(pointer, override);
  };
  if (store.live.value) for (const task of store.waiting.value) put(task.state, { status: "awaiting", title: task.kind === "token" ? "waits for an answer" : "running, waits for your answer" });
  const [top] = at?.stack ?? [];
  if (top && store.run.value?.phase === "paused") put(top.state, { status: "paused", title: model.pausedWords.value });
  overrides.value = shown;
});

addNodeCommands([
  { id: "breakpoint", group: "debug", label: "Breakpoint", command: "breakpoint", shown: isState, checked: (node) => model.byState.value.has(node.name), run: (node) => session.toggleBreakpoint(node.name) },
  { id: "editBreakpoint", group: "debug", label: "Edit the breakpoint", command: "editBreakpoint", shown: isState, run: (node) => session.editBreakpoint(node.name) },
  { id: "runTo", group: "debug", label: "Run to here", command: "runTo", shown: isState, run: (node) => session.runTo(node.name) },
  { id: "rerun", group: "debug", label: "Run again from here", shown: (node) => isState(node) && session.canStep() && store.runOf(node.id).value.entered > 0, run: (node) => session.rerunFrom(node.name) },
  {
    id: "mock",
    group: "debug",
    label: "Mock",
    shown: (node) => node.type === "Task",
    run: (node) => {
      store.selectState(node.name, "graph");
      store.leftTab.value = "mocks";
      store.narrowTab.value = "code";
    },
  },
]);

/// The time that a Wait, a pause before a retry or a time out has left.
export function Remaining({ node }: { node: GraphNode }) {
  const now = useSignal(performance.now());
  const timer = store.timer.value;
  const next = timer?.timers.find(({ state }) => state === node.name);
  const flows = next !== undefined && (timer?.speed ?? 0) > 0;
  useEffect(() => {
    if (!flows) return;
    const tick = setInterval(() => (now.value = performance.now()), 250);
    return () => clearInterval(tick);
  }, [flows]);
  if (!timer || !next || !store.busy.value || !store.live.value) return null;
  const passed = flows ? Math.max(0, now.value - timer.heard) * timer.speed : 0;
  const text = wordsOf(next, Math.max(0, next.at - timer.now - passed));
  const width = text.length * 6.4 + 14;
  return (
    <g class="remaining" aria-hidden="true" transform={`translate(${node.x + 26} ${node.y + node.height})`}>
      <rect x="0" y="-9" width={width} height="18" rx="9" />
      <text x={width / 2} y="4">
        {text}
      </text>
    </g>
  );
}

function wordsOf(timer: PendingTimer, left: number): string {
  const time = duration(left < 10_000 ? left : Math.ceil(left / 1000) * 1000);
  return timer.kind === "retry" ? `\u21bb${timer.retries}${timer.of === undefined ? "" : ` of ${timer.of}`} in ${time}` : timer.kind === "wait" ? `\u23f1 ${time}` : `times out in ${time}`;
}
