// What a part of a value was made of: the expression that made it, and the places which that reads.
//
// Paths, templates and plain chains of JSONata are told exactly. Of any other expression of JSONata it is tried: a place
// counts where another value there makes another result.

import type { ErrorFacts, Selection } from "stepglass";
import type { DebugSession } from "stepglass/debug";
import {
  type Language,
  type Leaf,
  type StageField,
  type Path,
  inner,
  leavesOf,
  madeBy,
  sourcesOf as readBy,
  starts,
  valueAt,
} from "../model/stages.ts";
import { parsed } from "../model/details.ts";
import type { ValueSources } from "../model/protocol.ts";
import { fieldsOf } from "./flow.ts";
import { type Read, type Reads, readsOfJsonata, readsOfPath } from "./reads.ts";
import { select, selectMapped, within } from "./select.ts";

/// So many places are tried, and so many characters of JSON are read for it.
const MOST_TRIED = 150;
const MOST_CHARACTERS = 6_000_000;

export interface Stage {
  stage: string;
  value: unknown;
  place: number;
  index?: number;
  /** For an error: what the interpreter decided about it. */
  failure?: ErrorFacts;
}

/// One attempt of a visit: its stages and what the definition says of its state.
export interface Scene {
  visit: number;
  state: string;
  type: string;
  enter: number;
  exit: number;
  input: unknown;
  stages: Stage[];
  fields: Record<string, unknown>;
  language: Language;
}

/// Of what a part of a value was made.
export interface Making {
  made?: StageField;
  /// The leaf of the field that made it; absent where it stands there as it is, or passed through untouched.
  leaf?: Leaf;
  places: { at: number; path: Path }[];
  variables: { name: string; path: Path }[];
  context: Path[];
  approximate: boolean;
  /// It is written in the definition.
  literal: boolean;
}

type Event = ReturnType<DebugSession["historyOf"]>[number];
type Visit = ReturnType<DebugSession["visitsInOrder"]> extends IterableIterator<infer V> ? V : never;

/// What is asked about one run at one moment.
export class Looking {
  readonly visits: Visit[];
  readonly events: Event[];
  private readonly scenes = new Map<string, Scene>();
  private readonly byExit = new Map<number, Visit>();

  /// `about` is the visit that is asked about: what is before it is looked for in its own history. `item` is that of its stages
  /// that a Map has for each.
  constructor(
    readonly session: DebugSession,
    readonly definition: string,
    private readonly about: number,
    private readonly item?: number,
  ) {
    this.visits = [...session.visitsInOrder(about)];
    this.events = session.historyOf(about);
    for (const visit of this.visits) if (visit.exit > 0) this.byExit.set(visit.exit, visit);
  }

  visit(id: number): Visit | undefined {
    return this.visits[id - (this.visits[0]?.id ?? 0)];
  }

  /// The event of the run at which one sees what an event of this history has done.
  shown(event: number): number {
    return this.events[event - 1]?.after ?? event;
  }

  leftBy(event: number): Visit | undefined {
    return this.byExit.get(event);
  }

  scene(visit: number, attempt: number | undefined): Scene | undefined {
    const key = `${visit} ${attempt ?? ""}`;
    const known = this.scenes.get(key);
    if (known) return known;
    const found = this.visit(visit);
    if (!found) return undefined;
    const { stages, input } = this.session.stages(visit, attempt, {
      all: true,
      ...(visit === this.about && this.item !== undefined && { item: this.item }),
    });
    const scene: Scene = {
      visit,
      state: found.state,
      type: found.type,
      enter: found.enter,
      exit: found.exit,
      input,
      stages,
      ...fieldsOf(this.definition, found.state),
    };
    this.scenes.set(key, scene);
    return scene;
  }

  /// The variables that the fields of a visit see: those assigned before it was entered, and who did it last.
  variables(visit: number): Map<string, { value: unknown; by: Visit }> {
    const found = new Map<string, { value: unknown; by: Visit }>();
    let id = this.events[(this.visit(visit)?.enter ?? 0) - 1]?.previousEventId ?? 0;
    while (id > 0) {
      const by = this.leftBy(id);
      if (by) {
        for (const [name, text] of Object.entries(assignedBy(this.events[id - 1]!)))
          if (!found.has(name)) found.set(name, { value: parsed(text), by });
        id = by.enter;
      }
      id = this.events[id - 1]?.previousEventId ?? 0;
    }
    return found;
  }

