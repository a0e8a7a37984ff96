// The fields of an object, each with its control.

import { pointerTo } from "stepglass/pointer";
import { useSignal } from "@preact/signals";
import { JsonRow, LinesRow, NumberRow, StateRow, TextRow, WordsRow } from "./controls.tsx";
import { useForm } from "./context.ts";
import { Expression } from "./Expression.tsx";
import type { Control, Field } from "./fields.ts";
import { Row } from "./Row.tsx";
import { change } from "./write.ts";
import { Head } from "./Head.tsx";
import { Onward } from "./Onward.tsx";

type Fields = Readonly<Record<string, unknown>>;

/// `at` is the object's pointer.
export function FieldList({ fields, of, at }: { fields: readonly Field[]; of: Fields; at: string }) {
  return (
    <>
      {fields.map((field) => (
        <OneField key={field.name} field={field} of={of} at={at} />
      ))}
    </>
  );
}

const EXPRESSIONS = {
  path: "path",
  reference: "reference",
  template: "template",
  "text-or-jsonata": "text-or-jsonata",
  "number-or-jsonata": "number-or-jsonata",
} as const;

const isExpressed = (control: Control): control is keyof typeof EXPRESSIONS => Object.hasOwn(EXPRESSIONS, control);

function OneField({ field, of, at }: { field: Field; of: Fields; at: string }) {
  if (field.or && field.control !== "onward" && field.control !== "processor") return <Ways field={field} of={of} at={at} />;
  return <Plain field={field} of={of} at={at} />;
}

function Plain({ field, of, at, ways }: { field: Field; of: Fields; at: string; ways?: preact.ComponentChildren }) {
  const { name, control, absent, words = [] } = field;
  const { language } = useForm().formed;
  const own = pointerTo(at, name);
  const value = Object.hasOwn(of, name) ? of[name] : undefined;
  const given = { at: own, name, value, ...(absent !== undefined && { absent }) };
  if (field.inside && (value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value))))
    return <Inside field={field} value={value as Fields | undefined} at={own} />;
  if (isExpressed(control) && (language === "JSONata" || !control.endsWith("-or-jsonata")))
    return <Expression at={own} name={name} value={value} form={EXPRESSIONS[control]} ways={ways} />;
  switch (control) {
    // In JSONPath they are no expressions.
    case "number-or-jsonata":
      return <NumberRow {...given} ways={ways} />;
    case "text-or-jsonata":
      return <TextRow {...given} ways={ways} />;
    case "type":
      return <Head />;
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
      return <Onward of={of} at={at} />;
    default:
      return <JsonRow {...given} />;
  }
}

/// One of several ways to say the same: the written one is shown, or the chosen one.
function Ways({ field, of, at }: { field: Field; of: Fields; at: string }) {
  const { or = [], ...first } = field;
  const all: Field[] = [first, ...or];
  const chosen = useSignal<string | null>(null);
  const written = all.filter(({ name }) => Object.hasOwn(of, name));
  const shown = chosen.value !== null ? all.filter(({ name }) => name === chosen.value) : [];
  // More than one of them is a mistake that shows whole.
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
        if (others.length > 0) void change(...others.map((one) => ({ kind: "remove" as const, at: pointerTo(at, one.name) })));
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

/// An object with fields of its own, which begins with the first that is filled in.
function Inside({ field, value, at }: { field: Field; value: Fields | undefined; at: string }) {
  const known = new Set(field.inside!.flatMap(({ name, or = [] }) => [name, ...or.map((way) => way.name)]));
  const others = Object.keys(value ?? {}).filter((name) => !known.has(name));
  return (
    <Row at={at} name={field.name} deep={false}>
      <div class="form-inside">
        <FieldList fields={field.inside!} of={value ?? {}} at={at} />
        <Others names={others} of={value ?? {}} at={at} />
      </div>
    </Row>
  );
}

/// What is written and has no control of its own.
export function Others({ names, of, at }: { names: readonly string[]; of: Fields; at: string }) {
  return (
    <>
      {names.map((name) => (
        <JsonRow key={name} at={pointerTo(at, name)} name={name} value={of[name]} />
      ))}
    </>
  );
}
