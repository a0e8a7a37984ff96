// The commands above a definition (Run, Debug, Graph) and above its states (Mock, Rerun from here).

import {
  CodeLens,
  EventEmitter,
  Range,
  commands,
  debug,
  languages,
  workspace,
  type DocumentSymbol,
  type ExtensionContext,
  type TextDocument,
  type Uri,
} from "vscode";
import { TYPE } from "./configuration.ts";
import { DEBUG_COMMAND, RUN_COMMAND } from "./debugger.ts";
import { GRAPH_COMMAND } from "./graph.ts";
import { rerunFrom, type GivenResults } from "./mocks.ts";
import { startLine } from "./startLine.ts";
import { outlineOf } from "./states.ts";
import { pathOf } from "./uris.ts";

const MOCK_COMMAND = "stepglass.mock";
const RERUN_COMMAND = "stepglass.rerunFrom";

export function registerLenses(context: ExtensionContext, results: GivenResults): void {
  const changed = new EventEmitter<void>();
  const provideCodeLenses = async (document: TextDocument): Promise<CodeLens[]> => {
    const { uri } = document;
    if (!workspace.getConfiguration("stepglass", uri).get("codeLens", true)) return [];
    const line = startLine(document.getText());
    if (line === undefined) return [];
    const range = new Range(line, 0, line, 0);
    const lens = (title: string, command: string) => new CodeLens(range, { title, command, arguments: [uri] });
    return [
      lens("$(play) Run", RUN_COMMAND),
      lens("$(debug-alt) Debug", DEBUG_COMMAND),
      lens("$(type-hierarchy) Graph", GRAPH_COMMAND),
      ...stateLenses(uri, await outlineOf(uri), results),
    ];
  };
  const refresh = (): void => changed.fire();
  context.subscriptions.push(
    changed,
    languages.registerCodeLensProvider([{ language: "asl" }, { language: "asl-yaml" }], {
      provideCodeLenses,
      onDidChangeCodeLenses: changed.event,
    }),
    debug.onDidChangeActiveDebugSession(refresh),
    commands.registerCommand(MOCK_COMMAND, async (uri: Uri, state: string) => {
      if (await results.ask(pathOf(uri), state)) refresh();
    }),
    commands.registerCommand(RERUN_COMMAND, rerunFrom),
    commands.registerCommand("stepglass.openWalkthrough", () =>
      commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#start`),
    ),
  );
}

/** Tasks have Mock. While a run is debugged, every state has Rerun from here. */
function stateLenses(uri: Uri, states: readonly DocumentSymbol[], results: GivenResults): CodeLens[] {
  const given = results.of(pathOf(uri));
  const isDebugging = debug.activeDebugSession?.type === TYPE;
  return states.flatMap(({ name, detail, selectionRange, children }) => {
    const lens = (title: string, command: string) => new CodeLens(selectionRange, { title, command, arguments: [uri, name] });
    return [
      ...(detail === "Task" ? [lens(name in given ? "$(beaker) Mocked" : "$(beaker) Mock", MOCK_COMMAND)] : []),
      ...(isDebugging ? [lens("$(debug-rerun) Rerun from here", RERUN_COMMAND)] : []),
      ...stateLenses(uri, children, results),
    ];
  });
}
