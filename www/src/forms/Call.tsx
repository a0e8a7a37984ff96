// The resource of a Task: a service action with its pattern and parameters, a function, or an activity.

import { useSignal } from "@preact/signals";
import { pointerTo } from "stepglass/pointer";
import { useEffect, useRef } from "preact/hooks";
import type { Gesture } from "stepglass";
import type { Integration, IntegrationPattern } from "stepglass/integrations";
import { pick } from "../editing/picking.ts";
import { searchServices } from "../editing/services.ts";
import type { Formed } from "../model/form.ts";
import { isFields } from "../model/rule.ts";
import { Icon } from "../ui/Icon.tsx";
import { useForm } from "./context.ts";
import { type Given, keys } from "./controls.tsx";
import type { Field } from "./expression/queries.ts";
import { Offered, useProposals } from "./expression/proposals.tsx";
import { besidesResource } from "./expression/resources.ts";
import { type Replace, replaceIn } from "./expression/text.ts";
import { Row, idOf } from "./Row.tsx";
import { useTyped } from "./useTyped.ts";
import { shownText, typedText } from "./values.ts";
import { change, put, reportRefusal } from "./write.ts";

const load = () => import("stepglass/integrations");

const PATTERNS: Record<IntegrationPattern, string> = {
  requestResponse: "Go on with the response",
  sync: "Wait for the job (.sync)",
  "sync:2": "Wait for the job (.sync:2)",
  waitForTaskToken: "Wait for the task token",
};

export function CallRow(given: Given) {
  const { formed } = useForm();
  const { at, value } = given;
  const integration = useIntegration(value);
  /** Sets the Resource, and adds the required parameters that the task does not have. */
  const call = async (resource: string, pattern?: IntegrationPattern): Promise<void> => {
    const next = await (await load()).integrationOf(resource);
    await reportRefusal(
      change({ kind: "set", at, value: resource }, ...(next ? await parametersOf(next, pattern, resource, integration, formed) : [])),
    );
  };
  return (
    <>
      <ResourceRow {...given} integration={integration} call={call} />
      {integration && integration.patterns.length > 1 && <PatternRow at={at} value={value} integration={integration} call={call} />}
      {integration && <Parameters integration={integration} />}
    </>
  );
}

type Call = (resource: string, pattern?: IntegrationPattern) => Promise<void>;

/** Loads the service action of a Resource. */
function useIntegration(value: unknown): Integration | undefined {
  const found = useSignal<Integration | undefined>(undefined);
  useEffect(() => {
    let stale = false;
    if (typeof value !== "string" || !value.includes(":states:::")) {
      found.value = undefined;
      return;
    }
    void load()
      .then(({ integrationOf }) => integrationOf(value))
      .then(
        (integration) => !stale && (found.value = integration),
        () => {},
      );
    return () => {
      stale = true;
    };
  }, [value]);
  return found.value;
}

/** Returns the parameters for a new Resource: its required ones, without the empty parameters of the action before. */
async function parametersOf(
  integration: Integration,
  pattern: IntegrationPattern | undefined,
  resource: string,
  before: Integration | undefined,
  formed: Formed,
): Promise<Gesture[]> {
  const { taskState } = await load();
  const own = pattern ?? integration.patterns.find((one) => sameResource(one.resource, resource))?.pattern;
  const made = taskState(integration, { queryLanguage: formed.language, ...(own && { pattern: own }) });
  const field = formed.language === "JSONata" ? "Arguments" : "Parameters";
  const held = formed.fields[field];
  const gestures: Gesture[] = [];
  for (const [parameter, empty] of Object.entries(made[field] ?? {})) {
    const plain = parameter.replace(/\.\$$/, "");
    if (isFields(held) && (Object.hasOwn(held, plain) || Object.hasOwn(held, `${plain}.$`))) continue;
    if (held !== undefined && !isFields(held)) continue;
    gestures.push({ kind: "set", at: pointerTo(formed.pointer, field, parameter), value: empty });
  }
  // Empty parameters of a different action are dropped.
  if (integration.resource !== before?.resource && isFields(held)) {
    const known = new Set(integration.parameters.map((one) => one.name));
    for (const [parameter, value] of Object.entries(held))
      if (value === "" && !known.has(parameter)) gestures.push({ kind: "remove", at: pointerTo(formed.pointer, field, parameter) });
  }
  return gestures;
}

async function search(spot: { x: number; y: number }, call: Call): Promise<void> {
  const chosen = await pick({
    title: "What the task calls",
    placeholder: "sqs send",
    groups: await searchServices(""),
    search: searchServices,
    at: spot,
  });
  if (!chosen) return;
  const rest = chosen.id.replace(/^service /, "");
  await call(rest.slice(rest.indexOf(" ") + 1), rest.slice(0, rest.indexOf(" ")) as IntegrationPattern);
}

interface ResourceProps extends Given {
  integration: Integration | undefined;
  call: Call;
}

