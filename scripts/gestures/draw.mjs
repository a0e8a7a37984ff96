// Random machines, and random gestures on them.

const TYPES = ["Task", "Wait", "Pass", "Succeed", "Fail", "Choice", "Parallel", "Map"];

const escaped = (name) => String(name).replaceAll("~", "~0").replaceAll("/", "~1");

/** The scopes of a definition, with their states. */
export function scopesOf(definition) {
  const found = [];
  const visit = (scope, pointer) => {
    if (typeof scope?.States !== "object" || scope.States === null || Array.isArray(scope.States)) return;
    const states = Object.entries(scope.States).map(([name, state]) => ({ name, state, pointer: `${pointer}/States/${escaped(name)}` }));
    found.push({ pointer, scope, states });
    for (const { state, pointer: at } of states) {
      if (Array.isArray(state?.Branches)) state.Branches.forEach((branch, i) => visit(branch, `${at}/Branches/${i}`));
      for (const field of ["ItemProcessor", "Iterator"]) if (state?.[field]) visit(state[field], `${at}/${field}`);
    }
  };
  visit(definition, "");
  return found;
}

/** The transitions out of a state: the field's pointer within the state, and the target; null for the end. */
export function edgesOf(state) {
  const found = [];
  if (typeof state !== "object" || state === null) return found;
  for (const field of ["Next", "Default"]) if (typeof state[field] === "string") found.push([field, state[field]]);
  if (state.End === true) found.push(["End", null]);
  for (const list of ["Choices", "Catch"]) {
    if (!Array.isArray(state[list])) continue;
    state[list].forEach((rule, i) => {
      if (typeof rule?.Next === "string") found.push([`${list}/${i}/Next`, rule.Next]);
    });
  }
  return found;
}

/** The variables that a machine assigns. */
function variablesOf(definition) {
  const found = new Set();
  for (const { states } of scopesOf(definition))
    for (const { state } of states)
      for (const assigns of [
        state,
        ...(Array.isArray(state?.Catch) ? state.Catch : []),
        ...(Array.isArray(state?.Choices) ? state.Choices : []),
      ])
        for (const name of Object.keys(assigns?.Assign ?? {})) found.add(name.replace(/\.\$$/, ""));
  return [...found];
}

const pick = (random, list) => list[Math.floor(random() * list.length)];

/** A machine whose states lead to one another; it is valid more often than not. */
export function randomMachine(random) {
  let number = 0;
  const jsonata = random() < 0.4;
  const name = () => {
    number += 1;
    return pick(random, [
      `State ${number}`,
      `S${number}`,
      `Do it ${number}/a~b`,
      `Prüfen ${number}`,
      `${number}`,
      `yes ${number}: "x"`,
      `#${number}`,
    ]);
  };
  const scope = (depth) => {
    const names = Array.from({ length: 1 + Math.floor(random() * (depth === 0 ? 7 : 3)) }, name);
    const States = {};
    names.forEach((own, i) => {
      const next = names[i + 1];
      States[own] = state(random, { next, names, depth, scope, jsonata, own, first: i === 0 });
    });
    return { StartAt: names[0], States };
  };
  const machine = { ...(jsonata && { QueryLanguage: "JSONata" }), ...(random() < 0.5 && { Comment: "Made at random: # 1" }), ...scope(0) };
  return { text: JSON.stringify(machine, null, 2), yaml: false };
}

function state(random, { next, names, depth, scope, jsonata, own }) {
  const on = next === undefined ? { End: true } : { Next: next };
  const comment = random() < 0.2 ? { Comment: pick(random, ["a: b", "two\nlines", "it's", "- x", ""]) } : {};
  const caught = random() < 0.4 ? { Catch: [{ ErrorEquals: ["States.ALL"], Next: pick(random, names) }] } : {};
  const retried = random() < 0.3 ? { Retry: [{ ErrorEquals: ["States.Timeout", "E.x"], MaxAttempts: 2 }] } : {};
  const assigned =
    random() < 0.2
      ? { Assign: jsonata ? { v1: `{% $states.input.x & "$v1" & \n  $string($v1) %}` } : { "v1.$": "States.Format('$v1 {}', $v1)" } }
      : random() < 0.2
        ? { Assign: jsonata ? { [`v${own.length}`]: "{% $states.input.x %}" } : { [`v${own.length}.$`]: "$.x" } }
        : {};
  const kind = pick(random, depth < 2 ? TYPES : TYPES.slice(0, 6));
  if (kind === "Choice" && next !== undefined) {
    const rule = (i) =>
      jsonata
        ? { Condition: `{% $states.input.a > ${i} %}`, Next: pick(random, names) }
        : { Variable: "$.a", NumericGreaterThan: i, Next: pick(random, names) };
    const rules = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, i) => rule(i));
    return { Type: "Choice", ...comment, Choices: rules, Default: next };
  }
  if (kind === "Succeed" && next === undefined) return { Type: "Succeed", ...comment };
  if (kind === "Fail" && next === undefined) return { Type: "Fail", Error: "E", Cause: "because: of" };
  if (kind === "Wait") return { Type: "Wait", Seconds: 5, ...on };
  if (kind === "Parallel") {
    const Branches = Array.from({ length: 1 + Math.floor(random() * 2) }, () => scope(depth + 1));
    return { Type: "Parallel", Branches, ...caught, ...on };
  }
  if (kind === "Map")
    return { Type: "Map", ItemProcessor: { ProcessorConfig: { Mode: "INLINE" }, ...scope(depth + 1) }, ...retried, ...on };
  if (kind === "Task") {
    const given = jsonata
      ? { Arguments: { a: "{% $states.input.a %}", list: [1, { b: [] }] } }
      : { Parameters: { "a.$": "$.a", list: [1, {}] } };
    const Resource = random() < 0.3 ? "arn:aws:states:::states:startExecution.sync:2" : "arn:aws:lambda:us-east-1:123456789012:function:f";
    return { Type: "Task", ...comment, Resource, ...given, ...retried, ...caught, ...assigned, ...on };
  }
  return { Type: "Pass", ...comment, ...assigned, ...on };
}