  /// What an expression of a stage sees.
  values(scene: Scene, at: number): { input: unknown; context: unknown; variables: Record<string, unknown>; now: number } {
    const { context: own, now } = this.session.values(scene.visit) as { context: object; now: number };
    const context =
      scene.stages[at]?.stage === "afterItemSelector" ? { ...own, Map: { Item: itemOf(scene, scene.stages[at].index ?? 0) } } : own;
    const variables: Record<string, unknown> = Object.fromEntries(
      [...this.variables(scene.visit)].map(([name, { value }]) => [name, value]),
    );
    const sources = at < 0 ? [] : readBy(scene.type, scene.language, scene.stages, at);
    const of = (role: string): unknown => {
      const source = sources.find((one) => one.role === role);
      return source && valueOf(scene, source.at);
    };
    if (scene.language === "JSONPath") return { input: of("data") ?? scene.input, context, variables, now };
    const states: Record<string, unknown> = { input: scene.input, context };
    for (const role of ["result", "errorOutput"]) if (of(role) !== undefined) states[role] = of(role);
    return { input: null, context, variables: { ...variables, states }, now };
  }

  /// What made the part of a stage's value that stands at a path.
  making(scene: Scene, at: number, path: Path): Making {
    const { stages, fields, language, type } = scene;
    const made = madeBy(fields, language, stages, at);
    const making: Making = { ...(made && { made }), places: [], variables: [], context: [], approximate: false, literal: false };
    const sources = readBy(type, language, stages, at);
    const [first] = sources;
    const through = (source = first): Making => {
      if (source) making.places.push({ at: source.at, path });
      return making;
    };
    // Which items a batch has taken is not told: it is some of those that there are.
    if (stages[at]!.stage === "afterItemBatcher" && (path.length === 0 || path[0] === "Items")) {
      if (first) making.places.push({ at: first.at, path: [] });
      return { ...making, approximate: true };
    }
    if (!made) return through();
    if (made.kind === "place") {
      const data = first;
      const raw = sources.find(({ role }) => role === "raw");
      if (made.written === null) return through(raw);
      const target = made.written === undefined ? [] : stepsOf(String(made.written));
      if (starts(path, target)) {
        if (data) making.places.push({ at: data.at, path: path.slice(target.length) });
      } else if (starts(target, path)) {
        // What holds the target came with the input and now has the result in it.
        if (raw) making.places.push({ at: raw.at, path });
        if (data) making.places.push({ at: data.at, path: [] });
      } else return through(raw);
      return making;
    }
    if (made.written === undefined) {
      if (made.kind === "literal" && type !== "Pass") return making;
      // Assign without a word for it is what nobody has written.
      return stages[at]!.stage === "assignedVariables" ? making : through();
    }
    if (made.written === null && made.kind === "path") return { ...making, literal: true };
    const leaves = leavesOf(made);
    const around = leaves.find(({ makes }) => starts(path, makes));
    if (around) return this.ofLeaf(scene, at, around, path.slice(around.makes.length), making);
    const inside = leaves.filter(({ makes }) => starts(makes, path)).slice(0, 200);
    if (inside.length === 0) return { ...making, literal: true };
    // A part of the template with expressions in it: all that these read.
    for (const leaf of inside) this.ofLeaf(scene, at, leaf, [], making);
    delete making.leaf;
    return making;
  }

  /// What a leaf of a field reads, and more closely what makes a part of its value.
  ofLeaf(scene: Scene, at: number, leaf: Leaf, part: Path, making: Making): Making {
    const { language, stages, type } = scene;
    making.leaf = leaf;
    const jsonata = making.made?.kind === "jsonata" || (making.made?.kind !== "template" && language === "JSONata");
    const told = jsonata ? readsOfJsonata(leaf.text) : readsOfPath(leaf.text);
    const sources = readBy(type, language, stages, at);
    const selected: { at: number; root: Read["of"]; found: Selection }[] = [];
    for (const read of told.reads) {
      if (read.of === "variable") {
        making.variables.push({ name: read.name!, path: [...read.steps, ...(told.plain ? part : [])] });
        continue;
      }
      if (read.of === "context") {
        making.context.push([...read.steps, ...(told.plain ? part : [])]);
        continue;
      }
      const source = sources.find(({ role }) => role === read.of);
      if (!source) continue;
      const value = valueOf(scene, source.at);
      const found = jsonata ? selectMapped(read.path, value) : select(read.path, value);
      if (found) selected.push({ at: source.at, root: read.of, found });
      else making.approximate = true;
    }
    if (told.plain) {
      for (const { at: place, found } of selected) for (const path of within(found, part)) making.places.push({ at: place, path });
      return making;
    }
    if (!jsonata) {
      // An intrinsic function: all of what it is given.
      for (const { at: place, found } of selected) for (const path of found.places) making.places.push({ at: place, path });
      return making;
    }
    making.approximate = true;
    const tried = this.tried(
      scene,
      at,
      leaf,
      part,
      selected.flatMap(({ at: place, root, found }) => found.places.map((path) => ({ at: place, root, path }))),
      told,
    );
    making.places.push(...tried);
    return making;
  }

