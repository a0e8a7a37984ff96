// Definitions for which asl-validator and the command have different verdicts, in the order of the table in docs/asl-validator.md. `valid`
// is the command's verdict, which is also AWS's. The titles are those of the table.

const one = (state) => ({ StartAt: "A", States: { A: state } });
const jsonata = (state) => ({ QueryLanguage: "JSONata", ...one(state) });
const pass = { Type: "Pass", End: true };
const task = { Type: "Task", Resource: "arn:aws:states:::lambda:invoke", End: true };
const map = (members, Mode = "INLINE") =>
  one({
    Type: "Map",
    ItemProcessor: {
      ProcessorConfig: { Mode, ...(Mode === "DISTRIBUTED" && { ExecutionType: "STANDARD" }) },
      StartAt: "B",
      States: { B: pass },
    },
    End: true,
    ...members,
  });

export const differences = [
  {
    title: "An expression with none or several spaces beside its delimiters: `{%10%}`",
    valid: true,
    definition: jsonata({ ...pass, Output: "{%10%}" }),
  },
  {
    title: "An `Output` that is no object: a number, a boolean, a string, a list",
    valid: true,
    definition: jsonata({ ...pass, Output: [1] }),
  },
  { title: "A list of strings and numbers in `Assign`", valid: true, definition: one({ ...pass, Assign: { list: [1, "a", null] } }) },
  {
    title: "`Output` of a Choice state",
    valid: true,
    definition: {
      QueryLanguage: "JSONata",
      StartAt: "A",
      States: { A: { Type: "Choice", Choices: [{ Condition: "{% true %}", Next: "B" }], Default: "B", Output: 1 }, B: pass },
    },
  },
  {
    title: "A `Condition` that is `true` or `false`",
    valid: true,
    definition: {
      QueryLanguage: "JSONata",
      StartAt: "A",
      States: { A: { Type: "Choice", Choices: [{ Condition: true, Next: "B" }], Default: "B" }, B: pass },
    },
  },
  {
    title: "A fraction in `ToleratedFailurePercentage`",
    valid: true,
    definition: map({ ToleratedFailurePercentage: 12.5 }, "DISTRIBUTED"),
  },
  {
    title: "An ARN of the partition `aws-iso`, `aws-iso-b` or `aws-eusc`",
    valid: true,
    definition: one({ ...task, Resource: "arn:aws-iso:lambda:us-iso-east-1:123456789012:function:f" }),
  },
  { title: "A `Label` with a character that an ARN cannot have", valid: false, definition: map({ Label: "a b" }, "DISTRIBUTED") },
  { title: "`Credentials` without `RoleArn`", valid: false, definition: jsonata({ ...task, Credentials: { Role: "x" } }) },
  {
    title: "`States.ALL` that is not last, or not alone",
    valid: false,
    definition: one({ ...task, Retry: [{ ErrorEquals: ["States.ALL"] }, { ErrorEquals: ["States.Timeout"] }] }),
  },
  {
    title: "`HeartbeatSeconds` that is not below `TimeoutSeconds`",
    valid: false,
    definition: one({ ...task, TimeoutSeconds: 5, HeartbeatSeconds: 5 }),
  },
  { title: "A JSONPath state in a JSONata machine", valid: false, definition: jsonata({ ...pass, QueryLanguage: "JSONPath" }) },
  { title: "`$$` in JSONata", valid: false, definition: jsonata({ ...pass, Output: "{% $$.a %}" }) },
  { title: "`$states.result` where there is no result", valid: false, definition: jsonata({ ...pass, Output: "{% $states.result %}" }) },
  {
    title: "A transition out of an `ItemProcessor`",
    valid: false,
    definition: {
      StartAt: "A",
      States: {
        A: {
          ...map({}).States.A,
          End: undefined,
          Next: "C",
          ItemProcessor: {
            StartAt: "B",
            States: { B: { Type: "Choice", Choices: [{ Variable: "$.x", IsNull: true, Next: "C" }], Default: "D" }, D: pass },
          },
        },
        C: pass,
      },
    },
  },
  {
    title: "A loop that nothing leads to",
    valid: false,
    definition: { StartAt: "A", States: { A: pass, B: { Type: "Pass", Next: "C" }, C: { Type: "Pass", Next: "B" } } },
  },
  { title: "A definition of more than 1,048,576 characters", valid: false, definition: { ...one(pass), Comment: "x".repeat(1 << 20) } },
  {
    title: "`IntervalSeconds` of 0 in a retrier",
    valid: false,
    definition: one({ ...task, Retry: [{ ErrorEquals: ["A"], IntervalSeconds: 0 }] }),
  },
  {
    title: "A variable that a branch assigns and the state around it, too",
    valid: false,
    definition: {
      StartAt: "A",
      States: {
        A: { Type: "Parallel", Assign: { v: 1 }, End: true, Branches: [{ StartAt: "X", States: { X: { ...pass, Assign: { v: 2 } } } }] },
      },
    },
  },
  {
    title: "A `ResultPath` into the Context Object",
    valid: false,
    definition: one({ ...task, Parameters: { "a.$": "$.x" }, ResultPath: "$$.x" }),
  },
];
