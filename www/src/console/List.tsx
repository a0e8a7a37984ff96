// The list of executions.

import { duration, grouped } from "../ui/format.ts";
import type { Execution } from "./api.ts";
import { STATUS_TEXTS } from "./Filters.tsx";
import {
  about,
  executions,
  isAllSelected,
  isFiltered,
  isLoadingMore,
  next,
  readMore,
  selected,
  selection,
  showEverything,
  toggle,
  toggleAll,
  total,
  view,
} from "./state.ts";
import { localTime } from "./times.ts";

export function List() {
  const rows = executions.value;
  if (rows === undefined) return <p class="empty">Reading the executions…</p>;
  if (rows.length === 0) return <Empty />;
  const all = selection.value.length === rows.length;
  return (
    <>
      <table class="list">
        <thead>
          <tr>
            <th class="pick" scope="col">
              <input
                type="checkbox"
                aria-label="Select all executions of the list"
                checked={all}
                indeterminate={!all && selection.value.length > 0}
                onChange={toggleAll}
              />
            </th>
            <th scope="col">Status</th>
            <th scope="col">Execution</th>
            <th scope="col">State machine</th>
            <th scope="col">Started</th>
            <th scope="col">Took</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.executionArn} row={row} />
          ))}
        </tbody>
      </table>
      <p class="foot">
        <span>
          {grouped(rows.length)} of {total.value === undefined ? "…" : grouped(Math.max(total.value, rows.length))} executions
        </span>
        {next.value !== undefined && (
          <button type="button" disabled={isLoadingMore.value} onClick={() => void readMore()}>
            Show more
          </button>
        )}
      </p>
    </>
  );
}

function Row({ row }: { row: Execution }) {
  const { executionArn: arn, name, stateMachineName, type, status, startDate, stopDate, suspended, attributes } = row;
  const start = Date.parse(startDate);
  const isSelected = isAllSelected.value || selected.value.has(arn);
  return (
    <tr class={isSelected ? "selected" : undefined}>
      <td class="pick">
        <input type="checkbox" aria-label={`Select ${name}`} checked={isSelected} onChange={() => toggle(arn)} />
      </td>
      <td>
        <span class={`status ${status.toLowerCase()}`}>{STATUS_TEXTS[status]}</span>
        {suspended !== undefined && (
          <span class="suspended" title={suspended}>
            Suspended
          </span>
        )}
      </td>
      <td class="name">
        <a class="open" href={`/debugger/executions/${encodeURIComponent(arn)}`}>
          {name}
        </a>
        {attributes !== undefined && (
          <span class="attributes">
            {Object.entries(attributes).map(([key, value]) => (
              <span key={key}>
                {key}={String(value)}
              </span>
            ))}
          </span>
        )}
      </td>
      <td>
        {stateMachineName}
        {type === "EXPRESS" && <small> Express</small>}
      </td>
      <td class="time">
        <time dateTime={startDate} title={startDate}>
          {localTime(start)}
        </time>
      </td>
      <td class="time">{stopDate === undefined ? "" : duration(Date.parse(stopDate) - start)}</td>
    </tr>
  );
}

/** Says why there is nothing, and what to do. */
function Empty() {
  if (isFiltered(view.value))
    return (
      <div class="empty">
        <p>No executions like these.</p>
        <button type="button" onClick={showEverything}>
          Show all executions
        </button>
      </div>
    );
  const kind = about.value?.kind;
  const how =
    kind === "runtime" ? (
      <>
        Start one with <code>runtime.start()</code>
      </>
    ) : kind === "store" ? (
      <>The application that writes to this store starts them</>
    ) : (
      <>Start one with any client of the AWS API</>
    );
  return (
    <div class="empty">
      <p>No executions yet.</p>
      <p>{how}; it appears here by itself.</p>
    </div>
  );
}
