// The legend of an overlay on the graph, with a button that closes the overlay.

import { useEffect } from "preact/hooks";
import { Icon } from "../ui/Icon.tsx";
import { Parts } from "./Parts.tsx";
import { overlay } from "../debugger/onGraph.ts";

export function Legend() {
  // Escape closes the overlay unless a dialog, a menu or a text handles the key.
  useEffect(() => {
    const keys = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open], [role=menu]")) return;
      const target = event.target;
      if (
        target instanceof HTMLElement &&
        (target.isContentEditable || target.matches("textarea, input:not([type=checkbox], [type=range])"))
      )
        return;
      event.preventDefault();
      event.stopPropagation();
      overlay.peek()?.close();
    };
    addEventListener("keydown", keys, true);
    return () => removeEventListener("keydown", keys, true);
  }, []);
  const over = overlay.value;
  if (!over) return null;
  return (
    <section class="legend" aria-label={`Legend: ${over.title}`}>
      <ul>
        {over.legend.map(({ kind, text, sign }) => (
          <li key={kind}>
            <svg width="34" height="18" viewBox="0 0 34 18" aria-hidden="true">
              <g class={`over-${kind} legend-sign`}>
                <rect class="box" x="2" y="2" width="30" height="14" rx="4" />
                {sign && <Parts parts={[sign]} letter={7} x={17} y={13} />}
              </g>
            </svg>
            {text}
          </li>
        ))}
      </ul>
      <button type="button" class="plain square small" aria-label={`Leave: ${over.title}`} title="Leave (Esc)" onClick={over.close}>
        <Icon name="close" size={14} />
      </button>
    </section>
  );
}
