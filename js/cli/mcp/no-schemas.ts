// Replaces the SDK's JSON Schema validator (ajv). The SDK needs it only for forms that a server asks its user to fill in, and this
// server asks for none.

/** The class that the SDK creates for each server. */
export class AjvJsonSchemaValidator {
  /** Throws, because it is never needed. */
  getValidator(): never {
    throw new Error("this server never asks its user anything");
  }
}
