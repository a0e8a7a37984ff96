// The errors of stores.

/** Another writer has written meanwhile, or owns the store. */
export class StoreConflict extends Error {
  override name = "StoreConflict";
  readonly code = "STORE_CONFLICT";
}

/** The store cannot perform what was requested. */
export class StoreError extends Error {
  override name = "StoreError";
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
