// The view of recent runs, and recorded executions.

import {
  EventEmitter,
  ThemeIcon,
  TreeItem,
  commands,
  debug,
  window,
  workspace,
  type DebugSession,
  type ExtensionContext,
  type Memento,
  type TreeDataProvider,
  type Uri,
} from "vscode";
import { TYPE, type Configuration } from "./configuration.ts";
import { fileOf, recordedConfiguration, withRun, withStatus, type RecentRun } from "./run-list.ts";
import { pathOf, uriOf } from "./uris.ts";

const KEY = "stepglass.runs";
const ICONS: Record<RecentRun["status"], string> = { running: "sync", succeeded: "pass", failed: "error", stopped: "circle-slash" };

export function registerRuns(context: ExtensionContext): void {
  const runs = new Runs(context.workspaceState);
  context.subscriptions.push(
    window.registerTreeDataProvider(KEY, runs),
    debug.onDidStartDebugSession((session) => runs.started(session)),
    debug.onDidTerminateDebugSession((session) => runs.set(session.id, "stopped")),
    debug.registerDebugAdapterTrackerFactory(TYPE, {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage: ({ type, event, body }: { type: string; event?: string; body?: { exitCode?: number } }) => {
          if (type === "event" && event === "exited") runs.set(session.id, body?.exitCode === 0 ? "succeeded" : "failed");
        },
      }),
    }),
    commands.registerCommand("stepglass.runs.open", async (run: RecentRun) => {
      const file = fileOf(run);
      if (file !== undefined) await window.showTextDocument(uriOf(file));
    }),
    commands.registerCommand("stepglass.runs.rerun", (run: RecentRun) => start(run.config)),
    commands.registerCommand("stepglass.runs.delete", (run: RecentRun) => runs.remove(run.id)),
    commands.registerCommand("stepglass.runs.clear", () => runs.clear()),
    commands.registerCommand("stepglass.openRecorded", (uri?: Uri) => openRecorded(uri)),
  );
}

class Runs implements TreeDataProvider<RecentRun> {
  #memory: Memento;
  #changed = new EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(memory: Memento) {
    this.#memory = memory;
    // What ran when the window was closed runs no more.
    this.#write(this.#all.reduce<RecentRun[]>((runs, { id }) => withStatus(runs, id, "stopped"), this.#all));
  }

  get #all(): RecentRun[] {
    return this.#memory.get<RecentRun[]>(KEY, []);
  }

  getChildren(run?: RecentRun): RecentRun[] {
    return run === undefined ? this.#all : [];
  }

  getTreeItem({ config, status, started }: RecentRun): TreeItem {
    const item = new TreeItem(config.name);
    item.description = `${status}, ${new Date(started).toLocaleString()}`;
    item.iconPath = new ThemeIcon(ICONS[status]);
    item.contextValue = "run";
    return item;
  }

  started({ id, type, configuration }: DebugSession): void {
    if (type === TYPE) this.#write(withRun(this.#all, { id, started: Date.now(), status: "running", config: plain(configuration) }));
  }

  set(id: string, status: RecentRun["status"]): void {
    this.#write(withStatus(this.#all, id, status));
  }

  remove(id: string): void {
    this.#write(this.#all.filter((run) => run.id !== id));
  }

  clear(): void {
    this.#write([]);
  }

  #write(runs: RecentRun[]): void {
    void this.#memory.update(KEY, runs).then(() => this.#changed.fire());
  }
}

/** Returns a configuration without what VS Code has added for the session. */
function plain(config: Configuration): Configuration {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !name.startsWith("__"))) as Configuration;
}

async function start(config: Configuration): Promise<void> {
  const file = typeof config["definition"] === "string" ? config["definition"].split("#")[0] : undefined;
  await debug.startDebugging(file === undefined ? undefined : workspace.getWorkspaceFolder(uriOf(file)), config);
}

/** Debugs a recorded execution: a file of `stepglass fetch`, or the answer of GetExecutionHistory with the open definition. */
async function openRecorded(given: Uri | undefined): Promise<void> {
  const filters = { "Recorded executions": ["sfnrun", "json"] };
  const [uri] = given === undefined ? ((await window.showOpenDialog({ filters, title: "Open a recorded execution" })) ?? []) : [given];
  if (uri === undefined) return;
  const document = window.activeTextEditor?.document;
  const isDefinition = document !== undefined && /^asl/.test(document.languageId);
  const isFetched = uri.path.endsWith(".sfnrun");
  if (!isFetched && !isDefinition) {
    void window.showInformationMessage("Open the definition first: a history in JSON does not contain it.");
    return;
  }
  await start(recordedConfiguration(pathOf(uri), isDefinition && !isFetched ? pathOf(document.uri) : undefined, TYPE));
}
