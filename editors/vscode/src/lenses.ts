// The commands above a definition: Run, Debug and Graph.

import { CodeLens, Range, commands, languages, workspace, type ExtensionContext, type TextDocument } from "vscode";
import { DEBUG_COMMAND, RUN_COMMAND } from "./debugger.ts";
import { GRAPH_COMMAND } from "./graph.ts";
import { startLine } from "./startLine.ts";

export function registerLenses(context: ExtensionContext): void {
  const provideCodeLenses = (document: TextDocument): CodeLens[] => {
    if (!workspace.getConfiguration("stepglass", document.uri).get("codeLens", true)) return [];
    const line = startLine(document.getText());
    if (line === undefined) return [];
    const range = new Range(line, 0, line, 0);
    const lens = (title: string, command: string) => new CodeLens(range, { title, command, arguments: [document.uri] });
    return [lens("$(play) Run", RUN_COMMAND), lens("$(debug-alt) Debug", DEBUG_COMMAND), lens("$(type-hierarchy) Graph", GRAPH_COMMAND)];
  };
  context.subscriptions.push(
    languages.registerCodeLensProvider([{ language: "asl" }, { language: "asl-yaml" }], { provideCodeLenses }),
    commands.registerCommand("stepglass.openWalkthrough", () =>
      commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#start`),
    ),
  );
}
