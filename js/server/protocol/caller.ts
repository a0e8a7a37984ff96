// Who calls an operation.

/**
 * The region and the account of a caller's credentials. Members are undefined if the credentials do not name them; then the
 * server's own are used.
 */
export interface Scope {
  region?: string;
  account?: string;
}

/** The caller of an operation. */
export interface Caller {
  scope?: Scope;
  /** The X-Amzn-Trace-Id of the request. */
  traceHeader?: string;
  /** Aborts when the caller no longer waits. */
  signal?: AbortSignal;
}