  /// Those of the places whose value matters to what an expression of JSONata gives.
  private tried(
    scene: Scene,
    at: number,
    leaf: Leaf,
    part: Path,
    places: { at: number; root: Read["of"]; path: Path }[],
    { reads }: Reads,
  ): { at: number; path: Path }[] {
    const all = places.map(({ at: place, path }) => ({ at: place, path }));
    const leaves = places.flatMap((place) => leafPlaces(valueOf(scene, place.at), place.path).map((path) => ({ ...place, path })));
    if (
      leaves.length === 0 ||
      leaves.length > MOST_TRIED ||
      reads.some(({ path, of }) => of === "input" && path === "" && leaves.length > MOST_TRIED)
    )
      return all;
    const values = this.values(scene, at);
    const size = JSON.stringify(values.variables).length;
    if (size * leaves.length > MOST_CHARACTERS) return all;
    const expression = inner(leaf.text);
    const asked = (variables: Record<string, unknown>): string => {
      const { value, message } = this.session.evaluate(expression, { language: "jsonata", values: { ...values, variables } });
      return message ?? JSON.stringify(valueAt(value, part)) ?? "";
    };
    const result = asked(values.variables);
    const states = values.variables["states"] as Record<string, unknown>;
    const matters = leaves.filter(
      ({ root, path }) => asked({ ...values.variables, states: { ...states, [root]: withOther(states[root], path) } }) !== result,
    );
    // Chance decides, or nothing does: what it reads is all that can be said.
    return matters.length === 0 || (matters.length === leaves.length && asked(values.variables) !== result)
      ? all
      : matters.map(({ at: place, path }) => ({ at: place, path }));
  }
}

/// For who points at a part of a value, or at an expression: the nodes of what was before that it came from.
export function lightsOf(
  looking: Looking,
  visit: number,
  attempt: number,
  stage: number,
  { path, expression }: { path?: Path; expression?: Path },
): ValueSources {
  const scene = looking.scene(visit, attempt);
  if (!scene || stage < 0) return { places: [], variables: [], context: false, approximate: false, literal: false };
  let making: Making;
  if (expression) {
    const made = madeBy(scene.fields, scene.language, scene.stages, stage);
    const leaf = made && leavesOf(made).find((one) => JSON.stringify(one.path) === JSON.stringify(expression));
    making = { ...(made && { made }), places: [], variables: [], context: [], approximate: false, literal: false };
    if (leaf) looking.ofLeaf(scene, stage, leaf, [], making);
  } else making = looking.making(scene, stage, path ?? []);
  const { leaf, places, variables, context, approximate, literal } = making;
  return {
    ...(leaf && { expression: leaf.path, makes: leaf.makes, text: leaf.text }),
    places: unique(places),
    variables: [...new Set(variables.map(({ name }) => name))],
    context: context.length > 0,
    approximate,
    literal,
  };
}

function unique(places: { at: number; path: Path }[]): { at: number; path: Path }[] {
  const seen = new Set<string>();
  return places.filter((place) => !seen.has(JSON.stringify(place)) && seen.add(JSON.stringify(place)));
}

/// `Map.Item` of the Context Object, as far as the items are a stage of the Map.
function itemOf({ stages }: Scene, index: number): object {
  const items = stages.findLast(({ stage }) => stage === "afterItemsPath" || stage === "afterItems")?.value;
  if (Array.isArray(items) || typeof items !== "object" || items === null)
    return { Index: index, Value: (items as unknown[] | undefined)?.[index] };
  const [key, value] = Object.entries(items)[index] ?? [];
  return { Index: index, Key: key, Value: value as unknown };
}

export function valueOf(scene: Scene, at: number): unknown {
  return at < 0 ? scene.input : scene.stages[at]?.value;
}

/// The places of all values inside of one that hold no others.
function leafPlaces(whole: unknown, path: Path): Path[] {
  const found: Path[] = [];
  const walk = (value: unknown, at: Path): void => {
    if (found.length > MOST_TRIED) return;
    if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
      for (const key of Object.keys(value))
        walk((value as Record<string, unknown>)[key], [...at, Array.isArray(value) ? Number(key) : key]);
    } else found.push(at);
  };
  walk(valueAt(whole, path), path);
  return found;
}

/// The same value but for one place.
function withOther(value: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return other(value);
  if (Array.isArray(value)) return value.map((element: unknown, i) => (i === step ? withOther(element, rest) : element));
  const held = value as Record<string | number, unknown>;
  return { ...held, [step]: withOther(held[step], rest) };
}

function other(value: unknown): unknown {
  switch (typeof value) {
    case "number":
      return value === 0 ? 7919 : -value * 1.5 - 1;
    case "boolean":
      return !value;
    case "string":
      return value === "" ? "\u0001" : `\u0001${[...value].reverse().join("")}`;
    default:
      return Array.isArray(value) ? [7919] : value === null ? 7919 : { "\u0001": 7919 };
  }
}

/// The steps of a Reference Path.
export function stepsOf(path: string): Path {
  return readsOfPath(path).reads[0]?.steps ?? [];
}

export function assignedBy(event: Event): Record<string, string> {
  return (
    (event as { stateExitedEventDetails?: { assignedVariables?: Record<string, string> } }).stateExitedEventDetails?.assignedVariables ?? {}
  );
}
