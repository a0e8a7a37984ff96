// Where a value came from: backwards through the stages of a state, and on through the states before it, to the
// execution's input, to what is written in the definition, or to what a task has answered.

import type { DebugSession } from "stepglass/debug";
import type { Origin } from "../model/protocol.ts";
import { type Path, inner, jsonataText, pathText, starts, valueAt } from "../model/stages.ts";
import { Looking, type Making, type Scene, stepsOf, valueOf } from "./sources.ts";

/// So many steps are told, and so many sources of one of them are followed.
const MOST = 60;
const MOST_SOURCES = 3;
/// Steps that say nothing, as through fields that are not written, count as well.
const DEEPEST = 400;

/// Characters of JSON that a value has to have to be known again, and values that are looked at for it.
const LONG_ENOUGH = 4;
const MOST_LOOKED = 2000;
/// The stages after which a task is asked.
const GIVEN: ReadonlySet<string> = new Set(["afterInputPath", "afterParameters", "afterArguments"]);

interface At {
  visit: number;
  attempt: number | undefined;
  /// The place among the stages; -1 for the state's input.
  stage: number;
  path: Path;
}

/// `mocked` says which states' tasks are played by mocks.
export function originOf(
  session: DebugSession,
  definition: string,
  visit: number,
  attempt: number,
  stage: number,
  path: Path,
  mocked: (state: string) => boolean = () => false,
  item?: number,
): Origin[] {
  return new Search(new Looking(session, definition, visit, item), mocked).from({ visit, attempt, stage, path });
}

class Search {
  private readonly found: Origin[] = [];
  /// Loops lead to the same values on many ways.
  private readonly seen = new Set<string>();

  constructor(
    private readonly looking: Looking,
    private readonly mocked: (state: string) => boolean,
  ) {}

  from(at: At): Origin[] {
    this.follow(at, 0, 0);
    return this.found;
  }

  private tell(origin: Origin): void {
    if (this.found.length < MOST)
      this.found.push(origin.event === undefined ? origin : { ...origin, event: this.looking.shown(origin.event) });
  }

  private follow(at: At | undefined, depth: number, steps: number): void {
    if (at === undefined || steps > DEEPEST || this.found.length >= MOST) return;
    const key = JSON.stringify(at);
    if (this.seen.has(key)) return this.tell({ text: `${pathText(at.path)} ← as above`, depth });
    this.seen.add(key);
    const scene = this.looking.scene(at.visit, at.attempt);
    if (!scene) return;
    const next = at.stage < 0 ? this.beforeState(scene, at, depth) : this.throughStage(scene, at, depth);
    const followed = next.slice(0, MOST_SOURCES);
    followed.forEach((one) => this.follow(one, followed.length > 1 ? depth + 1 : depth, steps + 1));
  }

  /// One stage back.
  private throughStage(scene: Scene, at: At, depth: number): At[] {
    const { state, enter } = scene;
    const { stage } = scene.stages[at.stage]!;
    const shown = pathText(at.path);
    const tell = (text: string, approximate = false): void =>
      this.tell({ text, event: enter, state, depth, stage: at.stage, ...(approximate && { approximate }) });
    if (stage === "result" && scene.type !== "Pass") return this.result(scene, at, depth);
    if (stage === "error") return this.error(scene, at, depth);
    const { index } = scene.stages[at.stage]!;
    if (stage === "afterItemSelector" && index !== undefined)
      return this.selected(scene, scene.fields["ItemSelector"] === undefined ? "Parameters" : "ItemSelector", index, at, depth);
    const making = this.looking.making(scene, at.stage, at.path);
    const field = making.made ? fieldWords(making.made.path) : "";
    const from = (to: number, path: Path): At => ({ ...at, stage: to, path });
    if (making.literal) {
      tell(making.made?.written === null ? `${shown} ← ${field} of ${state} is null` : `${shown} ← written in ${field} of ${state}`);
      return [];
    }
    if (making.leaf) {
      const text = inner(making.leaf.text);
      // A path that takes all changes nothing.
      const ends = making.places.length + making.variables.length + making.context.length === 0;
      if (text !== "$") tell(`${shown} ← ${text} in ${field} of ${state}${ends ? ", which reads no input" : ""}`, making.approximate);
      return this.read(scene, at, making, depth);
    }
    if (making.made?.kind === "place" && making.made.written !== undefined && making.made.written !== null) {
      const target = stepsOf(String(making.made.written));
      if (starts(at.path, target) && target.length > 0) tell(`${shown} ← ResultPath ${String(making.made.written)} of ${state}`);
    }
    return making.places.map(({ at: to, path }) => from(to, path));
  }

