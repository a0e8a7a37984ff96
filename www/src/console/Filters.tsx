// The filters of the list, and the saved views.

import { useSignal } from "@preact/signals";
import { Icon } from "../ui/Icon.tsx";
import { counts, isFiltered, save, saved, show, showEverything, view } from "./state.ts";
import { grouped } from "../ui/format.ts";
import { PERIODS, type Period, STATUSES, type Status } from "./query.ts";
import { BUILT_IN, nameOf, withView } from "./views.ts";
import { localTime } from "./times.ts";

const PERIOD_TEXTS: Record<Period, string> = {
  "1h": "the last hour",
  "24h": "the last 24 hours",
  "7d": "the last 7 days",
  "30d": "the last 30 days",
};

export const STATUS_TEXTS: Record<Status, string> = {
  RUNNING: "Running",
  SUCCEEDED: "Succeeded",
  FAILED: "Failed",
  TIMED_OUT: "Timed out",
  ABORTED: "Aborted",
};

/** The field for names, machine, time and attribute. */
export function Filters() {
  const { name, machine, attribute, period, between } = view.value;
  const machines = counts.value?.machines ?? [];
  // Names that several regions or accounts have are shown with both.
  const labelOf = ({ stateMachineArn: arn, name: own }: { stateMachineArn: string; name: string }): string =>
    machines.filter((other) => other.name === own).length < 2 ? own : `${own} (${arn.split(":").slice(3, 5).join(" ")})`;
  return (
    <form class="filters" role="search" aria-label="Executions" onSubmit={(event) => event.preventDefault()}>
      <label class="search">
        <span class="unseen">Name begins with</span>
        <Icon name="search" />
        <TextFilter id="search" value={name} placeholder="Name begins with…" keyHint="/" onValue={(value) => show({ name: value })} />
      </label>
      <label>
        <span>State machine</span>
        <select value={machine} onChange={({ currentTarget }) => show({ machine: currentTarget.value })}>
          <option value="">all</option>
          {machines.map((one) => (
            <option key={one.stateMachineArn} value={one.stateMachineArn}>
              {labelOf(one)}
            </option>
          ))}
          {machine !== "" && !machines.some(({ stateMachineArn }) => stateMachineArn === machine) && (
            <option value={machine}>{machine.slice(machine.lastIndexOf(":") + 1)}</option>
          )}
        </select>
      </label>
      <label>
        <span>Started</span>
        <select
          value={between === undefined ? period : "between"}
          onChange={({ currentTarget }) => show({ period: currentTarget.value as Period | "", between: undefined })}
        >
          <option value="">at any time</option>
          {(Object.keys(PERIODS) as Period[]).map((one) => (
            <option key={one} value={one}>
              {PERIOD_TEXTS[one]}
            </option>
          ))}
          {between !== undefined && (
            <option value="between">
              {localTime(between[0])} – {localTime(between[1])}
            </option>
          )}
        </select>
      </label>
      <label>
        <span>Attribute</span>
        <TextFilter id="attribute" value={attribute} placeholder="name=value" onValue={(value) => show({ attribute: value.trim() })} />
      </label>
      {isFiltered(view.value) && (
        <button type="button" class="plain" onClick={showEverything}>
          Clear filters
        </button>
      )}
    </form>
  );
}

/** How long the user has to pause until what he types is searched for, in milliseconds. */
const PAUSE = 250;
let typing: ReturnType<typeof setTimeout> | undefined;

/** A field whose value applies when the user pauses, or presses Enter. */
function TextFilter({
  id,
  value,
  placeholder,
  keyHint,
  onValue,
}: {
  id: string;
  value: string;
  placeholder: string;
  keyHint?: string;
  onValue: (value: string) => void;
}) {
  return (
    <input
      id={id}
      type="search"
      value={value}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      aria-keyshortcuts={keyHint}
      onInput={({ currentTarget }) => {
        clearTimeout(typing);
        // An attribute is searched for when it is complete.
        if (id === "search" || currentTarget.value === "") typing = setTimeout(() => onValue(currentTarget.value), PAUSE);
      }}
      onChange={({ currentTarget }) => {
        clearTimeout(typing);
        onValue(currentTarget.value);
      }}
    />
  );
}

/** One button for each status, with the number of executions that have it. */
export function Statuses() {
  const { statuses } = view.value;
  const known = counts.value?.statuses;
  const flip = (status: Status): void =>
    show({
      statuses: statuses.includes(status)
        ? statuses.filter((one) => one !== status)
        : STATUSES.filter((one) => one === status || statuses.includes(one)),
    });
  return (
    <div class="statuses" role="group" aria-label="Status">
      {STATUSES.map((status) => (
        <button
          key={status}
          type="button"
          class={`status-filter ${status.toLowerCase()}`}
          aria-pressed={statuses.includes(status)}
          onClick={() => flip(status)}
        >
          <span class="dot" aria-hidden="true" />
          {STATUS_TEXTS[status]}
          <b>{known === undefined ? "…" : grouped(known[status] ?? 0)}</b>
        </button>
      ))}
    </div>
  );
}

/** The saved views, and the machines with their counts. */
export function Side() {
  const all = [...BUILT_IN, ...saved.value];
  const current = nameOf(all, view.value);
  return (
    <nav class="side" aria-label="Views">
      <h2>Views</h2>
      <ul>
        {all.map((one) => (
          <li key={one.name}>
            <button type="button" aria-current={one.name === current ? "true" : undefined} onClick={() => show(one.view)}>
              {one.name}
            </button>
            {saved.value.includes(one) && (
              <button
                type="button"
                class="plain square"
                aria-label={`Remove the view ${one.name}`}
                title="Remove"
                onClick={() => save(saved.value.filter((other) => other !== one))}
              >
                <Icon name="close" size={12} />
              </button>
            )}
          </li>
        ))}
      </ul>
      {current === undefined && <SaveView />}
      <Machines />
    </nav>
  );
}

/** The field with which the current filters get a name. */
function SaveView() {
  const name = useSignal("");
  return (
    <form
      class="save-view"
      onSubmit={(event) => {
        event.preventDefault();
        const given = name.value.trim();
        if (given === "") return;
        save(withView(saved.value, { name: given, view: view.value }));
        name.value = "";
      }}
    >
      <input
        aria-label="Name of the view"
        placeholder="Name for these filters"
        maxLength={80}
        autocomplete="off"
        value={name.value}
        onInput={({ currentTarget }) => (name.value = currentTarget.value)}
      />
      <button disabled={name.value.trim() === ""}>Save</button>
    </form>
  );
}

function Machines() {
  const machines = counts.value?.machines ?? [];
  if (machines.length === 0) return null;
  const { machine } = view.value;
  return (
    <>
      <h2>State machines</h2>
      <ul>
        {machines.map(({ stateMachineArn: arn, name, statuses }) => {
          const failed = (statuses.FAILED ?? 0) + (statuses.TIMED_OUT ?? 0);
          return (
            <li key={arn}>
              <button
                type="button"
                title={arn}
                aria-current={machine === arn ? "true" : undefined}
                onClick={() => show({ machine: machine === arn ? "" : arn })}
              >
                <span class="machine-name">{name}</span>
                {failed > 0 && (
                  <span class="count failed" title="failed or timed out">
                    {grouped(failed)}
                    <span class="unseen"> failed,</span>
                  </span>
                )}
                <span class="count" title="running">
                  {grouped(statuses.RUNNING ?? 0)}
                  <span class="unseen"> running</span>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
