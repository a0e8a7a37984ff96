// A read-only JSON value: indented, coloured, and truncated until the user asks for all of it. Search shows more of it.

import { useSignal } from "@preact/signals";
import { showToast } from "../store/notifications.ts";
import { Icon } from "../ui/Icon.tsx";
import { lazy } from "../ui/lazy.tsx";
import { coloured } from "./colouredJson.tsx";

const Explorer = lazy(() => import("./Explorer.tsx").then((module) => module.Explorer));

const SHOWN = 65_536;

interface Props {
  /** A value, or JSON text as histories have it. */
  value?: unknown;
  text?: string;
  label: string;
}

export function JsonView({ value, text, label }: Props) {
  const all = useSignal(false);
  const exploring = useSignal(false);
  const whole = pretty(value, text);
  const shown = all.value || whole.length <= SHOWN ? whole : whole.slice(0, SHOWN);
  return (
    <figure class="json">
      <figcaption>
        <span>{label}</span>
        <span class="size">{size(whole)}</span>
        <button
          type="button"
          class="plain square small"
          aria-label={`Search in ${label}`}
          title="Search, or look at it as a tree"
          aria-pressed={exploring.value}
          onClick={() => (exploring.value = !exploring.value)}
        >
          <Icon name="search" size={14} />
        </button>
        <button
          type="button"
          class="plain square small"
          aria-label={`Copy ${label}`}
          title="Copy"
          onClick={() =>
            void navigator.clipboard.writeText(whole).then(
              () => showToast(`${label} copied.`),
              () => showToast("The browser did not allow copying."),
            )
          }
        >
          <Icon name="copy" size={14} />
        </button>
      </figcaption>
      {exploring.value ? (
        <Explorer label={label} text={whole} value={parsed(value, text)} />
      ) : (
        <>
          <pre tabIndex={0} role="group" aria-label={label}>
            <code>{coloured(shown)}</code>
          </pre>
          {shown.length < whole.length && (
            <button type="button" class="link" onClick={() => (all.value = true)}>
              Show all {size(whole)}
            </button>
          )}
        </>
      )}
    </figure>
  );
}

function pretty(value: unknown, text: string | undefined): string {
  const known = parsed(value, text);
  if (known === text) return text!;
  return text === undefined ? (JSON.stringify(known, null, 2) ?? "") : indented(text);
}

/** Returns JSON with a line for each member. Numbers stay as they are written, because parsing would turn 1.0 into 1. */
function indented(json: string): string {
  let line = "\n";
  return json.replace(/"(?:[^"\\]|\\.)*"|\s+|([[{])\s*([\]}]?)|[\]},:]/g, (token, opening?: string, closing?: string) => {
    if (opening) return closing ? opening + closing : opening + (line += "  ");
    if (token === ",") return token + line;
    if (token === ":") return ": ";
    if (token === "]" || token === "}") return (line = line.slice(0, -2)) + token;
    return token[0] === '"' ? token : "";
  });
}

function parsed(value: unknown, text: string | undefined): unknown {
  if (text === undefined) return value;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function size(text: string): string {
  const bytes = new Blob([text]).size;
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`;
}
