// Test files (*.stepglass.yaml) in the Test Explorer.

import {
  BranchCoverage,
  DeclarationCoverage,
  FileCoverage,
  Location,
  Position,
  Range,
  StatementCoverage,
  TestMessage,
  TestRunProfileKind,
  debug,
  tests,
  workspace,
  type CancellationToken,
  type ExtensionContext,
  type FileCoverageDetail,
  type TestController,
  type TestItem,
  type TestRun,
  type TestRunRequest,
  type Uri,
} from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { TYPE } from "./configuration.ts";
import type { Platform } from "./platform.ts";
import { LIST_TESTS, RUN_TESTS, type CoveredPlace, type FileResult, type ListedTests, type RanTests } from "./server/protocol.ts";
import { added, describe } from "./coverage.ts";
import { differenceOf } from "./difference.ts";
import { pathOf } from "./uris.ts";

const FILES = "**/*.stepglass.{yaml,yml,json}";
const IGNORED = "**/{node_modules,.git,dist,coverage,target,cdk.out,.aws-sam,.serverless}/**";
const NAME = /\.stepglass\.(ya?ml|json)$/i;
/** How long a test file must stand still until its tests are listed again, in milliseconds. */
const PAUSE = 200;

export function registerTests(context: ExtensionContext, platform: Platform, client: Promise<BaseLanguageClient>): void {
  const controller = tests.createTestController("stepglass", "Stepglass");
  const explorer = new Explorer(controller, platform, client);
  controller.refreshHandler = () => explorer.findAll();
  controller.createRunProfile("Run", TestRunProfileKind.Run, (request, token) => explorer.run(request, token), true, undefined, true);
  controller.createRunProfile("Debug", TestRunProfileKind.Debug, (request) => explorer.debug(request), true);
  const coverage = controller.createRunProfile(
    "Coverage",
    TestRunProfileKind.Coverage,
    (request, token) => explorer.run(request, token),
    true,
  );
  coverage.loadDetailedCoverage = async (_run, file) => explorer.details.get(file) ?? [];
  const watcher = workspace.createFileSystemWatcher(FILES);
  context.subscriptions.push(
    controller,
    watcher,
    watcher.onDidCreate((uri) => explorer.list(uri)),
    watcher.onDidChange((uri) => explorer.list(uri)),
    watcher.onDidDelete((uri) => controller.items.delete(uri.toString())),
    workspace.onDidOpenTextDocument(({ uri }) => NAME.test(uri.path) && explorer.list(uri)),
    workspace.onDidChangeTextDocument(({ document: { uri } }) => NAME.test(uri.path) && explorer.listSoon(uri)),
    workspace.onDidSaveTextDocument(({ uri }) => explorer.saved(uri)),
  );
  void explorer.findAll();
}

class Explorer {
  #controller: TestController;
  #platform: Platform;
  #client: Promise<BaseLanguageClient>;
  #timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** What each report of coverage has in detail. */
  readonly details = new WeakMap<FileCoverage, FileCoverageDetail[]>();
  /** The requests for continuous runs. */
  #continuous = new Set<TestRunRequest>();

  constructor(controller: TestController, platform: Platform, client: Promise<BaseLanguageClient>) {
    this.#controller = controller;
    this.#platform = platform;
    this.#client = client;
  }

  async findAll(): Promise<void> {
    await Promise.all((await workspace.findFiles(FILES, IGNORED)).map((uri) => this.list(uri)));
  }

  listSoon(uri: Uri): void {
    const key = uri.toString();
    clearTimeout(this.#timers.get(key));
    this.#timers.set(
      key,
      setTimeout(() => void this.list(uri), PAUSE),
    );
  }

