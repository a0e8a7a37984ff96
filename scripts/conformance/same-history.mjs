// Whether an execution came to the same on a host as in memory: times and the ids of requests to AWS apart, and the order of events where
// things run side by side.

const DATE = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const REQUEST = /Request ID: (?:<request_id>|[-0-9a-f]{36})/g;
const EPOCH = /((?:Start|Stop)Date\\*":)\d+/g;

/** What differs, in words; undefined if nothing does. */
export function sameHistory(there, memory) {
  const [is, was] = [there, memory].map(({ result }) => timeless(result));
  if (is !== was) return `result ${is.slice(0, 300)}, in memory ${was.slice(0, 300)}`;
  const exact = [there, memory].map(({ history }) => history.map(({ timestamp: _, ...event }) => timeless(event)));
  if (exact[0].join() === exact[1].join()) return undefined;
  const sides = [there, memory].map(({ history }) =>
    history.map(({ timestamp: _, id: __, previousEventId: ___, ...event }) => timeless(event)).sort(),
  );
  const concurrent = memory.history.some(({ type }) => /^(Parallel|Map)State/.test(type));
  const [a, b] = concurrent ? sides : exact;
  const at = b.findIndex((event, i) => event !== a[i]);
  if (at < 0 && a.length === b.length) return undefined;
  return at < 0 ? `${a.length} events, in memory ${b.length}` : `event ${at + 1} ${a[at]?.slice(0, 300)}, in memory ${b[at].slice(0, 300)}`;
}

/** JSON with its members by name. */
function timeless(value) {
  return JSON.stringify(sorted(value))
    .replaceAll(DATE, "<time>")
    .replaceAll(REQUEST, "Request ID: <id>")
    .replaceAll(EPOCH, (_, member) => `${member}0`);
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
