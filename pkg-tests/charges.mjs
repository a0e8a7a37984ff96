// The machine that the debugger's tests step through, in Node and on the page: a Map that charges items one after the other.

export const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";

export const INPUT = { items: [{ n: 1 }, { n: 2 }, { n: 3 }] };

/** Returns the machine, with additional fields for the Charge state, and additional states. */
export function charges(fields = {}, moreStates = {}) {
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
        ItemProcessor: { StartAt: "Charge", States: { Charge, Rest: { Type: "Wait", Seconds: 10, End: true }, ...moreStates } },
        Next: "Enough?",
      },
      "Enough?": { Type: "Choice", Choices: [{ Variable: "$[0].n", NumericGreaterThan: 5, Next: "Refuse" }], Default: "Done" },
      Refuse: { Type: "Fail", Error: "Refused" },
      Done: { Type: "Succeed" },
    },
  };
}
