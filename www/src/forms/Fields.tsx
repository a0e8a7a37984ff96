// The fields of an object, each with its control.

import { pointerTo } from "stepglass/pointer";
import type { ComponentType } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Icon } from "../ui/Icon.tsx";
import { type Given, LinesRow, NumberRow, StateRow, TextRow, WordsRow } from "./controls.tsx";
import { JsonRow } from "./Json.tsx";
import { useForm } from "./context.ts";
import { Expression } from "./Expression.tsx";
import { type Control, type Field, fieldsOf, namesOf } from "./fields.ts";
import { Row } from "./Row.tsx";
import { change, reportRefusal } from "./write.ts";
import { TextsRow } from "./Texts.tsx";
import { TransitionField } from "./Transition.tsx";

type Fields = Readonly<Record<string, unknown>>;

/**
 * `at` is the object's pointer. With `nested`, objects inside it are open at first, because the user has opened the object around
 * them.
 */
export function FieldList({ fields, of, at, nested = false }: { fields: readonly Field[]; of: Fields; at: string; nested?: boolean }) {
  return (
    <>
      {fields.map((field) => (
        <OneField key={field.name} field={field} of={of} at={at} nested={nested} />
      ))}
    </>
  );
}

/** The controls that have nested fields. The form sets them. */
export const special: Partial<Record<Control, ComponentType<Given>>> = {};

const EXPRESSIONS = {
  path: "path",
  reference: "reference",
  template: "template",
  "text-or-jsonata": "text-or-jsonata",
  "number-or-jsonata": "number-or-jsonata",
} as const;

const isExpressed = (control: Control): control is keyof typeof EXPRESSIONS => Object.hasOwn(EXPRESSIONS, control);

function OneField({ field, of, at, nested }: { field: Field; of: Fields; at: string; nested: boolean }) {
  const { or = [] } = field;
  if (field.control === "processor") {
    const written = [field, ...or].filter(({ name }) => Object.hasOwn(of, name));
    return (
      <>
        {(written.length > 0 ? written : [field]).map((one) => (
          <Plain key={one.name} field={one} of={of} at={at} />
        ))}
      </>
    );
  }
  if (or.length > 0 && field.control !== "onward") return <Alternatives field={field} of={of} at={at} />;
  return <Plain field={field} of={of} at={at} nested={nested} />;
}

function Plain({
  field,
  of,
  at,
  ways,
  nested = false,
}: {
  field: Field;
  of: Fields;
  at: string;
  ways?: preact.ComponentChildren;
  nested?: boolean;
}) {
  const { name, control, absent, words = [] } = field;
  const { language } = useForm().formed;
  const own = pointerTo(at, name);
  const value = Object.hasOwn(of, name) ? of[name] : undefined;
  const given = { at: own, name, value, ...(absent !== undefined && { absent }) };
  if (field.inside && (value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value))))
    return <Inside field={field} value={value as Fields | undefined} at={own} nested={nested} />;
  if (isExpressed(control) && (language === "JSONata" || !control.endsWith("-or-jsonata")))
    return <Expression at={own} name={name} value={value} form={EXPRESSIONS[control]} ways={ways} />;
  const Special = special[control];
  if (Special) return <Special {...given} />;
  switch (control) {
    // In JSONPath these fields accept no expressions.
    case "number-or-jsonata":
      return <NumberRow {...given} ways={ways} />;
    case "text-or-jsonata":
      return <TextRow {...given} ways={ways} />;
    case "text":
      return <TextRow {...given} />;
    case "lines":
      return <LinesRow {...given} />;
    case "number":
      return <NumberRow {...given} />;
    case "words":
      return <WordsRow {...given} words={words} />;
    case "state":
      return <StateRow {...given} />;
    case "onward":
      return <TransitionField of={of} at={at} />;
    case "texts":
      return <TextsRow {...given} />;
    default:
      return <JsonRow {...given} />;
  }
}

