// What the tests of the debugger step through, in Node and on the page: items that are charged one after the other.

export const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";

export const INPUT = { items: [{ n: 1 }, { n: 2 }, { n: 3 }] };

/** The machine, with fields of the state that charges, and other states beside it. */
export function charges(fields = {}, beside = {}) {
  const Charge = {
    Type: "Task",
    Resource: `${LAMBDA}charge`,
    ResultPath: "$.paid",
    Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 2 }],
    ...fields,
    Next: "Rest",
  };
  return {
    StartAt: "Prepare",
    States: {
      Prepare: { Type: "Pass", Assign: { limit: 5 }, Next: "Each" },
      Each: {
        Type: "Map",
        ItemsPath: "$.items",
        MaxConcurrency: 1,
        ItemProcessor: { StartAt: "Charge", States: { Charge, Rest: { Type: "Wait", Seconds: 10, End: true }, ...beside } },
        Next: "Enough?",
      },
      "Enough?": { Type: "Choice", Choices: [{ Variable: "$[0].n", NumericGreaterThan: 5, Next: "Refuse" }], Default: "Done" },
      Refuse: { Type: "Fail", Error: "Refused" },
      Done: { Type: "Succeed" },
    },
  };
}
