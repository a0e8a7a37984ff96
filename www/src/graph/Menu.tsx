// The menu of a node: the page's commands for a state, and those that other parts of the page add.

import { useLayoutEffect, useRef } from "preact/hooks";
import { stopCommands } from "../debugger/stops.ts";
import { goToDefinition, renameState } from "../editor/definitionEditor.ts";
import { keymap } from "../keys/keymap.ts";
import { type GraphNode, isState } from "../model/graph.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as panes from "../store/panes.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/notifications.ts";
import { Icon } from "../ui/Icon.tsx";
import { type NodeCommand, nodeCommands } from "../debugger/onGraph.ts";
import { menu } from "./menuOpen.ts";
import { graphEditor } from "./graphEditor.ts";

const copy = async (text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text);
    showToast("Copied.");
  } catch {
    showToast(text);
  }
};

const keyOf = (command: { command?: string }): string | undefined => keymap.value?.shown(command.command ?? "")[0];

const folds = (node: GraphNode): boolean => node.type === "Parallel" || node.type === "Map";

const OWN: readonly NodeCommand[] = [
  {
    id: "definition",
    group: "go",
    label: "Go to the definition",
    command: "graphText",
    shown: isState,
    run: (node) => goToDefinition(node.name),
  },
  {
    id: "missing",
    group: "go",
    label: "Go to the reference",
    shown: (node) => node.type === "Missing",
    run: (node) => void analysis.revealPointer(node.pointer),
  },
  {
    id: "events",
    group: "go",
    label: "Show only its events",
    shown: (node) => isState(node) && execution.eventCount.value > 0,
    run(node) {
      selection.selectState(node.name, "graph");
      panes.setFilter({ ...panes.filter.value, state: node.name });
      panes.chooseDock("events");
      panes.showNarrow("events");
    },
  },
  {
    id: "unfold",
    group: "fold",
    label: "Unfold",
    command: "unfold",
    shown: (node) => folds(node) && node.collapsed,
    run: (node) => analysis.toggleFold(node.pointer),
  },
  {
    id: "fold",
    group: "fold",
    label: "Fold",
    command: "fold",
    shown: (node) => folds(node) && !node.collapsed,
    run: (node) => analysis.toggleFold(node.pointer),
  },
  // The graph editor renames states on the graph itself.
  {
    id: "rename",
    group: "edit",
    label: "Rename…",
    command: "rename",
    shown: (node) => isState(node) && graphEditor.value === null,
    run: (node) => void renameState(node.name),
  },
  { id: "copy-name", group: "copy", label: "Copy the name", run: (node) => void copy(node.name) },
  { id: "copy-path", group: "copy", label: "Copy the path", run: (node) => void copy(node.pointer) },
];

/** Returns all commands for a node in groups, the debugger's before the others. */
function commandsFor(node: GraphNode): NodeCommand[][] {
  const groups = new Map<string, NodeCommand[]>();
  for (const command of [...nodeCommands.value, ...stopCommands(node), ...OWN]) {
    if (command.shown && !command.shown(node)) continue;
    const group = groups.get(command.group);
    if (group) group.push(command);
    else groups.set(command.group, [command]);
  }
  return [...groups.values()];
}

/** Positions the menu, moves the focus into it, and closes it when the user presses elsewhere or the focus leaves it. */
function usePlace(list: { current: HTMLDivElement | null }, shown: typeof menu.value): void {
  useLayoutEffect(() => {
    const element = list.current;
    if (!element || !shown) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(4, Math.min(shown.x, innerWidth - width - 4))}px`;
    element.style.top = `${Math.max(4, Math.min(shown.y, innerHeight - height - 4))}px`;
    element.querySelector<HTMLElement>("[role^=menuitem]")?.focus({ preventScroll: true });
    const outside = (event: Event): void => {
      const target = event.target as Node;
      if (!element.contains(target) && !(shown.node === undefined && shown.opener.contains(target))) menu.value = null;
    };
    const gone = (): void => void (menu.value = null);
    for (const type of ["pointerdown", "focusin"]) addEventListener(type, outside, true);
    addEventListener("resize", gone);
    return () => {
      for (const type of ["pointerdown", "focusin"]) removeEventListener(type, outside, true);
      removeEventListener("resize", gone);
    };
  }, [shown]);
}

interface Item extends Omit<NodeCommand, "shown" | "checked" | "run"> {
  checked: boolean | undefined;
  run(): void;
}

/** Returns the title and the commands of a menu, for its node if it has one. */
function contentsOf(shown: NonNullable<typeof menu.value>): { title: string; commands: Item[][] } {
  if (shown.node === undefined)
    return { title: shown.title, commands: shown.commands.map((group) => group.map((one) => ({ ...one, checked: undefined }))) };
  const { node, title = node.name, commands = commandsFor(node) } = shown;
  const itemOf = (one: NodeCommand): Item => ({ ...one, checked: one.checked?.(node), run: () => one.run(node) });
  return { title, commands: commands.map((group) => group.map(itemOf)) };
}

export function NodeMenu() {
  const list = useRef<HTMLDivElement>(null);
  const shown = menu.value;
  usePlace(list, shown);
  if (!shown) return null;
  const { back } = shown;
  const { title, commands } = contentsOf(shown);
  const close = (): void => {
    menu.value = null;
    back();
  };
  const keys = (event: KeyboardEvent): void => {
    const items = [...list.current!.querySelectorAll<HTMLElement>("[role^=menuitem]")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    let to = -1;
    if (event.key === "ArrowDown") to = (at + 1) % items.length;
    else if (event.key === "ArrowUp") to = (at + items.length - 1) % items.length;
    else if (event.key === "Home") to = 0;
    else if (event.key === "End") to = items.length - 1;
    else if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key.length === 1 && event.key !== " ") {
      const letter = event.key.toLowerCase();
      const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];
      const next = order.find((item) => item.textContent.trim().toLowerCase().startsWith(letter));
      if (!next) return;
      to = items.indexOf(next);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    items[to]?.focus();
  };
  return (
    <div class="menu" ref={list} role="menu" aria-label={title} onKeyDown={keys} onContextMenu={(event) => event.preventDefault()}>
      {shown.node && shown.title && <p class="menu-title">{title}</p>}
      {commands.map((group, i) => (
        <div role="group" key={i}>
          {group.map((command) => (
            <button
              key={command.id}
              type="button"
              tabIndex={-1}
              role={command.checked === undefined ? "menuitem" : "menuitemcheckbox"}
              aria-checked={command.checked}
              onClick={() => {
                close();
                command.run();
              }}
            >
              <span class="tick">{command.checked && <Icon name="check" size={12} />}</span>
              <span>{command.label}</span>
              {keyOf(command) && <kbd>{keyOf(command)}</kbd>}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}
