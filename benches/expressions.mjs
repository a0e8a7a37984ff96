// JSONata expressions that are measured against jsonata-js, the engine inside of AWS's own.
//
// A case: `id`, `title`, `expression`, `expect` (of its value), and `input`: an order, with its 200 items where the
// expression is about them. On our side every state
// of a chain evaluates the expression, with all that belongs to a state: its events, its data flow, the crossing of the
// input into WebAssembly. The peer has the expression compiled and the input at hand, and is called as often.

import { chain } from "./cases.mjs";

const TIMES = 100;

const items = Array.from({ length: 200 }, (_, n) => ({
  sku: `SKU-${String(n).padStart(4, "0")}`,
  category: ["book", "music", "garden", "toy"][n % 4],
  price: 5 + ((n * 37) % 100),
  quantity: 1 + (n % 7),
  tags: n % 3 === 0 ? ["new", "sale"] : ["old"],
}));

const order = {
  order: { id: 4711, customer: { name: "Ada Lovelace", email: "ada@example.org", since: 1_700_000_000_000 }, currency: "EUR" },
  limits: { low: 20, high: 80 },
  note: "Call 555-0100 or 555-0199 before noon; parcel 12, parcel 13 and parcel 14 go together.",
};

const orderWithItems = { ...order, items };

const total = items.reduce((sum, item) => sum + item.price * item.quantity, 0);

const all = [
  {
    id: "field",
    title: "a field in an object",
    expression: "{'id': $states.input.order.id, 'name': $states.input.order.customer.name}",
    expect: (value) => value.id === 4711 && value.name === "Ada Lovelace",
  },
  {
    id: "condition",
    title: "a condition over numbers",
    expression: "$states.input.order.id % 2 = 1 and $states.input.limits.high > $states.input.limits.low ? 'odd' : 'even'",
    expect: (value) => value === "odd",
  },
  {
    id: "text",
    title: "text put together",
    expression:
      "$uppercase($states.input.order.customer.name) & ' <' & $substringBefore($states.input.order.customer.email, '@') & '> ' & $string($states.input.order.id)",
    expect: (value) => value === "ADA LOVELACE <ada> 4711",
  },
  {
    id: "filter",
    title: "200 items filtered",
    expression: "$states.input.items[price > 50 and category = 'book'].sku",
    expect: (value) => value.length === items.filter((item) => item.price > 50 && item.category === "book").length,
  },
  {
    id: "total",
    title: "200 products summed",
    expression: "$sum($states.input.items.(price * quantity))",
    expect: (value) => value === total,
  },
  {
    id: "group",
    title: "200 items grouped",
    expression: "$states.input.items{category: $sum(price)}",
    expect: (value) => Object.keys(value).length === 4,
  },
  {
    id: "sort",
    title: "200 items sorted",
    expression: "$states.input.items^(>price, sku)[[0..9]].sku",
    expect: (value) => Array.isArray(value) && value.length > 0,
  },
  {
    id: "functions",
    title: "$map, $filter, $reduce of 200",
    expression:
      "$reduce($filter($map($states.input.items, function($i) { $i.price * $i.quantity }), function($p) { $p > 100 }), function($a, $b) { $a + $b })",
    expect: (value) => value > 0,
  },
  {
    id: "regex",
    title: "regular expressions in a text",
    expression:
      "{'phones': $match($states.input.note, /[0-9]{3}-[0-9]{4}/).match, 'text': $replace($states.input.note, /parcel ([0-9]+)/, '#$1')}",
    expect: (value) => value.phones.length === 2 && value.text.includes("#13"),
  },
  {
    id: "recursion",
    title: "a function calls itself 100 times",
    expression: "($sum := function($n, $a) { $n = 0 ? $a : $sum($n - 1, $a + $n) }; $sum(100, 0))",
    expect: (value) => value === 5050,
  },
];

export const expressions = all.map((one) => ({
  ...one,
  id: `jsonata-${one.id}`,
  title: `${TIMES} × ${one.title}`,
  peer: "jsonata",
  times: TIMES,
  input: one.expression.includes("input.items") ? orderWithItems : order,
  definition: {
    QueryLanguage: "JSONata",
    ...chain(TIMES, (i) =>
      i < TIMES ? { Type: "Pass", Assign: { value: `{% ${one.expression} %}` } } : { Type: "Pass", Output: `{% ${one.expression} %}` },
    ),
  },
  transitions: TIMES,
  target: 3,
}));