function ResourceRow({ at, name, value, integration, call }: ResourceProps) {
  const { formed } = useForm();
  const id = idOf(at);
  const box = useRef<HTMLInputElement>(null);
  const typed = useTyped(value, shownText, typedText, (next) => put(at, next, value));
  const field: Field = { state: formed.pointer, pointer: at, language: formed.language, form: "text-or-jsonata" };
  const offered = useProposals(field, box, { besides: besidesResource, eager: true });
  const take: Replace = (...put) => {
    replaceIn(box.current!, put, typed.type);
    offered.close();
    // A service action is set together with its required parameters.
    if (!box.current!.value.includes(":states:::")) return typed.settle();
    const resource = box.current!.value;
    typed.reset();
    void call(resource);
  };
  return (
    <Row at={at} name={name} control={id} problem={typed.problem}>
      <div class="form-line">
        <div class="xf-place">
          <input
            ref={box}
            id={id}
            class="mono"
            value={typed.text}
            placeholder="arn:aws:states:::…"
            autocomplete="off"
            spellcheck={false}
            aria-describedby={`${id}-problems`}
            {...offered.aria}
            onInput={(event) => {
              typed.type(event.currentTarget.value);
              offered.typed();
            }}
            onBlur={() => {
              offered.close();
              typed.settle();
            }}
            onKeyDown={(event) => offered.keys(event) || keys(event, typed)}
          />
          <Offered offered={offered} take={take} label={name} />
        </div>
        <button
          type="button"
          onClick={(event) => {
            const { left, bottom } = event.currentTarget.getBoundingClientRect();
            void search({ x: left, y: bottom }, call);
          }}
        >
          <Icon name="search" size={14} /> Find
        </button>
      </div>
      <Called integration={integration} resource={value} />
    </Row>
  );
}

/** The description of a Resource. */
function Called({ integration, resource }: { integration: Integration | undefined; resource: unknown }) {
  if (integration)
    return (
      <p class="form-hint">
        <b>
          {integration.title}: {integration.action}
        </b>
        {integration.optimized ? "" : " · AWS SDK"}
      </p>
    );
  const kind = typeof resource === "string" ? kindOf(resource) : undefined;
  return kind === undefined ? null : <p class="form-hint">{kind}</p>;
}

function PatternRow({ at, value, integration, call }: { at: string; value: unknown; integration: Integration; call: Call }) {
  const id = `${idOf(at)}-pattern`;
  const now = integration.patterns.find(({ resource }) => sameResource(resource, value))?.pattern;
  return (
    <div class="form-row">
      <div class="form-name">
        <label for={id}>Pattern</label>
      </div>
      <select
        id={id}
        value={now ?? ""}
        onChange={(event) => {
          const pattern = event.currentTarget.value as IntegrationPattern;
          const resource = integration.patterns.find((one) => one.pattern === pattern)?.resource;
          if (resource) void call(resource, pattern);
        }}
      >
        {now === undefined && <option value="">Choose a pattern</option>}
        {integration.patterns.map(({ pattern }) => (
          <option key={pattern} value={pattern}>
            {PATTERNS[pattern]}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Compares two Resources, ignoring the partition. */
const sameResource = (a: string, b: unknown): boolean =>
  typeof b === "string" && a.replace(/^arn:[\w-]+:/, "") === b.replace(/^arn:[\w-]+:/, "");

function kindOf(resource: string): string | undefined {
  if (/^arn:[\w-]+:lambda:/.test(resource)) return `The Lambda function ${resource.split(":function:")[1] ?? ""}`;
  if (resource.includes(":activity:")) return `The activity ${resource.split(":activity:")[1]}, done by a worker`;
  return undefined;
}

/** The parameters of the action that the task does not have. */
function Parameters({ integration }: { integration: Integration }) {
  const { formed } = useForm();
  const jsonata = formed.language === "JSONata";
  const field = jsonata ? "Arguments" : "Parameters";
  const held = formed.fields[field];
  if (held !== undefined && !isFields(held)) return null;
  const given = new Set(Object.keys(held ?? {}).map((name) => name.replace(/\.\$$/, "")));
  const missing = integration.parameters.filter(({ name }) => !given.has(name));
  if (missing.length === 0) return null;
  const needed = missing.filter(({ required }) => required);
  const add = (parameter: string): void => {
    const one = integration.parameters.find(({ name }) => name === parameter);
    const empty = { string: "", timestamp: "", blob: "", number: 0, boolean: false, array: [], object: {} }[one?.type ?? "string"];
    void reportRefusal(change({ kind: "set", at: pointerTo(formed.pointer, field, parameter), value: empty }));
  };
  return (
    <div class="form-row">
      {needed.length > 0 && (
        <p class="form-hint is-warn">
          <Icon name="warning" size={12} /> It also needs {needed.map(({ name }) => name).join(", ")}.
        </p>
      )}
      <select
        aria-label={`Add a parameter to ${field}`}
        value=""
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          event.currentTarget.value = "";
          if (chosen !== "") add(chosen);
        }}
      >
        <option value="">Add a parameter…</option>
        {missing.map(({ name, type, required }) => (
          <option key={name} value={name}>
            {name} ({required ? "required, " : ""}
            {type})
          </option>
        ))}
      </select>
    </div>
  );
}