const FRAGMENTS = [
  { StartAt: "Try", States: { Try: { Type: "Task", Resource: "${Resource}", Next: "After" }, After: { Type: "Pass", End: true } } },
  {
    StartAt: "Ask",
    States: {
      Ask: { Type: "Choice", Choices: [{ Variable: "$.x", IsPresent: true, Next: "Gone" }], Default: "Yes" },
      Yes: {
        Type: "Parallel",
        Branches: [{ StartAt: "In", States: { In: { Type: "Pass", Assign: { "v2.$": "$" }, End: true } } }],
        End: true,
      },
    },
  },
  { QueryLanguage: "JSONata", StartAt: "J", States: { J: { Type: "Pass", Output: "{% $states.input %}", End: true } } },
  { Type: "Wait", Seconds: 3, End: true },
];

/** A gesture on a machine, which may well be impossible. */
export function randomGesture(random, definition) {
  const scopes = scopesOf(definition);
  const scope = pick(random, scopes) ?? { pointer: "", states: [] };
  const one = pick(random, scope.states) ?? { pointer: "/States/Missing", name: "Missing", state: {} };
  const other = random() < 0.9 ? (pick(random, scope.states) ?? one) : (pick(random, pick(random, scopes)?.states ?? []) ?? one);
  const edges = scope.states.flatMap(({ pointer, state }) => edgesOf(state).map(([field]) => `${pointer}/${field}`));
  if (typeof scope.scope?.StartAt === "string") edges.push(`${scope.pointer}/StartAt`);
  const edge = pick(random, edges) ?? "/StartAt";
  const states = run(random, scope.states, one);
  const role = pick(random, ["next", "rule", "default", "catch", "branch"]);
  const newState = { type: pick(random, TYPES), ...(random() < 0.5 && { name: pick(random, ["New", one.name, "Ask: now", "7"]) }) };
  const asl = pick(random, FRAGMENTS);
  const lists = ["Choices", "Catch", "Retry", "Branches"].filter(
    (field) => Array.isArray(one.state?.[field]) && one.state[field].length > 0,
  );
  const list = pick(random, lists);
  const element = list && `${one.pointer}/${list}/${Math.floor(random() * one.state[list].length)}`;
  const fields = Object.keys(one.state ?? {}).filter((field) => !["Type", "Next", "End", "Branches", "ItemProcessor"].includes(field));
  const field = pick(random, [...fields, "Comment", "TimeoutSeconds", "Retry/0"]);
  const place = pick(random, [{ edge }, { from: one.pointer, as: role }, { scope: scope.pointer }]);
  return pick(random, [
    () => ({ kind: "insert", edge, state: newState }),
    () => ({ kind: "append", from: one.pointer, as: role, state: newState }),
    () => ({ kind: "create", scope: scope.pointer, state: newState }),
    () => ({ kind: "connect", edge, to: other.pointer }),
    () => ({ kind: "connect", from: one.pointer, as: role, to: other.pointer }),
    () => ({ kind: "disconnect", edge }),
    () => ({ kind: "delete", states, ...(random() < 0.4 && { to: random() < 0.5 ? other.pointer : null }) }),
    () => ({ kind: pick(random, ["cut", "copy"]), states }),
    () => ({
      kind: "rename",
      state: one.pointer,
      to: pick(random, ["Renamed", other.name, `${one.name}!`, "null", "#a: b", "x".repeat(81)]),
    }),
    () => ({
      kind: "rename",
      variable: pick(random, variablesOf(definition)) ?? "none",
      to: pick(random, ["other", "v2", "is no name", "größe"]),
    }),
    () => ({ kind: "duplicate", states }),
    () => ({ kind: "paste", asl: JSON.stringify(asl), ...place }),
    () => ({ kind: "retype", state: one.pointer, type: pick(random, TYPES) }),
    () => ({ kind: "wrap", states, type: pick(random, ["Parallel", "Map"]) }),
    () => ({ kind: "unwrap", state: one.pointer }),
    () => ({ kind: "extract", states }),
    () => ({ kind: "inline", state: one.pointer, asl: JSON.stringify(asl) }),
    () => ({ kind: "move", at: element ?? one.pointer, to: Math.floor(random() * 3) }),
    () => ({ kind: "remove", at: element ?? `${one.pointer}/${field}` }),
    () => ({ kind: "set", at: `${one.pointer}/${escaped(field).replaceAll("~1", "/")}`, value: randomValue(random, one.state?.[field]) }),
  ])();
}

function randomValue(random, now) {
  const changed = Array.isArray(now)
    ? [...now, "x"]
    : typeof now === "object" && now !== null
      ? { ...now, "a.b": [1], c: "it's #1" }
      : "text: 'x'";
  return pick(random, [changed, 7, true, null, "plain", "two\nlines", { a: { b: [] } }, [{ ErrorEquals: ["E"] }], [], {}]);
}

/** Some states of a scope: one, a run of neighbours, or any. */
function run(random, states, one) {
  const at = states.indexOf(one);
  if (random() < 0.4 || at < 0) return [one.pointer];
  if (random() < 0.8) return states.slice(at, at + 1 + Math.floor(random() * 3)).map(({ pointer }) => pointer);
  const some = states.filter(() => random() < 0.4).map(({ pointer }) => pointer);
  return some.length > 0 ? some : [one.pointer];
}
