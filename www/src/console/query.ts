// The filters of the list, in the three forms that they have: what the user sees, the address of the page, and a request.

export const STATUSES = ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"] as const;
export type Status = (typeof STATUSES)[number];

/** The periods that the user can choose, with their lengths in hours. */
export const PERIODS = { "1h": 1, "24h": 24, "7d": 168, "30d": 720 } as const;
export type Period = keyof typeof PERIODS;

/** The filters of a list. An empty text or list is no filter. */
export interface View {
  statuses: readonly Status[];
  /** The ARN of a machine. */
  machine: string;
  /** The beginning of the name. */
  name: string;
  /** An attribute, as `key=value`. */
  attribute: string;
  /** Started within this period until now. */
  period: Period | "";
  /** Started within this time, in milliseconds since 1970. It takes precedence over `period`. */
  between: readonly [from: number, until: number] | undefined;
}

export const EVERYTHING: View = { statuses: [], machine: "", name: "", attribute: "", period: "", between: undefined };

/** Reads the filters in the query of an address. What is not valid is no filter. */
export function viewOf(search: string): View {
  const given = new URLSearchParams(search);
  const [from, until] = [Number(given.get("from")), Number(given.get("until"))];
  const period = given.get("period") ?? "";
  return {
    statuses: STATUSES.filter((status) => given.getAll("status").includes(status)),
    machine: given.get("stateMachineArn") ?? "",
    name: given.get("name") ?? "",
    attribute: given.get("attribute") ?? "",
    period: Object.hasOwn(PERIODS, period) ? (period as Period) : "",
    between: Number.isFinite(from) && Number.isFinite(until) && from > 0 && from < until ? [from, until] : undefined,
  };
}

/** Returns the query of the page's address: `?status=FAILED`, or an empty text without filters. */
export function searchOf(view: View): string {
  const parameters = common(view);
  if (view.between !== undefined) setTime(parameters, view.between);
  else if (view.period !== "") parameters.set("period", view.period);
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns the parameters of a request for the list. `now` is in milliseconds since 1970. */
export function requestOf(view: View, now: number): URLSearchParams {
  const parameters = common(view);
  if (view.between !== undefined) setTime(parameters, view.between);
  else if (view.period !== "") parameters.set("from", String(now - PERIODS[view.period] * 3_600_000));
  return parameters;
}

/** Returns the parameters of a request for the counts, which are those of all statuses. */
export function countsRequestOf(view: View): URLSearchParams {
  const parameters = common({ ...view, statuses: [] });
  if (view.between !== undefined) setTime(parameters, view.between);
  else if (view.period !== "") {
    // The server adds the time of its own clock, so that open pages ask for the same.
    parameters.set("hours", String(PERIODS[view.period]));
    parameters.set("within", "1");
  }
  return parameters;
}

function common({ statuses, machine, name, attribute }: View): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const status of statuses) parameters.append("status", status);
  for (const [key, value] of Object.entries({ stateMachineArn: machine, name, attribute })) if (value !== "") parameters.set(key, value);
  return parameters;
}

function setTime(parameters: URLSearchParams, [from, until]: readonly [number, number]): void {
  parameters.set("from", String(Math.round(from)));
  parameters.set("until", String(Math.round(until)));
}

/** Returns whether a view has a filter. */
export function isFiltered(view: View): boolean {
  return searchOf(view) !== "";
}
