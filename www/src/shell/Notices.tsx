// Messages that the user should see, with possible actions. A message stays until it is dismissed or done.

import { dismiss, notices } from "../store/notifications.ts";
import { Icon } from "../ui/Icon.tsx";

export function Notices() {
  return (
    <>
      {notices.value.map(({ kind, text, warn, dismissed, actions = [] }, i) => (
        <section key={kind} class={`strip recorded${warn ? " warn" : ""}`} aria-label={i === 0 ? "Notice" : `Notice ${i + 1}`}>
          <Icon name={warn ? "warning" : "help"} />
          <span class="recorded-words">{text}</span>
          {actions.map(({ label, run }) => (
            <button key={label} type="button" onClick={() => (run(), kind === "reload" || kind === "tabs" ? dismiss(kind) : undefined)}>
              {label}
            </button>
          ))}
          <button type="button" class="plain square small" aria-label="Dismiss the notice" onClick={() => (dismiss(kind), dismissed?.())}>
            <Icon name="close" size={14} />
          </button>
        </section>
      ))}
    </>
  );
}