  /** Reads which tests a file has. */
  async list(uri: Uri): Promise<void> {
    const listed: ListedTests = await (await this.#client).sendRequest(LIST_TESTS, { uri: this.#platform.toServer(uri) });
    const file = this.#controller.createTestItem(uri.toString(), workspace.asRelativePath(uri), uri);
    file.error = listed.problem;
    file.children.replace(
      listed.tests.map(({ name, line }) => {
        const item = this.#controller.createTestItem(name, name, uri);
        item.range = new Range(line - 1, 0, line - 1, 0);
        return item;
      }),
    );
    this.#controller.items.add(file);
  }

  async run(request: TestRunRequest, token: CancellationToken): Promise<void> {
    if (!request.continuous) return this.#runOnce(request, token);
    this.#continuous.add(request);
    token.onCancellationRequested(() => this.#continuous.delete(request));
  }

  /** Runs the tests that run continuously again, after a file of the folder was saved. */
  saved(uri: Uri): void {
    if (!/\.(json|ya?ml|[cm]?js|ts|asl)$/i.test(uri.path)) return;
    for (const request of this.#continuous) void this.#runOnce(request);
  }

  async #runOnce(request: TestRunRequest, token?: CancellationToken): Promise<void> {
    const run = this.#controller.createTestRun(request);
    const covered = request.profile?.kind === TestRunProfileKind.Coverage ? new Map<string, CoveredPlace[]>() : undefined;
    try {
      for (const [file, items] of this.#filesOf(request)) {
        if (token?.isCancellationRequested) break;
        await this.#runFile(run, file, items, covered);
      }
      for (const [uri, places] of covered ?? []) this.#report(run, this.#platform.fromServer(uri), places);
    } finally {
      run.end();
    }
  }

  /** Returns the requested tests by their files. */
  #filesOf({ include, exclude = [] }: TestRunRequest): Map<TestItem, TestItem[]> {
    const chosen = new Map<TestItem, TestItem[]>();
    const add = (file: TestItem, items: TestItem[]): void => {
      const wanted = items.filter((item) => !exclude.includes(item) && !exclude.includes(file));
      if (wanted.length > 0) chosen.set(file, [...(chosen.get(file) ?? []), ...wanted]);
    };
    for (const item of include ?? all(this.#controller.items)) {
      if (item.parent === undefined) add(item, all(item.children));
      else add(item.parent, [item]);
    }
    return chosen;
  }

  #report(run: TestRun, uri: Uri, places: CoveredPlace[]): void {
    const details = detailsOf(places);
    const file = FileCoverage.fromDetails(uri, details);
    this.details.set(file, details);
    run.addCoverage(file);
  }

  async #runFile(run: TestRun, file: TestItem, items: TestItem[], covered?: Map<string, CoveredPlace[]>): Promise<void> {
    const { uri } = file;
    if (uri === undefined) return;
    for (const item of items) run.started(item);
    const result: RanTests = await (
      await this.#client
    ).sendRequest(RUN_TESTS, {
      uri: this.#platform.toServer(uri),
      names: items.map(({ id }) => id),
      modules: workspace.isTrusted && this.#platform.loadTasks !== undefined,
      coverage: covered !== undefined,
    });
    for (const { uri: definition, places } of result.coverage ?? []) covered?.set(definition, added(covered.get(definition) ?? [], places));
    if (result.problem !== undefined) {
      for (const item of items) run.errored(item, new TestMessage(result.problem));
      return;
    }
    for (const item of items) {
      const found = result.tests.find(({ name }) => name === item.id);
      if (found === undefined || found.status === "skipped") run.skipped(item);
      else if (found.status === "passed") run.passed(item, found.milliseconds);
      else run.failed(item, this.#messagesOf(found, uri), found.milliseconds);
      if (found?.story !== undefined) run.appendOutput(`${found.story.replace(/\r?\n/g, "\r\n")}\r\n`, undefined, item);
    }
  }

  #messagesOf({ failures }: FileResult["tests"][number], uri: Uri): TestMessage[] {
    return failures.map((failure) => {
      const difference = differenceOf(failure);
      const message =
        difference === undefined
          ? new TestMessage(failure.message)
          : TestMessage.diff(failure.message, difference.expected, difference.actual);
      message.location = new Location(uri, new Position(Math.max(0, failure.line - 1), 0));
      return message;
    });
  }

  /** Debugs the first of the requested tests, because a debug session has one run. */
  async debug(request: TestRunRequest): Promise<void> {
    const [file, items] = [...this.#filesOf(request)][0] ?? [];
    const [item] = items ?? [];
    if (file?.uri === undefined || item === undefined) return;
    const config = { type: TYPE, request: "launch", name: item.label, test: `${pathOf(file.uri)}#${item.id}` };
    await debug.startDebugging(workspace.getWorkspaceFolder(file.uri), config);
  }
}

function all(items: Iterable<[string, TestItem]>): TestItem[] {
  return [...items].map(([, item]) => item);
}

/** Returns states as declarations, and what they choose from (rules, retriers, catchers, other transitions) as branches. */
function detailsOf(places: CoveredPlace[]): FileCoverageDetail[] {
  const at = ({ line }: CoveredPlace): Position => new Position(Math.max(0, line - 1), 0);
  return places
    .filter(({ kind }) => kind === "state")
    .flatMap((state) => {
      const ways = places.filter((place) => place.state === state.state && place.kind !== "state");
      const branches = ways.map((place) => new BranchCoverage(place.count, at(place), describe(place)));
      return [new DeclarationCoverage(state.state, state.count, at(state)), new StatementCoverage(state.count, at(state), branches)];
    });
}