  /// What a leaf reads: places of the state's data, variables and the Context Object.
  private read(scene: Scene, at: At, making: Making, depth: number): At[] {
    const next: At[] = [];
    const groups = new Map<number, Path[]>();
    for (const { at: to, path } of making.places) groups.set(to, [...(groups.get(to) ?? []), path]);
    const several = making.places.length + making.variables.length + making.context.length > 1;
    for (const [to, paths] of groups) {
      if (paths.length > MOST_SOURCES) {
        const common = commonOf(paths);
        this.tell({
          text: `depends on ${paths.length} values in ${pathText(common)}`,
          event: scene.enter,
          state: scene.state,
          depth,
          approximate: true,
        });
        next.push({ ...at, stage: to, path: common });
      } else for (const path of paths) next.push({ ...at, stage: to, path });
    }
    const assigned = making.variables.length > 0 ? this.looking.variables(scene.visit) : undefined;
    for (const { name, path } of making.variables) {
      const by = assigned?.get(name)?.by;
      const shown = jsonataText(path, `$${name}`);
      const inside = by ? this.looking.scene(by.id, undefined) : undefined;
      const stage = inside?.stages.findLastIndex((one) => one.stage === "assignedVariables") ?? -1;
      if (!by || stage < 0) {
        this.tell({ text: `${shown} is a variable that was never assigned`, depth });
        continue;
      }
      this.tell({ text: `${shown} ← assigned by ${by.state}`, event: by.exit, state: by.state, depth: several ? depth + 1 : depth });
      next.push({ visit: by.id, attempt: undefined, stage, path: [name, ...path] });
    }
    for (const path of making.context) next.push(...this.context(scene, path, depth));
    return next;
  }

  /// Of the Context Object only inputs and items come from elsewhere.
  private context(scene: Scene, path: Path, depth: number): At[] {
    const shown = pathText(path, "$$");
    if (starts(path, ["Execution", "Input"])) {
      this.tell({ text: `${shown} ← the execution's input`, event: 1, depth });
      return [];
    }
    const { around, index } = this.iteration(scene, path);
    if (around && starts(path, ["Map", "Item", "Value"]) && index !== undefined) {
      const rest = path.slice(3);
      this.tell({ text: `${shown} ← item ${index} of ${around.state}`, event: around.enter, state: around.state, depth });
      return this.items(around.id, [index, ...rest]);
    }
    this.tell({ text: `${shown} ← the Context Object`, depth });
    return [];
  }

  /// The Map that an item belongs to: the one that is evaluated, in its ItemSelector, or the one around.
  private iteration(scene: Scene, path: Path): { around?: { id: number; state: string; enter: number }; index?: number } {
    if (scene.type === "Map" && this.itemOf !== undefined && starts(path, ["Map"]))
      return { around: { id: scene.visit, state: scene.state, enter: scene.enter }, index: this.itemOf };
    const visit = this.looking.visit(scene.visit)!;
    for (let outer = visit; outer.around >= 0;) {
      const around = this.looking.visit(outer.around);
      if (!around) break;
      if (around.type === "Map") return { around, index: outer.slot };
      outer = around;
    }
    return {};
  }

  private itemOf: number | undefined;

  /// A place among the items of a Map.
  private items(map: number, path: Path): At[] {
    const scene = this.looking.scene(map, 0);
    if (!scene) return [];
    if (scene.fields["ItemReader"] !== undefined) {
      this.tell({ text: `${pathText(path)} ← read by the ItemReader of ${scene.state}`, event: scene.enter, state: scene.state, depth: 0 });
      return [];
    }
    // In JSONata without Items they are the input.
    return [
      { visit: map, attempt: 0, stage: scene.stages.findIndex(({ stage }) => stage === "afterItemsPath" || stage === "afterItems"), path },
    ];
  }

