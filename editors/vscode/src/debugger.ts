// Debugging: which configuration F5 uses, and the debug adapter in the extension's own process.

import {
  DebugAdapterInlineImplementation,
  Uri,
  commands,
  debug,
  window,
  workspace,
  type CancellationToken,
  type DebugAdapter as VsCodeAdapter,
  type DebugAdapterDescriptor,
  type DebugConfiguration,
  type DebugConfigurationProvider,
  type ExtensionContext,
  type TextDocument,
  type WorkspaceFolder,
} from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import type { AdapterHost, ProtocolMessage } from "../../../js/core/api/dap.d.ts";
import { initSync } from "../../../js/core/border/instance.ts";
import { DebugAdapter } from "../../../js/debugger/dap/adapter.ts";
import { textProgram } from "../../../js/debugger/dap/program.ts";
import { TYPE, resolvedPaths, splitId, usualConfiguration } from "./configuration.ts";
import { leaveGraph } from "./graph.ts";
import { mocksWith, type GivenResults } from "./mocks.ts";
import type { Platform } from "./platform.ts";
import { READ_TEST, type TestProgram } from "./server/protocol.ts";
import { pathOf, uriOf } from "./uris.ts";

/** Starts a run of a document, with or without breakpoints. */
export const DEBUG_COMMAND = "stepglass.debug";
export const RUN_COMMAND = "stepglass.run";

export function registerDebugger(
  context: ExtensionContext,
  platform: Platform,
  client: Promise<BaseLanguageClient>,
  results: GivenResults,
): void {
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> =>
    initSync(await workspace.fs.readFile(Uri.joinPath(context.extensionUri, "dist", "stepglass.wasm")));
  const host = hostOf(platform, client);
  context.subscriptions.push(
    debug.registerDebugAdapterDescriptorFactory(TYPE, {
      createDebugAdapterDescriptor: async (): Promise<DebugAdapterDescriptor> => {
        await (loading ??= load());
        return new DebugAdapterInlineImplementation(new InlineAdapter(host) as unknown as VsCodeAdapter);
      },
    }),
    debug.registerDebugConfigurationProvider(TYPE, new Configurations(results)),
    commands.registerCommand(DEBUG_COMMAND, (uri?: Uri) => begin(results, uri, false)),
    commands.registerCommand(RUN_COMMAND, (uri?: Uri) => begin(results, uri, true)),
  );
}

/** The adapter, with what VS Code shows at a stop: one line of the state, not its whole range, and never over the graph. */
class InlineAdapter extends DebugAdapter {
  override onDidSendMessage(listener: (message: ProtocolMessage) => void): { dispose(): void } {
    let sent: Promise<void> = Promise.resolve();
    return super.onDidSendMessage((message) => {
      if (message.type === "event" && message["event"] === "stopped") sent = sent.then(leaveGraph).catch(() => {});
      sent = sent.then(() => listener(onOneLine(message)));
    });
  }
}

function onOneLine(message: ProtocolMessage): ProtocolMessage {
  if (message.type !== "response" || message["command"] !== "stackTrace" || !message["success"]) return message;
  const stackFrames = message["body"].stackFrames.map(({ endLine: _line, endColumn: _column, ...frame }: Record<string, unknown>) => frame);
  return { ...message, body: { ...message["body"], stackFrames } };
}

/** What the adapter needs of the editor. */
function hostOf(platform: Platform, client: Promise<BaseLanguageClient>): AdapterHost {
  const { openFile, loadTasks } = platform;
  return {
    readFile: textOf,
    open: async (definition, substitutions) => {
      const [file, id] = splitId(definition);
      const uri = uriOf(file);
      const isUnsaved = workspace.textDocuments.some((one) => one.isDirty && one.uri.toString() === uri.toString());
      if (openFile !== undefined && uri.scheme === "file" && !isUnsaved) return openFile(definition, substitutions);
      return textProgram(file, await textOf(file), { substitutions, ...(id !== undefined && { id }) });
    },
    readTest: async (spec) => {
      const [file, name] = splitId(spec);
      const test: TestProgram = await (await client).sendRequest(READ_TEST, { uri: platform.toServer(uriOf(file)), name: name ?? "" });
      // The server names files by its own paths.
      const { definition } = test;
      if (typeof definition !== "string") return test;
      const [path, id] = splitId(definition);
      const local = pathOf(platform.fromServer(Uri.file(path).toString()));
      return { ...test, definition: id === undefined ? local : `${local}#${id}` };
    },
    loadTasks: (path) => {
      if (!workspace.isTrusted) throw new Error(`${path} is not loaded, because this folder is not trusted: give the tasks mocks instead`);
      if (loadTasks === undefined) throw new Error(`${path} cannot be loaded in a web editor: give the tasks mocks instead`);
      return loadTasks(path);
    },
  };
}

