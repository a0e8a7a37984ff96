// A pane at the side of the graph that is folded to a rail, so that the graph has its room.

import type { ComponentChildren } from "preact";
import { keyHint } from "../keys/keymap.ts";
import * as panes from "../store/panes.ts";
import { Icon, type IconName } from "../ui/Icon.tsx";

interface Props {
  pane: panes.SidePane;
  title: string;
  icon: IconName;
  children: ComponentChildren;
}

/** The pane stays mounted while it is a rail, so that the text, the selection and the scroll position in it are not lost. */
export function SidePane({ pane, title, icon, children }: Props) {
  const rail = panes.isRail(pane);
  return (
    <div class={rail ? "side-pane rail" : "side-pane"}>
      <div class="side-content" hidden={rail}>
        {children}
      </div>
      {panes.layout.value !== "write" && (
        <button
          type="button"
          class="plain rail-toggle"
          aria-expanded={!rail}
          aria-label={title}
          title={rail ? `Open: ${title}. All panes${keyHint("room")}` : `Fold: ${title}`}
          onClick={() => panes.toggleRail(pane)}
        >
          <Icon name={icon} />
          {rail && <span aria-hidden="true">{title}</span>}
        </button>
      )}
    </div>
  );
}
