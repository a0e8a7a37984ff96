// The command `stepglass mcp` serves tools to AI agents with the Model Context Protocol; the tools are in `mcp/`.

import { Unusable } from "../language/files/problem.ts";
import { defineCommand, type Options, type Values } from "./command.ts";
import { confineTo } from "./mcp/folder.ts";

const help = `stepglass mcp [options]

Serves validation, runs, tests, histories and graphs to AI agents, by the Model Context Protocol on standard input and
output. An agent starts it itself; docs/editors.md has settings for some of them.

  claude mcp add stepglass -- npx stepglass mcp        adds it to Claude Code
  stepglass mcp --root machines                        reads files of another folder

Tools: validate, run, test, explain_history, graph, convert. Resources: the fields of each state type
(stepglass://language/Task) and examples (stepglass://examples/retry). Prompts: fix_definition, write_tests,
explain_failure.

The server reads files of its folder only, writes none, and calls no service: tasks answer from mocks. It runs no
code, unless --modules allows test files to name modules with task handlers. Answers are limited, and say what they
leave out.

Options
      --root DIR      the folder whose files the server may read; default: the working folder
      --modules       lets test files load modules with task handlers, which can do anything
      --timeout SECONDS
                      the longest run, in seconds of real time; default 10
      --max-events NUMBER
                      the largest history of a run; default 25000
      --max-file-bytes NUMBER
                      the largest file that is read; default 100000000

Exit code: 0 the client has ended; 2 wrong usage, or a message that is too large.
`;

const options = {
  root: { type: "string", file: true },
  modules: { type: "boolean" },
  timeout: { type: "string" },
  "max-events": { type: "string" },
  "max-file-bytes": { type: "string" },
} as const satisfies Options;

export const command = defineCommand({
  name: "mcp",
  summary: "serve tools to AI agents (Model Context Protocol)",
  help,
  options,
  run: mcp,
});

/** Maximum length of the text in an answer, in characters. */
const CHARACTERS = 40_000;

async function mcp(given: string[], values: Values<typeof options>): Promise<number> {
  if (given.length > 0) throw new Unusable("mcp takes no files: its tools do", { usage: true });
  const limits = {
    fileBytes: numberOf("max-file-bytes", values["max-file-bytes"], 100_000_000),
    characters: CHARACTERS,
    seconds: numberOf("timeout", values.timeout, 10),
    events: numberOf("max-events", values["max-events"], 25_000),
  };
  confineTo(values.root ?? ".", limits.fileBytes);
  const { serve } = await import("./mcp/server.ts");
  return serve({ limits, modules: values.modules === true });
}

function numberOf(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 1_000_000_000)
    throw new Unusable(`--${option} must be a whole number, 1 or more`, { usage: true });
  return number;
}