async function textOf(path: string): Promise<string> {
  const uri = uriOf(path);
  const open = workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  return open?.getText() ?? decoded(await workspace.fs.readFile(uri));
}

/** Decodes a file. Fetched executions (`*.sfnrun`) are compressed with gzip, whose first bytes no JSON or YAML has. */
async function decoded(bytes: Uint8Array): Promise<string> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new TextDecoder().decode(bytes);
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** Returns the configuration for a document when there is no launch.json, with the results that the user has given to its tasks. */
function configurationFor(document: { uri: Uri } | undefined, results: GivenResults) {
  const path = document && pathOf(document.uri);
  const usual = usualConfiguration(path);
  return usual && { ...usual, mocks: mocksWith(results.of(path ?? "")) };
}

class Configurations implements DebugConfigurationProvider {
  #results: GivenResults;

  constructor(results: GivenResults) {
    this.#results = results;
  }

  provideDebugConfigurations(): DebugConfiguration[] {
    return [{ type: TYPE, request: "launch", name: "Debug this state machine", definition: "${file}", mocks: "generated" }];
  }

  /** F5 without a launch.json has an empty configuration. */
  resolveDebugConfiguration(folder: WorkspaceFolder | undefined, given: DebugConfiguration): DebugConfiguration | undefined {
    const document = window.activeTextEditor?.document ?? activeGraph();
    const config = given.type ? given : { ...given, ...configurationFor(document, this.#results) };
    const isEmpty = [config.definition, config.test, config.history].every((one) => one === undefined);
    if (isEmpty && config.request !== "attach") {
      void window.showInformationMessage("Open a state machine first, or give the configuration a definition.");
      return undefined;
    }
    return filled(config, folder, document);
  }

  resolveDebugConfigurationWithSubstitutedVariables(
    folder: WorkspaceFolder | undefined,
    config: DebugConfiguration,
    _token?: CancellationToken,
  ): DebugConfiguration {
    const paths = resolvedPaths(config, (path) => (folder === undefined ? path : pathOf(Uri.joinPath(folder.uri, path))));
    const { definition, stopOnEntry, noDebug } = paths;
    if (stopOnEntry !== undefined || noDebug === true || paths.request === "attach") return paths;
    // Without a breakpoint a run would be over at once.
    return { ...paths, stopOnEntry: !hasBreakpoint(typeof definition === "string" ? splitId(definition)[0] : undefined) };
  }
}

/** VS Code gives `${file}` and `${workspaceFolder}` only for files. In virtual folders they become URIs here. */
function filled(config: DebugConfiguration, folder: WorkspaceFolder | undefined, document: TextDocument | undefined): DebugConfiguration {
  const values: Record<string, string> = {};
  if (document !== undefined && document.uri.scheme !== "file") values["${file}"] = document.uri.toString();
  if (folder !== undefined && folder.uri.scheme !== "file") values["${workspaceFolder}"] = folder.uri.toString();
  const text = (value: unknown): unknown => {
    if (typeof value === "string") return Object.entries(values).reduce((all, [name, by]) => all.replaceAll(name, () => by), value);
    return Array.isArray(value) ? value.map(text) : value;
  };
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, text(value)])) as DebugConfiguration;
}

function hasBreakpoint(path: string | undefined): boolean {
  return debug.breakpoints.some((one) => {
    if (!one.enabled) return false;
    const at = (one as { location?: { uri: Uri } }).location?.uri;
    return at === undefined || path === undefined || at.toString() === uriOf(path).toString();
  });
}

/** Returns the document of the graph that has the focus. */
function activeGraph(): TextDocument | undefined {
  const input = window.tabGroups.activeTabGroup.activeTab?.input as { uri?: Uri } | undefined;
  return workspace.textDocuments.find(({ uri }) => uri.toString() === input?.uri?.toString());
}

async function begin(results: GivenResults, given: Uri | undefined, noDebug: boolean): Promise<void> {
  const uri = given ?? window.activeTextEditor?.document.uri ?? activeGraph()?.uri;
  const config = uri && configurationFor({ uri }, results);
  if (uri === undefined || config === undefined) {
    void window.showInformationMessage("Open a state machine first.");
    return;
  }
  await debug.startDebugging(workspace.getWorkspaceFolder(uri), config, { noDebug });
}
