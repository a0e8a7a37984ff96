// An error with its cause.

import { Icon } from "./Icon.tsx";
import { JsonView } from "./JsonView.tsx";

export function Failure({ error, cause }: { error: unknown; cause: unknown }) {
  return (
    <div class="failure">
      <p class="failure-name">
        <Icon name="error" size={14} /> {typeof error === "string" && error !== "" ? error : "Failed"}
      </p>
      {typeof cause === "string" && cause !== "" && (isJson(cause) ? <JsonView label="Cause" text={cause} /> : <p class="failure-cause">{cause}</p>)}
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
