// The command `stepglass open` opens a recorded execution in the debugger.

import { spawn } from "node:child_process";
import { messageOf } from "../core/base/errors.ts";
import { Unusable } from "../language/files/problem.ts";
import { documentOfRun, readRecording } from "../language/files/recording.ts";
import { executionIn, executionsOf } from "../language/files/run-executions.ts";
import { EXTENSION, readRun } from "../language/files/sfnrun.ts";
import { Source, usable } from "../language/files/source.ts";
import { documentOfFetched, type RecordedDocument } from "../core/history/recorded.ts";
import { defineCommand, type Options, type Values } from "./command.ts";
import { whole } from "./numbers.ts";
import { shutdownSignal } from "./shutdown.ts";

const help = `stepglass open ARN_OR_FILE [DEFINITION] [options]

Opens a recorded execution in the debugger, in a browser on this machine: the path on the graph, each state's data flow,
retries, the slowest states, the failing part of the definition, and the time line to move back and forth. "Run from here"
forks it at any state: change the definition, and its tasks answer as recorded. Nothing else is run, and nothing leaves
this machine.

  stepglass open order-7.sfnrun                 an execution that stepglass fetch has written
  stepglass open arn:aws:states:eu-west-1:123456789012:execution:Orders:order-7
                                                fetches it first, without writing a file
  stepglass open history.json order.asl.json    the JSON of get-execution-history, with its definition
  stepglass open order-7.sfnrun fixed.asl.json  shows where another definition takes another path
  stepglass open order-7.sfnrun --execution payment-7
                                                an execution that order-7 has started, or a child of its Map Runs

The page is served on 127.0.0.1, to this machine alone, until you press Ctrl+C. In a checkout of Stepglass it is the whole
playground, in which "Debug with its answers" forks the execution.

Options
      --execution NAME_OR_ARN
                      of a file: another execution in it
  -p, --port NUMBER   the port; default: a free one
      --no-browser    only prints the address
      --json          opens no browser, and prints one line of JSON once it listens: {"url", "port", "pid"}

Exit code: 0 stopped by a signal; 1 the definition has errors; 2 wrong usage, not a history, or it cannot listen.
`;

const options = {
  execution: { type: "string" },
  port: { type: "string", short: "p" },
  "no-browser": { type: "boolean" },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({
  name: "open",
  summary: "open a recorded execution in the debugger",
  help,
  options,
  run: open,
});

async function open([what, definition, ...others]: string[], values: Values<typeof options>): Promise<number> {
  if (what === undefined || others.length > 0) throw new Unusable("open needs one execution: its ARN or a file", { usage: true });
  const port = values.port === undefined ? 0 : whole(values.port, "--port", 0, 65_535);
  const document = await documentOf(what, values.execution);
  if (definition !== undefined) document.definition = usable(new Source(definition), {}).json;
  // The modules are loaded here, so that other commands start without them.
  const [{ OpenedExecution }, folders] = await Promise.all([import("../server/pages/opened.ts"), import("../entries/wasm-file.ts")]);
  const opened = new OpenedExecution(document, { page: folders.playground, component: folders.component });
  if (document.definition === undefined && !opened.hasPage)
    throw new Unusable(`${what} does not have the definition that ran: name its file after it`, { usage: true });
  const at = await opened.listen(port).catch((error: Error) => {
    throw new Unusable(`cannot listen on port ${port}: ${messageOf(error)}`);
  });
  if (values.json) process.stdout.write(`${JSON.stringify({ ...at, pid: process.pid })}\n`);
  else {
    process.stdout.write(`${at.url}\n`);
    process.stderr.write(`${document.name} is open. Press Ctrl+C to stop.\n`);
    if (!values["no-browser"]) browse(at.url);
  }
  await shutdownSignal();
  await opened.close();
  return 0;
}

/** Returns the execution of an ARN or a file. Throws Unusable. */
async function documentOf(what: string, execution: string | undefined): Promise<RecordedDocument> {
  if (execution !== undefined) return documentIn(what, execution);
  if (what.startsWith("arn:")) {
    const [{ targetOf }, { fetchExecution }] = await Promise.all([import("./fetch/target.ts"), import("./fetch/collect.ts")]);
    const { account, arn, kind } = targetOf(what);
    if (kind === "stateMachine")
      throw new Unusable(`${arn} is a state machine: open takes an execution; stepglass fetch brings many`, { usage: true });
    // The debugger shows the execution itself, so its Map Runs are not fetched.
    const run = await fetchExecution(account, arn, { failed: false, limit: 0 });
    // Files contain times as texts, while the SDK returns Dates.
    return documentOfFetched(JSON.parse(JSON.stringify(run)));
  }
  return readRecording(what);
}

/** Returns another execution of a file. Throws Unusable. */
function documentIn(file: string, name: string): RecordedDocument {
  if (!file.endsWith(EXTENSION)) throw new Unusable("--execution takes an execution of a file of stepglass fetch", { usage: true });
  const run = readRun(file);
  const found = executionIn(run, name);
  if (found !== undefined) return documentOfRun(found, file);
  const names = executionsOf(run)
    .slice(1)
    .map(({ execution }) => String(execution.name ?? execution.executionArn));
  const known =
    names.length === 0 ? "it has no other execution" : `it has ${names.slice(0, 10).join(", ")}${names.length > 10 ? " …" : ""}`;
  throw new Unusable(`${file} has no execution ${JSON.stringify(name)}: ${known}`);
}

/** Opens an address in the browser. On a machine without a browser nothing happens; the address is printed anyway. */
function browse(url: string): void {
  const [program, ...args] =
    process.platform === "darwin" ? ["open", url] : process.platform === "win32" ? ["explorer.exe", url] : ["xdg-open", url];
  spawn(String(program), args, { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
