// Tabs that follow the ARIA pattern: arrow keys move and select, and there is one tab stop.

import type { ComponentChildren } from "preact";

export interface Tab<T extends string> {
  id: T;
  label: string;
  badge?: ComponentChildren;
  tone?: "bad" | "warn" | "good" | "accent";
  /** The meaning of the badge, for screen readers. */
  badgeText?: string;
}

interface Props<T extends string> {
  label: string;
  tabs: Tab<T>[];
  chosen: T;
  choose: (tab: T) => void;
  /** The id of a tab's panel is this prefix and the tab's id. */
  prefix: string;
  end?: ComponentChildren;
}

export interface TabGroup<G extends string, T extends string> {
  id: G;
  label: string;
  /** The tabs of the group. A group of one tab is that tab. */
  tabs: Tab<T>[];
}

interface GroupProps<G extends string, T extends string> {
  /** The names of the list of groups and of the list of tabs. */
  label: string;
  groups: TabGroup<G, T>[];
  chosen: T;
  chooseGroup: (group: G) => void;
  choose: (tab: T) => void;
  prefix: string;
}

const TONES = ["bad", "warn", "accent", "good"] as const;

/** Returns the badge of a group that is not open: the one of its tabs that matters most. */
function badgeOf<T extends string>(tabs: Tab<T>[]): Partial<Tab<string>> {
  const badged = tabs.filter(({ badge }) => badge !== undefined);
  const first = TONES.flatMap((tone) => badged.filter((tab) => tab.tone === tone))[0] ?? badged[0];
  return first
    ? { badge: first.badge, ...(first.tone && { tone: first.tone }), badgeText: `${first.badgeText ?? ""} in ${first.label}`.trim() }
    : {};
}

/** Tabs in groups: a list of the groups, and beside it the tabs of the open one. */
export function GroupedTabs<G extends string, T extends string>({ label, groups, chosen, chooseGroup, choose, prefix }: GroupProps<G, T>) {
  const open = groups.find(({ tabs }) => tabs.some(({ id }) => id === chosen)) ?? groups[0]!;
  const outer = groups.map(({ id, label, tabs }): Tab<string> => {
    // The badges of the open group are beside it.
    const badge = tabs.length === 1 ? tabs[0]! : id === open.id ? {} : badgeOf(tabs);
    return { ...badge, id: tabs.length === 1 ? tabs[0]!.id : `group-${id}`, label };
  });
  const pick = (id: string): void => {
    const group = groups[outer.findIndex((one) => one.id === id)]!;
    if (group.tabs.length === 1) choose(group.tabs[0]!.id);
    else if (group.id !== open.id) chooseGroup(group.id);
  };
  return (
    <div class="grouped-tabs">
      <Tabs
        label={`${label}: groups`}
        prefix={prefix}
        tabs={outer}
        chosen={open.tabs.length === 1 ? open.tabs[0]!.id : `group-${open.id}`}
        choose={pick}
      />
      {open.tabs.length > 1 && (
        <div class="tab-group" id={`${prefix}-group-${open.id}`} role="tabpanel" aria-labelledby={`${prefix}-tab-group-${open.id}`}>
          <Tabs label={open.label} prefix={prefix} tabs={open.tabs} chosen={chosen} choose={choose} />
        </div>
      )}
    </div>
  );
}

export function Tabs<T extends string>({ label, tabs, chosen, choose, prefix, end }: Props<T>) {
  const keys = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const to =
      event.key === "ArrowRight"
        ? (at + 1) % tabs.length
        : event.key === "ArrowLeft"
          ? (at + tabs.length - 1) % tabs.length
          : event.key === "Home"
            ? 0
            : event.key === "End"
              ? tabs.length - 1
              : -1;
    if (to < 0) return;
    event.preventDefault();
    choose(tabs[to]!.id);
    (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role="tab"]')[to]?.focus();
  };
  return (
    <div class="tabs">
      <div class="tablist" role="tablist" aria-label={label} onKeyDown={keys}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${prefix}-tab-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={`${prefix}-${tab.id}`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => choose(tab.id)}
          >
            {tab.label}
            {tab.badge !== undefined && (
              <span class={`badge ${tab.tone ?? ""}`}>
                {tab.badge}
                {tab.badgeText && <span class="unseen"> {tab.badgeText}</span>}
              </span>
            )}
          </button>
        ))}
      </div>
      {end && <div class="tabs-end">{end}</div>}
    </div>
  );
}
