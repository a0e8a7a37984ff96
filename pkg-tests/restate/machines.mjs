// The definitions of the worker that is killed. With `version` "2", Asking has another last state.

const task = (Resource, more) => ({ Type: "Task", Resource, ...more });

export const machines = (version = "1") => ({
  Steps: {
    StartAt: "One",
    States: {
      One: task("one", { Next: "Both" }),
      Both: {
        Type: "Parallel",
        Branches: ["two", "three"].map((name) => ({ StartAt: name, States: { [name]: task(name, { End: true }) } })),
        ResultPath: null,
        Next: "Wait",
      },
      Wait: { Type: "Wait", Seconds: 1, Next: "Last" },
      Last: task("three", { End: true }),
    },
  },
  Asking: {
    StartAt: "Ask",
    States: {
      Ask: task("arn:aws:states:::lambda:invoke.waitForTaskToken", {
        Parameters: { FunctionName: "ask", Payload: { "token.$": "$$.Task.Token" } },
        Next: "Version",
      }),
      Version: { Type: "Pass", Result: version, End: true },
    },
  },
  Lasting: { StartAt: "Long", States: { Long: task("one", { End: true }) } },
});
