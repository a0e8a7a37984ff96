// The peer, `aws-local-stepfunctions`, as its documentation says; delays of retries are overridden.
import { readFileSync } from "node:fs";
import { StateMachine } from "../peer/node_modules/aws-local-stepfunctions/build/main.node.esm.js";

const { version } = JSON.parse(readFileSync(new URL("../peer/node_modules/aws-local-stepfunctions/package.json", import.meta.url), "utf8"));

export const versions = () => ({ package: version, node: process.versions.node });

// Its validation, which takes a third of a second, is not what is measured.
const options = { validationOptions: { noValidate: true } };

export function prepare(one) {
  const delays = Object.fromEntries(Object.keys(one.definition.States).map((name) => [name, 0]));
  return { machine: new StateMachine(one.definition, options), input: one.input, delays };
}

export const run = ({ machine, input, delays }, handlers) =>
  machine.run(input, { overrides: { taskResourceLocalHandlers: handlers, retryIntervalOverrides: delays } }).result;

/** Starts executions that nobody answers. */
export const idle = (definition) => {
  const machine = new StateMachine(definition, options);
  return (input) => machine.run(input);
};