  /// What a task has answered, or what the branches and iterations have put out.
  private result(scene: Scene, at: At, depth: number): At[] {
    const { state, type, enter } = scene;
    const shown = pathText(at.path);
    if (type !== "Map" && type !== "Parallel") {
      this.tell({
        text: `${shown} ← the task's result in ${state}${this.mocked(state) ? " (mock)" : ""}`,
        event: enter,
        state,
        depth,
        stage: at.stage,
      });
      return this.asked(scene, at, depth);
    }
    const word = type === "Map" ? "iteration" : "branch";
    const [slot] = at.path;
    const inside = this.looking.visits.findLast((other) => other.exit > 0 && other.around === scene.visit && other.slot === slot);
    if (typeof slot !== "number") {
      this.tell({
        text: type === "Map" ? `${shown} ← the iterations of ${state}, one for each item` : `${shown} ← all branches of ${state}`,
        event: enter,
        state,
        depth,
      });
      return type === "Map" ? this.items(scene.visit, []) : [];
    }
    this.tell({
      text: `${shown} ← ${word} ${slot} of ${state}${inside ? "" : type === "Map" ? ", a child execution" : ""}`,
      event: enter,
      state,
      depth,
    });
    if (!inside) return [];
    return this.output(inside.id, at.path.slice(1));
  }

  /// What a task does is not seen; a value that it was given and gives back is most likely that one.
  private asked(scene: Scene, at: At, depth: number): At[] {
    const value = valueAt(scene.stages[at.stage]!.value, at.path);
    // What is common says nothing.
    if (value === undefined || value === null || typeof value === "boolean" || JSON.stringify(value).length < LONG_ENOUGH) return [];
    const stage = scene.stages.findLastIndex((one, i) => i < at.stage && GIVEN.has(one.stage));
    const given = stage < 0 ? scene.input : valueOf(scene, stage);
    const [path, ...others] = placesOf(given, value);
    if (!path || others.length > 0) return [];
    this.tell({
      text: `the same value is in the input of the task, at ${pathText(path)}`,
      event: scene.enter,
      state: scene.state,
      depth,
      approximate: true,
    });
    return [{ ...at, stage, path }];
  }

  /// The error that a catcher works on.
  private error(scene: Scene, at: At, depth: number): At[] {
    const { state, type, enter } = scene;
    const raised = scene.stages[at.stage]!.value;
    const inside =
      type === "Map" || type === "Parallel"
        ? this.looking.visits.findLast((other) => other.around === scene.visit && same(this.raised(other.id)?.value, raised))
        : undefined;
    this.tell({
      text: `${pathText(at.path)} ← the error of ${inside ? `${inside.state} inside ${state}` : state}`,
      event: enter,
      state,
      depth,
    });
    return [];
  }

  private raised(visit: number): { value: unknown } | undefined {
    return this.looking.scene(visit, undefined)?.stages.findLast(({ stage }) => stage === "error");
  }

  private output(visit: number, path: Path): At[] {
    const stage = this.looking.scene(visit, undefined)?.stages.findLastIndex((one) => one.stage === "output") ?? -1;
    return stage < 0 ? [] : [{ visit, attempt: undefined, stage, path }];
  }

