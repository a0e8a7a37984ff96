// What a Task calls: an action of a service with its pattern and parameters, a function, an activity.

import { useSignal } from "@preact/signals";
import { pointerTo } from "stepglass/pointer";
import { useEffect } from "preact/hooks";
import type { Gesture } from "stepglass";
import type { Integration, IntegrationPattern } from "stepglass/integrations";
import { pick } from "../editing/picking.ts";
import { searchServices } from "../editing/services.ts";
import { isFields } from "../model/rule.ts";
import { Icon } from "../ui/Icon.tsx";
import { useForm } from "./context.ts";
import { type Given, keys } from "./controls.tsx";
import { Row, idOf } from "./Row.tsx";
import { useTyped } from "./useTyped.ts";
import { shownText, typedText } from "./values.ts";
import { change, put } from "./write.ts";

const load = () => import("stepglass/integrations");

const PATTERNS: Record<IntegrationPattern, string> = {
  requestResponse: "Go on with the response",
  sync: "Wait for the job (.sync)",
  "sync:2": "Wait for the job (.sync:2)",
  waitForTaskToken: "Wait for the task token",
};

export function CallRow({ at, name, value }: Given) {
  const { formed } = useForm();
  const id = idOf(at);
  const typed = useTyped(value, shownText, typedText, (next) => put(at, next, value));
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
  const search = async (spot: { x: number; y: number }): Promise<void> => {
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
  };
  /// Sets the Resource, and the parameters that it needs and the task does not have.
  const call = async (resource: string, pattern: IntegrationPattern): Promise<void> => {
    const { integrationOf, taskState } = await load();
    const integration = await integrationOf(resource);
    const gestures: Gesture[] = [{ kind: "set", at, value: resource }];
    if (integration) {
      const made = taskState(integration, { pattern, queryLanguage: formed.language });
      const field = formed.language === "JSONata" ? "Arguments" : "Parameters";
      const held = formed.fields[field];
      const others = integration.resource !== found.peek()?.resource;
      for (const [parameter, empty] of Object.entries(made[field] ?? {})) {
        const plain = parameter.replace(/\.\$$/, "");
        if (isFields(held) && (Object.hasOwn(held, plain) || Object.hasOwn(held, `${plain}.$`))) continue;
        if (held !== undefined && !isFields(held)) continue;
        gestures.push({ kind: "set", at: pointerTo(formed.pointer, field, parameter), value: empty });
      }
      // Of another action, the empty parameters of the one before say nothing.
      if (others && isFields(held)) {
        const known = new Set(integration.parameters.map((one) => one.name));
        for (const [parameter, own] of Object.entries(held))
          if (own === "" && !known.has(parameter)) gestures.push({ kind: "remove", at: pointerTo(formed.pointer, field, parameter) });
      }
    }
    await change(...gestures);
  };
  const integration = found.value;
  const now = integration?.patterns.find(({ resource }) => sameResource(resource, value))?.pattern;
  return (
    <>
      <Row at={at} name={name} control={id} problem={typed.problem}>
        <div class="form-line">
          <input
            id={id}
            class="mono"
            value={typed.text}
            placeholder="arn:aws:states:::…"
            autocomplete="off"
            spellcheck={false}
            aria-describedby={`${id}-problems`}
            onInput={(event) => typed.type(event.currentTarget.value)}
            onBlur={typed.settle}
            onKeyDown={(event) => keys(event, typed)}
          />
          <button
            type="button"
            onClick={(event) => {
              const { left, bottom } = event.currentTarget.getBoundingClientRect();
              void search({ x: left, y: bottom });
            }}
          >
            <Icon name="search" size={14} /> Find
          </button>
        </div>
        {integration ? (
          <p class="form-hint">
            <b>
              {integration.title}: {integration.action}
            </b>
            {integration.optimized ? "" : " · AWS SDK"}
          </p>
        ) : (
          typeof value === "string" && kindOf(value) && <p class="form-hint">{kindOf(value)}</p>
        )}
      </Row>
      {integration && integration.patterns.length > 1 && (
        <div class="form-row">
          <div class="form-name">
            <label for={`${id}-pattern`}>Pattern</label>
          </div>
          <select
            id={`${id}-pattern`}
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
      )}
      {integration && <Parameters integration={integration} />}
    </>
  );
}

/// In any partition.
const sameResource = (a: string, b: unknown): boolean =>
  typeof b === "string" && a.replace(/^arn:[\w-]+:/, "") === b.replace(/^arn:[\w-]+:/, "");

function kindOf(resource: string): string | undefined {
  if (/^arn:[\w-]+:lambda:/.test(resource)) return `The Lambda function ${resource.split(":function:")[1] ?? ""}`;
  if (resource.includes(":activity:")) return `The activity ${resource.split(":activity:")[1]}, which a worker takes`;
  return undefined;
}

/// What the action takes and the task does not give.
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
    void change({ kind: "set", at: pointerTo(formed.pointer, field, parameter), value: empty });
  };
  return (
    <div class="form-row">
      {needed.length > 0 && (
        <p class="form-hint is-warn">
          <Icon name="warning" size={12} /> It also needs {needed.map(({ name }) => name).join(", ")}.
        </p>
      )}
      <select
        aria-label={`Add one of its ${field}`}
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
            {name} ({required ? "needed, " : ""}
            {type})
          </option>
        ))}
      </select>
    </div>
  );
}
