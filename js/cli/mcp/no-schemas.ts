// In place of the SDK's checks of JSON Schemas (ajv), which are for forms that a server asks its user to fill in: this one asks nothing.

/** What the SDK makes for each server. */
export class AjvJsonSchemaValidator {
  /** Is asked for nothing: throws. */
  getValidator(): never {
    throw new Error("this server never asks its user anything");
  }
}
