// Retry and Catch, as lists in the order of their evaluation.

import { backoffOf } from "../model/backoff.ts";
import { isFields, listOf } from "../model/rule.ts";
import { count, duration } from "../ui/format.ts";
import { newCatcher } from "./additions.ts";
import { useForm } from "./context.ts";
import type { Given } from "./controls.tsx";
import { JsonRow } from "./Json.tsx";
import { CATCHER, RETRIER } from "./fields.ts";
import { Optional } from "./Fields.tsx";
import { Against, CatcherVerdict, RetrierVerdict } from "./Handled.tsx";
import { useHandled } from "./useHandled.ts";
import { Add, Items } from "./Items.tsx";
import { Row } from "./Row.tsx";
import { change, reportRefusal } from "./write.ts";
import { pointerTo } from "stepglass/pointer";

const errorsOf = (value: unknown): string =>
  isFields(value)
    ? listOf(value["ErrorEquals"])
        .map((one) => (one === "States.ALL" ? "any error" : String(one)))
        .join(" or ")
    : "";

export function RetryRow(given: Given) {
  const { at, name, value } = given;
  const handled = useHandled(useForm().formed).value;
  if (value !== undefined && !Array.isArray(value)) return <JsonRow {...given} />;
  const retriers = listOf(value);
  return (
    <Row at={at} name={name} deep={false}>
      <div class="form-items">
        {retriers.length > 0 && <Against handled={handled} noun="retrier" />}
        <Items
          at={at}
          noun="Retrier"
          values={retriers}
          head={(one) => <b>{errorsOf(one) === "" ? "No error chosen yet" : `On ${errorsOf(one)}`}</b>}
          body={(one, index) =>
            isFields(one) ? (
              <>
                <RetrierVerdict handled={handled} nth={index} />
                <Optional
                  fields={RETRIER}
                  always={["ErrorEquals", "IntervalSeconds", "MaxAttempts", "BackoffRate"]}
                  of={one}
                  at={pointerTo(at, index)}
                />
                <Pauses retrier={one} />
              </>
            ) : (
              <JsonRow at={pointerTo(at, index)} name={`Retrier ${index + 1}`} value={one} />
            )
          }
        />
        <Add
          label="Retrier"
          run={() =>
            reportRefusal(
              change({
                kind: "set",
                at: pointerTo(at, "-"),
                value: { ErrorEquals: [retriers.length === 0 ? "States.ALL" : "States.Timeout"] },
              }),
            )
          }
        />
      </div>
    </Row>
  );
}

/** Returns a duration in words: `2 s`, `1.5 s`, `4 min 16 s`. */
const seconds = (n: number): string => (n < 60 ? `${Number(n.toFixed(2))} s` : n < AGES ? duration(n * 1000) : "more than 100 years");

const AGES = 3_155_760_000;

const WIDTH = 300;
/** The maximum number of drawn delays, because more would overlap. */
const MOST_DRAWN = 60;

/** The delays of a retrier on a time line, with their total. */
function Pauses({ retrier }: { retrier: Record<string, unknown> }) {
  const backoff = backoffOf(retrier);
  if (!backoff) return null;
  const { pauses, retries, total, jitter, capped } = backoff;
  if (retries === 0) return <p class="form-pauses quiet">No retry: these errors go straight to Catch.</p>;
  const drawn = pauses.slice(0, MOST_DRAWN);
  const ends: number[] = [];
  drawn.reduce((sum, pause) => (ends.push(sum + pause), sum + pause), 0);
  const whole = ends.at(-1) || 1;
  const x = (seconds: number): number => 6 + (seconds / whole) * (WIDTH - 12);
  const said = pauses.slice(0, 6).map((pause) => seconds(pause));
  const upTo = jitter ? "up to " : "";
  const words = `${count(retries, "retry", "retries")}, after ${upTo}${said.join(", ")}${retries > said.length ? ", …" : ""}. ${upTo ? "Up to " : ""}${seconds(total)} of pauses in all${capped === undefined ? "" : `; from retry ${capped} on the longest one`}.`;
  return (
    <figure class="form-pauses">
      <svg viewBox={`0 0 ${WIDTH} 26`} role="img" aria-label={words} preserveAspectRatio="none">
        <line class="axis" x1={6} x2={WIDTH - 6} y1={13} y2={13} />
        {drawn.map((pause, i) => (
          <rect
            key={`p${i}`}
            class={jitter ? "pause jitter" : "pause"}
            x={x(ends[i]! - pause)}
            width={Math.max(0.5, x(ends[i]!) - x(ends[i]! - pause))}
            y={9}
            height={8}
          />
        ))}
        <circle class="try first" cx={6} cy={13} r={4} />
        {ends.map((end, i) => (
          <circle key={`t${i}`} class="try" cx={x(end)} cy={13} r={drawn.length > 20 ? 2 : 3.5} />
        ))}
      </svg>
      <figcaption>{words}</figcaption>
    </figure>
  );
}

export function CatchRow(given: Given) {
  const { formed } = useForm();
  const { at, name, value } = given;
  const handled = useHandled(formed).value;
  if (value !== undefined && !Array.isArray(value)) return <JsonRow {...given} />;
  const catchers = listOf(value);
  return (
    <Row at={at} name={name} deep={false}>
      <div class="form-items">
        {catchers.length > 0 && <Against handled={handled} noun="catcher" />}
        <Items
          at={at}
          noun="Catcher"
          values={catchers}
          head={(one) => (
            <>
              <b>{errorsOf(one) === "" ? "No error chosen yet" : `On ${errorsOf(one)}`}</b>
              <span class="form-edge is-catch">→ {isFields(one) ? String(one["Next"] ?? "nowhere yet") : ""}</span>
            </>
          )}
          body={(one, index) =>
            isFields(one) ? (
              <>
                <CatcherVerdict handled={handled} nth={index} />
                <Optional fields={CATCHER} always={["ErrorEquals", "Next"]} of={one} at={pointerTo(at, index)} />
              </>
            ) : (
              <JsonRow at={pointerTo(at, index)} name={`Catcher ${index + 1}`} value={one} />
            )
          }
        />
        <Add label="Catcher" run={() => reportRefusal(change(newCatcher(formed)))} />
      </div>
    </Row>
  );
}