/** A field with alternatives. The alternative that is set is shown, or the one that the user has selected. */
function Alternatives({ field, of, at }: { field: Field; of: Fields; at: string }) {
  const { or = [], ...first } = field;
  const all: Field[] = [first, ...or];
  const chosen = useSignal<string | null>(null);
  const written = all.filter(({ name }) => Object.hasOwn(of, name));
  const shown = chosen.value !== null ? all.filter(({ name }) => name === chosen.value) : [];
  // If several of them are set, which is an error, all are shown.
  const rows = shown.length > 0 && written.length <= 1 ? shown : written.length > 0 ? written : [first];
  const select = (
    <select
      class="form-way"
      aria-label={`How ${first.name} is given`}
      value={rows[0]!.name}
      onChange={(event) => {
        const name = event.currentTarget.value;
        chosen.value = name;
        const others = written.filter((one) => one.name !== name);
        if (others.length > 0)
          void reportRefusal(change(...others.map((one) => ({ kind: "remove" as const, at: pointerTo(at, one.name) }))));
      }}
    >
      {all.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
  return (
    <>
      {rows.map((one, i) => (
        <Plain key={one.name} field={one} of={of} at={at} ways={i === 0 ? select : undefined} />
      ))}
    </>
  );
}

/** An object with nested fields. If it does not exist, a button opens it. It is written with its first field. */
function Inside({ field, value, at, nested }: { field: Field; value: Fields | undefined; at: string; nested: boolean }) {
  const opened = useSignal(nested);
  const place = useRef<HTMLDivElement>(null);
  return (
    <Row at={at} name={field.name} deep={false}>
      {value === undefined && !opened.value ? (
        <button
          type="button"
          class="small form-add"
          onClick={() => {
            opened.value = true;
            requestAnimationFrame(() => place.current?.querySelector<HTMLElement>("input, select, textarea")?.focus());
          }}
        >
          <Icon name="plus" size={12} /> {field.name}
        </button>
      ) : (
        <div class="form-inside" ref={place}>
          <Optional fields={field.inside!} always={field.inside!.slice(0, 2).map(({ name }) => name)} of={value ?? {}} at={at} />
        </div>
      )}
    </Row>
  );
}

/** The fields that are set but have no control of their own. */
export function Others({ names, of, at }: { names: readonly string[]; of: Fields; at: string }) {
  return (
    <>
      {names.map((name) => (
        <JsonRow key={name} at={pointerTo(at, name)} name={name} value={of[name]} />
      ))}
    </>
  );
}

interface OptionalProps {
  fields: readonly Field[];
  /** The names of the fields that are always shown. */
  always: readonly string[];
  of: Readonly<Record<string, unknown>>;
  at: string;
  /** The names of the fields that have a control elsewhere. */
  besides?: readonly string[];
}

/** The fields that are set or required, and buttons that add the others. */
export function Optional({ fields, always, of, at, besides = [] }: OptionalProps) {
  const { formed } = useForm();
  const place = useRef<HTMLDivElement>(null);
  const added = useSignal<ReadonlySet<string>>(new Set());
  const own = fieldsOf(fields, formed.language);
  const isShown = (field: Field): boolean =>
    namesOf([field]).some((name) => Object.hasOwn(of, name) || always.includes(name) || added.value.has(name));
  const known = new Set([...namesOf(own), ...besides]);
  const rest = own.filter((field) => !isShown(field));
  return (
    <div class="form-optional" ref={place}>
      <FieldList fields={own.filter(isShown)} of={of} at={at} nested />
      <Others names={Object.keys(of).filter((name) => !known.has(name))} of={of} at={at} />
      {rest.length > 0 && (
        <div class="form-more">
          {rest.map(({ name }) => (
            <button
              key={name}
              type="button"
              class="small plain"
              aria-label={`Add ${name}`}
              onClick={() => {
                added.value = new Set([...added.value, name]);
                requestAnimationFrame(() => {
                  const row = [...place.current!.querySelectorAll<HTMLElement>("[data-field]")].find(
                    (element) => element.dataset["field"] === pointerTo(at, name),
                  );
                  row?.querySelector<HTMLElement>("textarea, input, select")?.focus();
                });
              }}
            >
              <Icon name="plus" size={11} /> {name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
