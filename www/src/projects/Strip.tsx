// The tabs of the project's machines, above the panes.

import { useSignal } from "@preact/signals";
import type { TargetedPointerEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { keyHint } from "../keys/keymap.ts";
import { Icon } from "../ui/Icon.tsx";
import { Changes } from "./Changes.tsx";
import { changesShown } from "./changes.ts";
import { type Tab, active, closed, fileOf, isUnsaved, tabs, titleOf } from "./model.ts";
import * as tabsOf from "./tabs.ts";
import { save, openFiles } from "./files.ts";
import { showMenu } from "./menu.ts";

export function Strip() {
  const shown = tabs.value.length > 1 || fileOf(tabs.value[0]) !== undefined;
  return (
    <>
      {shown && <Tabs />}
      {changesShown.value && <Changes />}
    </>
  );
}

function Tabs() {
  const all = tabs.value;
  const list = useRef<HTMLDivElement>(null);
  const renaming = useSignal("");
  const here = active.value;
  // The active tab is scrolled into view.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [here, all.length]);
  const keys = (event: KeyboardEvent): void => {
    const id = (event.target as HTMLElement).closest<HTMLElement>("[data-tab]")?.dataset["tab"];
    const at = all.findIndex((tab) => tab.id === id);
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey || renaming.value !== "") return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const to =
      by !== undefined ? (at + by + all.length) % all.length : event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : -1;
    if (by !== undefined && event.shiftKey) tabsOf.move(all[at]!.id, at + by);
    else if (to >= 0) tabsOf.activate(all[to]!.id);
    else if (event.key === "Delete") tabsOf.close(all[at]!.id);
    else if (event.key === "F2") renaming.value = all[at]!.id;
    else if (event.key === "F10" && event.shiftKey) showMenu(list.current!.querySelector<HTMLElement>('[aria-selected="true"]')!);
    else return;
    event.preventDefault();
    event.stopPropagation();
    focusActive(list.current);
  };
  return (
    <nav class="project" aria-label="Machines">
      <div class="machine-tabs" role="tablist" aria-label="Machines of the project" ref={list} onKeyDown={keys}>
        {all.map((tab, i) => (
          <TabOf
            key={tab.id}
            tab={tab}
            at={i}
            list={list}
            rename={renaming.value === tab.id}
            begin={() => (renaming.value = tab.id)}
            renamed={() => (renaming.value = "")}
          />
        ))}
      </div>
      <Ends />
      {closed.value.length > 0 && <span class="unseen">A closed machine can be opened again.</span>}
    </nav>
  );
}

/** The commands for the whole project. */
function Ends() {
  return (
    <div class="project-end">
      <button
        type="button"
        class="plain square small"
        aria-label="New tab"
        title={`New machine in a tab${keyHint("newTab")}`}
        onClick={tabsOf.addEmpty}
      >
        <Icon name="plus" size={14} />
      </button>
      <button
        type="button"
        class="plain square small"
        aria-label="Open a file"
        title={`Open a file${keyHint("openFile")}`}
        onClick={() => void openFiles()}
      >
        <Icon name="upload" size={14} />
      </button>
      <button type="button" class="plain square small" aria-label="Save" title={`Save${keyHint("save")}`} onClick={() => void save()}>
        <Icon name="download" size={14} />
      </button>
      <button
        type="button"
        class="plain square small"
        aria-label="More of the project"
        aria-haspopup="menu"
        title="More"
        onClick={(event) => showMenu(event.currentTarget)}
      >
        <Icon name="more" size={14} />
      </button>
    </div>
  );
}

function focusActive(list: HTMLElement | null): void {
  requestAnimationFrame(() => list?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
}

interface Props {
  tab: Tab;
  at: number;
  list: { current: HTMLDivElement | null };
  rename: boolean;
  begin: () => void;
  renamed: () => void;
}

/** Moves a tab by the pointer: it takes the position of the tab under the pointer. */
function useDrag(id: string, at: number, list: Props["list"]) {
  const from = useRef<{ x: number; moved: boolean } | null>(null);
  const move = (event: PointerEvent): void => {
    const start = from.current;
    if (!start || Math.abs(event.clientX - start.x) < 12) return;
    start.moved = true;
    const boxes = [...(list.current?.querySelectorAll<HTMLElement>("[data-tab]") ?? [])].map((one) => one.getBoundingClientRect());
    const to = boxes.findIndex(({ left, right }) => event.clientX >= left && event.clientX < right);
    if (to >= 0 && to !== at) {
      tabsOf.move(id, to);
      start.x = event.clientX;
    }
  };
  const done = (): void => void (from.current = null);
  return {
    /** Returns whether the press was a drag and not a click. */
    moved: () => from.current?.moved === true,
    handlers: {
      onPointerDown(event: TargetedPointerEvent<HTMLElement>) {
        from.current = { x: event.clientX, moved: false };
        if (event.pointerType === "mouse") event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: move,
      // The click event follows.
      onPointerUp: () => void setTimeout(done),
      onPointerCancel: done,
    },
  };
}

function TabOf({ tab, at, list, rename, begin, renamed }: Props) {
  const isActive = tab.id === active.value;
  const file = fileOf(tab);
  const unsaved = isUnsaved(tab);
  const title = titleOf(tab);
  const drag = useDrag(tab.id, at, list);
  const about = file ? (tab.part === undefined ? file.name : `${tab.part} in ${file.name}`) : "Kept as a draft of this browser";
  return (
    <div class={`machine-tab${isActive ? " active" : ""}`} role="presentation" data-tab={tab.id} title={about}>
      {rename ? (
        <Rename title={title} done={(to) => (renamed(), to !== undefined && tabsOf.rename(tab.id, to), focusActive(list.current))} />
      ) : (
        <button
          type="button"
          role="tab"
          id={`machine-tab-${tab.id}`}
          aria-selected={isActive}
          aria-label={`${title}${unsaved ? ", unsaved changes" : ""}`}
          aria-description={`${about}. Delete closes, Shift and arrows move, F2 renames.`}
          tabIndex={isActive ? 0 : -1}
          onClick={() => !drag.moved() && tabsOf.activate(tab.id)}
          {...drag.handlers}
          onAuxClick={(event) => event.button === 1 && tabsOf.close(tab.id)}
          onDblClick={begin}
          onContextMenu={(event) => {
            event.preventDefault();
            tabsOf.activate(tab.id);
            showMenu(event.currentTarget);
          }}
        >
          <span class="machine-name">{title}</span>
          {unsaved && <span class="unsaved" aria-hidden="true" />}
        </button>
      )}
      <button
        type="button"
        class="plain square small machine-close"
        aria-hidden="true"
        tabIndex={-1}
        title={`Close ${title}`}
        onClick={() => tabsOf.close(tab.id)}
      >
        <Icon name="close" size={12} />
      </button>
    </div>
  );
}

function Rename({ title, done }: { title: string; done: (to?: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return (
    <input
      ref={field}
      class="machine-rename"
      aria-label="Name of the machine"
      spellcheck={false}
      defaultValue={title}
      onBlur={(event) => done(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key !== "Escape") return;
        event.currentTarget.value = title;
        event.currentTarget.blur();
      }}
    />
  );
}
