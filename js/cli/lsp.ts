// The command `stepglass lsp` serves editors with the Language Server Protocol; the server is in `lsp/`.

import { Unusable } from "../language/files/problem.ts";
import { defineCommand, type Options } from "./command.ts";

const help = `stepglass lsp

Serves editors by the Language Server Protocol on standard input and output. An editor starts it itself; docs/editors.md
has the settings for VS Code, Neovim, Helix, Zed and others.

  stepglass lsp --stdio                               what an editor runs

Documents: definitions in JSON and YAML (*.asl.json, *.asl.yaml, and others with StartAt and States), and the state
machines in CloudFormation, SAM, CDK and Serverless templates, also those in strings. For Terraform, it only
reports problems.

The editor shows problems with their fixes, completes fields, states, paths and functions, explains what is under the
mouse, goes to definitions and uses, renames states and variables, and formats, folds and outlines.

Settings, in the section stepglass or as initializationOptions:
  strict              true: warnings are errors
  type                STANDARD or EXPRESS, for definitions outside of templates
  jsonata             2.0.6 (default) or 2.1, the version of JSONata
  queryLanguage       JSONPath or JSONata: warns about states in the other one
  substitutions       values of placeholders by name: {"Table": "orders"}
  maxProblems         the largest number of problems of a document, default 500

Options
      --stdio         accepted, as many editors pass it

Exit code: 0 the editor ended it; 1 the editor is gone; 2 wrong usage.
`;

const options = {
  stdio: { type: "boolean" },
  clientProcessId: { type: "string" },
} as const satisfies Options;

export const command = defineCommand({ name: "lsp", summary: "serve editors (Language Server Protocol)", help, options, run: lsp });

async function lsp(given: string[]): Promise<number> {
  if (given.length > 0) throw new Unusable("lsp takes no files: the editor opens them", { usage: true });
  const { serve } = await import("./lsp/server.ts");
  return serve();
}
