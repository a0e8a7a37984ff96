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
