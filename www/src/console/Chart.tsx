// The number of executions that started in each interval, by status.

import { count, grouped } from "../ui/format.ts";
import type { Counts } from "./api.ts";
import { STATUS_TEXTS } from "./Filters.tsx";
import { STATUSES } from "./query.ts";
import { counts, show } from "./state.ts";
import { axisTime, localTime } from "./times.ts";

const HEIGHT = 64;

export function Chart() {
  const known = counts.value;
  if (known === undefined) return <div class="chart" aria-hidden="true" />;
  const sums = sumsOf(known);
  const most = Math.max(...sums, 1);
  const all = sums.reduce((sum, one) => sum + one, 0);
  const begin = Date.parse(known.from);
  const { width, intervals } = known;
  const end = begin + width * intervals.length;
  return (
    <figure class="chart">
      <figcaption>
        <span>
          {count(all, "start")} from {localTime(begin)} to {localTime(end)}
        </span>
        <span>at most {grouped(most)} in an interval</span>
      </figcaption>
      <div class="bars">
        {intervals.map((statuses, i) => {
          const from = begin + i * width;
          const parts = STATUSES.filter((status) => (statuses[status] ?? 0) > 0);
          const text = `${localTime(from)}: ${count(sums[i] ?? 0, "start")}${parts.map((status) => `, ${grouped(statuses[status] ?? 0)} ${STATUS_TEXTS[status].toLowerCase()}`).join("")}`;
          return (
            <button
              key={from}
              type="button"
              class="bar"
              title={text}
              aria-label={text}
              tabIndex={-1}
              disabled={(sums[i] ?? 0) === 0}
              onClick={() => show({ between: [from, from + width] })}
            >
              <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
                {stacked(statuses, most).map(({ status, y, height }) => (
                  <rect key={status} class={status.toLowerCase()} x="0" width="10" y={y} height={height} />
                ))}
              </svg>
            </button>
          );
        })}
      </div>
      <div class="axis" aria-hidden="true">
        <span>{axisTime(begin, width)}</span>
        <span>{axisTime(begin + (end - begin) / 2, width)}</span>
        <span>{axisTime(end, width)}</span>
      </div>
    </figure>
  );
}

function sumsOf({ intervals }: Counts): number[] {
  return intervals.map((statuses) => Object.values(statuses).reduce((sum, one) => sum + one, 0));
}

/** Returns the rectangles of an interval from the bottom up. A count that is not 0 is at least one unit high. */
function stacked(statuses: Counts["intervals"][number], most: number): { status: string; y: number; height: number }[] {
  let y = HEIGHT;
  return STATUSES.flatMap((status) => {
    const own = statuses[status] ?? 0;
    if (own === 0) return [];
    const height = Math.max((own / most) * HEIGHT, 1);
    y -= height;
    return [{ status, y: Math.max(y, 0), height }];
  });
}
