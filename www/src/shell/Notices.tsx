// Messages that the user should see, with possible actions. They have one row: a warning is shown before other messages, a later one
// before an earlier one, and the others on demand. A message stays until it is dismissed or done.

import { useSignal } from "@preact/signals";
import { dismiss, notices } from "../store/notifications.ts";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";

export function Notices() {
  const turned = useSignal(0);
  const all = [...notices.value].reverse().sort((a, b) => Number(b.warn ?? false) - Number(a.warn ?? false));
  const shown = all[turned.value % all.length];
  if (!shown) return null;
  const { kind, text, warn, dismissed, actions = [] } = shown;
  return (
    <section key={kind} class={`strip recorded${warn ? " warn" : ""}`} aria-label="Notice">
      <Icon name={warn ? "warning" : "help"} />
      <span class="recorded-words">{text}</span>
      {actions.map(({ label, run }) => (
        <button key={label} type="button" onClick={() => (run(), kind === "reload" || kind === "tabs" ? dismiss(kind) : undefined)}>
          {label}
        </button>
      ))}
      {all.length > 1 && (
        <button type="button" class="link" title="Show the next message" onClick={() => (turned.value += 1)}>
          {count(all.length - 1, "more message", "more messages")}
        </button>
      )}
      <button type="button" class="plain square small" aria-label="Dismiss the notice" onClick={() => (dismiss(kind), dismissed?.())}>
        <Icon name="close" size={14} />
      </button>
    </section>
  );
}
