// The prompts that this server offers to people.

import { string, type ZodType } from "./protocol.ts";

/** A prompt that a person can choose. */
interface Prompt {
  name: string;
  title: string;
  description: string;
  args: Record<string, ZodType<string>>;
  text(given: Record<string, string>): string;
}

/** Returns a path as it is quoted in a prompt. */
const quoted = (path: string | undefined) => JSON.stringify(path ?? "");

const file = string().describe("Path of the definition in the server's folder.");

/** The prompts with their arguments. They name the tools, so that an agent finds them. */
export const prompts: Prompt[] = [
  {
    name: "fix_definition",
    title: "Fix a definition",
    description: "Repairs all problems of a definition and checks the result.",
    args: { file },
    text: ({ file }) =>
      `Call the tool validate with file ${quoted(file)}. Repair every error and warning with the smallest change; read stepglass://language/{type} for the fields of a state. Validate again until there are no problems, then say what you changed and why.`,
  },
  {
    name: "write_tests",
    title: "Write tests of a machine",
    description: "Writes a test file that covers the branches, retries and errors of a definition.",
    args: { file },
    text: ({ file }) =>
      `Call the tool graph with file ${quoted(file)} to see its states and transitions. Write a test file beside it, named *.stepglass.yaml, with the field definition and tests by name: each has an input, mocks of the tasks ({"return": …} or {"throw": "Error"}) and expect (status, output, path, error, caught, retries). Cover every branch, retrier and catcher. Run it with the tool test, and go on until all tests pass for the right reason.`,
  },
  {
    name: "explain_failure",
    title: "Explain a failed execution",
    description: "Finds out why an execution failed, and proposes a change.",
    args: { history: string().describe("Path of the history's JSON file in the server's folder."), file },
    text: ({ history, file }) =>
      `Call the tool explain_history with historyFile ${quoted(history)} and file ${quoted(file)}. Say in which state the execution failed, with which input and why. Propose the smallest change of the definition or of the task that prevents it, and show with the tool run and mocks that it does.`,
  },
];