  /// From a state's input to what it was before.
  private beforeState(scene: Scene, at: At, depth: number): At[] {
    const visit = this.looking.visit(scene.visit)!;
    const previous = this.looking.events[visit.enter - 1]?.previousEventId ?? 0;
    const shown = pathText(at.path);
    const value = valueAt(scene.input, at.path);
    const byHand = (there: unknown): boolean => {
      if (same(there, value)) return false;
      this.tell({ text: `${shown} ← set by hand in ${scene.state}`, event: visit.enter, state: scene.state, depth });
      return true;
    };
    const before = this.looking.leftBy(previous);
    if (before) {
      const next = this.output(before.id, at.path);
      const [out] = next;
      if (out && byHand(valueAt(valueOf(this.looking.scene(before.id, undefined)!, out.stage), at.path))) return [];
      this.tell({ text: `${shown} ← output of ${before.state}`, event: before.exit, state: before.state, depth });
      return next;
    }
    const around = this.looking.visit(visit.around);
    if (!around) {
      const given = (this.looking.events[0] as { executionStartedEventDetails?: { input?: string } } | undefined)
        ?.executionStartedEventDetails?.input;
      const whose = visit.threadName === "Execution" ? "the execution's input" : `the input of ${visit.threadName}`;
      if (given === undefined || !byHand(valueAt(JSON.parse(given), at.path))) this.tell({ text: `${shown} ← ${whose}`, event: 1, depth });
      return [];
    }
    const outer = this.looking.scene(around.id, undefined)!;
    if (around.type !== "Map") {
      this.tell({ text: `${shown} ← input of ${around.state}`, event: around.enter, state: around.state, depth });
      const stage = outer.stages.findIndex((one) => one.stage === "afterParameters" || one.stage === "afterArguments");
      return [{ visit: around.id, attempt: undefined, stage, path: at.path }];
    }
    const index = visit.slot;
    this.tell({ text: `${shown} ← item ${index} of ${around.state}`, event: around.enter, state: around.state, depth });
    const field =
      outer.fields["ItemSelector"] !== undefined
        ? "ItemSelector"
        : outer.language === "JSONPath" && outer.fields["Parameters"] !== undefined
          ? "Parameters"
          : undefined;
    if (field === undefined) return this.items(around.id, [index, ...at.path]);
    return this.selected(outer, field, index, at, depth);
  }

  /// Through an ItemSelector, which is evaluated for each item.
  private selected(map: Scene, field: string, index: number, at: At, depth: number): At[] {
    const stage = Math.max(
      0,
      map.stages.findLastIndex((one) => one.stage.startsWith("afterItems") || one.stage === "afterInputPath"),
    );
    // As if it were a stage: it reads what the items are found in.
    const like: Scene = {
      ...map,
      stages: [...map.stages.slice(0, stage + 1), { stage: "afterItemSelector", value: undefined, place: -1 }],
      fields: { ...map.fields, ItemSelector: map.fields[field] },
    };
    const making = this.looking.making(like, stage + 1, at.path);
    this.itemOf = index;
    const shown = pathText(at.path);
    const place: At = { visit: map.visit, attempt: 0, stage, path: at.path };
    const told = { event: map.enter, state: map.state, depth };
    if (making.literal) {
      this.tell({ text: `${shown} ← written in ${field} of ${map.state}`, ...told });
      return [];
    }
    if (!making.leaf && making.places.length === 0) return [];
    if (making.leaf)
      this.tell({
        text: `${shown} ← ${inner(making.leaf.text)} in ${field} of ${map.state}`,
        ...told,
        ...(making.approximate && { approximate: true }),
      });
    const next = this.read(map, place, making, depth);
    this.itemOf = undefined;
    return next;
  }
}

/// Where in a value another is, at most twice.
function placesOf(whole: unknown, value: unknown): Path[] {
  const found: Path[] = [];
  const open: [unknown, Path][] = [[whole, []]];
  for (let looked = 0; looked < MOST_LOOKED && found.length < 2; looked++) {
    const next = open.pop();
    if (!next) break;
    const [held, path] = next;
    if (same(held, value)) found.push(path);
    else if (typeof held === "object" && held !== null)
      for (const [key, inside] of Object.entries(held)) open.push([inside, [...path, Array.isArray(held) ? Number(key) : key]]);
  }
  return found;
}

function fieldWords(path: Path): string {
  return path.map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`)).join("");
}

function commonOf(paths: readonly Path[]): Path {
  let common = paths[0] ?? [];
  for (const path of paths) {
    let n = 0;
    while (n < common.length && common[n] === path[n]) n++;
    common = common.slice(0, n);
  }
  return common;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
