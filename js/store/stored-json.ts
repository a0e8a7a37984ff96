// JSON texts that a store has kept, which may be damaged.

import { messageOf } from "../base/errors.ts";
import { StoreError } from "./errors.ts";

/** The value of a JSON text that a store has kept; `what` is what the error calls it. Throws STORE_DAMAGED. */
export function storedJson(text: string, what: string): any {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StoreError("STORE_DAMAGED", `${what} is damaged: ${messageOf(error)}`, { cause: error });
  }
}
