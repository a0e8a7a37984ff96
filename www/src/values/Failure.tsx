// An error with its cause.

import { Icon } from "../ui/Icon.tsx";
import { JsonView } from "./JsonView.tsx";

/**
 * A cause in JSON, as Lambda functions return it, is shown as a whole. With `brief` only its message is shown, and the rest on
 * demand.
 */
export function Failure({ error, cause, brief = false }: { error: unknown; cause: unknown; brief?: boolean }) {
  const message = brief && typeof cause === "string" ? messageIn(cause) : undefined;
  return (
    <div class="failure">
      <p class="failure-name">
        <Icon name="error" size={14} /> {typeof error === "string" && error !== "" ? error : "Failed"}
      </p>
      {message !== undefined && <p class="failure-cause">{message}</p>}
      {typeof cause === "string" &&
        cause !== "" &&
        (message !== undefined ? (
          <details>
            <summary>Whole cause</summary>
            <JsonView label="Cause" text={cause} />
          </details>
        ) : isJson(cause) ? (
          <JsonView label="Cause" text={cause} />
        ) : (
          <p class="failure-cause">{cause}</p>
        ))}
    </div>
  );
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && typeof parsed(text) === "object";
}

/** Returns the message of a function's error, if the cause has Lambda's format. */
function messageIn(cause: string): string | undefined {
  const { errorMessage } = isJson(cause) ? ((parsed(cause) as { errorMessage?: unknown }) ?? {}) : {};
  return typeof errorMessage === "string" && errorMessage !== "" ? errorMessage : undefined;
}
