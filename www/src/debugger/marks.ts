// The debugger's parts of the graph: marks of breakpoints and mocks, the paused state, and commands of the node menu.

import { computed, effect } from "@preact/signals";
import { type NodeMark, type Override, addNodeCommands, edgeMarks, nodeMarks, overrides } from "./onGraph.ts";
import { isState } from "../model/graph.ts";
import type { Breakpoint } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import * as workspace from "../store/workspace.ts";
import { bytes } from "../ui/format.ts";
import * as model from "./model.ts";
import * as session from "./session.ts";

const FORMS = { plain: "filled", condition: "diamond", log: "ring", off: "hollow" } as const;
const WORDS = { plain: "breakpoint", condition: "conditional breakpoint", log: "log point", off: "breakpoint off" } as const;
/** The sign beside a breakpoint that is neither before nor after its state. */
const SIGNS: Partial<Record<Breakpoint["kind"], NodeMark["sign"]>> = {
  error: { sign: "cross" },
  retry: { sign: "retry" },
  catch: { sign: "caught" },
  iteration: "#",
};
const AFTER = new Set<Breakpoint["kind"]>(["exit", "error", "retry", "catch"]);

function breakpointMark(one: Breakpoint): NodeMark {
  const kind = one.enabled === false || !model.stops.value ? "off" : one.log ? "log" : one.condition || one.hit ? "condition" : "plain";
  const sign = SIGNS[one.kind];
  return {
    kind: "breakpoint",
    side: one.kind === "transition" ? "edge" : AFTER.has(one.kind) ? "exit" : "entry",
    form: one.kind === "change" && kind === "plain" ? "triangle" : FORMS[kind],
    title: `${WORDS[kind]}: ${model.describe(one)}`,
    ...(sign && { sign }),
    ...(one.hit && { hit: one.hit.replace(/\s/g, "") }),
  };
}

/** The number of large payloads up to the displayed event. */
const largeShown = computed(() => {
  const cursor = model.large.value.length > 0 ? playback.cursor.value : 0;
  return model.large.value.filter(({ event }) => event <= cursor).length;
});

effect(() => {
  const index = analysis.graph.value;
  const marks = new Map<string, NodeMark[]>();
  const onEdges = new Map<string, NodeMark[]>();
  const put = (map: Map<string, NodeMark[]>, id: string, mark: NodeMark): void => {
    const list = map.get(id);
    if (list) list.push(mark);
    else map.set(id, [mark]);
  };
  const add = (state: string, mark: NodeMark): void => {
    const pointer = index?.node(index.byName.get(state) ?? -1)?.pointer;
    if (pointer !== undefined) put(marks, pointer, mark);
  };
  for (const one of model.here.value) {
    const mark = breakpointMark(one);
    if (one.kind !== "transition") {
      if (one.state) add(one.state, mark);
      continue;
    }
    if (!index) continue;
    const [from, to] = [one.from, one.to].map((state) => index.node(index.byName.get(state ?? "") ?? -1)?.id);
    if ((one.from && from === undefined) || (one.to && to === undefined)) continue;
    // All transitions between two states share one line.
    const lines = new Set<string>();
    for (const edge of index.graph.edges) {
      if (
        (from !== undefined && edge.from !== from) ||
        (to !== undefined && edge.to !== to) ||
        edge.kind === "start" ||
        edge.kind === "end" ||
        lines.has(edge.path)
      )
        continue;
      lines.add(edge.path);
      put(onEdges, edge.id, mark);
    }
    if (one.from || one.to) add((one.from || one.to)!, mark);
  }
  for (const { state } of analysis.shown.value?.tasks ?? []) if (model.isMocked(state)) add(state, { kind: "mock", title: "mocked" });
  const answers = workspace.recordedAnswers.value;
  for (const state of new Set(answers?.tasks.map(({ state: name }) => name)))
    if (!model.isMocked(state)) add(state, { kind: "replayed", title: `answers recorded in ${answers!.title}` });
  const sizes = new Map<string, number>();
  for (const { state, size } of model.large.value.slice(0, largeShown.value)) sizes.set(state, Math.max(size, sizes.get(state) ?? 0));
  for (const [state, size] of sizes) {
    const share = `${Math.floor((size / 262_144) * 100)} %`;
    add(state, { kind: "size", text: share, title: `payload of ${bytes(size)}, ${share} of the limit on AWS` });
  }
  nodeMarks.value = marks;
  edgeMarks.value = onEdges;
});

effect(() => {
  const index = analysis.graph.value;
  const at = model.position.value;
  const shown = new Map<string, Override>();
  // Only the selected iteration is shown.
  const put = (state: string, iterations: readonly number[], override: Override): void => {
    const pointer = index?.node(index.byName.get(state) ?? -1)?.pointer;
    if (pointer !== undefined && playback.isSelected(pointer, iterations)) shown.set(pointer, override);
  };
  if (playback.live.value)
    for (const task of execution.waiting.value)
      if (task.execution === analysis.inside.value?.name)
        put(task.state, task.iterations, { status: "awaiting", title: "waits for your answer" });
  const [top] = at?.stack ?? [];
  if (top && execution.run.value?.phase === "paused") put(top.state, top.iterations, { status: "paused", title: model.pausedWords.value });
  // An empty map does not replace an empty map, because each state would evaluate it again.
  if (shown.size + overrides.peek().size > 0) overrides.value = shown;
});

addNodeCommands([
  {
    id: "breakpoint",
    group: "debug",
    label: "Breakpoint",
    command: "breakpoint",
    shown: isState,
    checked: (node) => model.byState.value.has(node.name),
    run: (node) => session.toggleBreakpoint(node.name),
  },
  {
    id: "editBreakpoint",
    group: "debug",
    label: "Edit the breakpoint",
    command: "editBreakpoint",
    shown: isState,
    run: (node) => session.editBreakpoint(node.name),
  },
  { id: "runTo", group: "debug", label: "Run to here", command: "runTo", shown: isState, run: (node) => session.runTo(node.name) },
  {
    id: "rerun",
    group: "debug",
    label: "Run again from here",
    shown: (node) => isState(node) && session.canStep() && playback.runOf(node.id).value.entered > 0,
    run: (node) => session.rerunFrom(node.name),
  },
  {
    id: "lookInto",
    group: "debug",
    label: "Open the execution it started",
    shown: (node) => session.startedBy(node.name) !== undefined,
    run: (node) => session.selectExecution(session.startedBy(node.name)!.id),
  },
  {
    id: "mock",
    group: "debug",
    label: "Mock",
    shown: (node) => node.type === "Task",
    run: (node) => {
      selection.selectState(node.name, "graph");
      panes.showLeft("mocks");
    },
  },
]);
