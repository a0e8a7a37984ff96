// Us, as the package in dist is used; the full history is kept, delays are virtual.
import { StateMachine, version } from "../../dist/node.js";

export const versions = () => ({ package: version(), node: process.versions.node });

export const prepare = (one) => ({ machine: new StateMachine(one.definition), input: one.input });

// AWS ends an execution at 25,000 events; the loop has more.
export const run = ({ machine, input }, tasks) => machine.run(input, { tasks, clock: "virtual", historyLimit: 0 });

/** Starts executions that nobody answers. */
export const idle = (definition) => {
  const machine = new StateMachine(definition);
  return (input) => machine.start(input);
};
