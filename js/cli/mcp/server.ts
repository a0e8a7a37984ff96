// The MCP server: tools, resources and prompts, on standard input and output.

import { version } from "../../core/definition/definition.ts";
import { firstLine, say, stackOf } from "../../language/files/problem.ts";
import { convertTool } from "./convert.ts";
import { messageFor } from "./definitions.ts";
import { graphTool } from "./graph.ts";
import { historyTool } from "./history.ts";
import { Cutter, type Limits } from "./limits.ts";
import { prompts } from "./prompts.ts";
import { McpServer, ResourceTemplate, StdioServerTransport, object, type CallToolResult } from "./protocol.ts";
import { STATE_TYPES, exampleDocument, examples, machineDocumentation, stateDocumentation } from "./resources.ts";
import { runTool } from "./run.ts";
import { testTool } from "./test.ts";
import type { Tool } from "./tool.ts";
import { validateTool } from "./validate.ts";

/** The settings of a server. */
export interface Settings {
  limits: Limits;
  /** Whether test files may name modules of code. */
  modules: boolean;
}

/** Maximum size of a message in bytes. Larger data is passed as a file. */
const MESSAGE_BYTES = 64 * 1024 * 1024;

const TOOLS: Tool[] = [validateTool, runTool, testTool, historyTool, graphTool, convertTool];

const INSTRUCTIONS = `Stepglass validates, runs, tests and explains AWS Step Functions state machines (Amazon States Language) on this machine. Nothing is sent anywhere, no service is called and no file is written. Paths are relative to the server's folder. Validate a definition before you run it. An answer that leaves something out says so in "cut".`;

/** Serves until the client disconnects. Resolves to the exit code. */
export async function serve(settings: Settings): Promise<number> {
  // Standard output belongs to the protocol, so what the code of tests prints goes to standard error.
  for (const name of ["log", "info", "debug", "dir", "table"] as const) console[name] = console.error;
  const server = new McpServer(
    { name: "stepglass", title: "Stepglass", version: version() },
    { instructions: INSTRUCTIONS, maxToolInputElements: 1_000_000 },
  );
  for (const tool of TOOLS) registerTool(server, tool, settings);
  registerResources(server);
  registerPrompts(server);
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MESSAGE_BYTES });
  const code = await new Promise<number>((done) => {
    process.stdin.once("end", () => done(0));
    process.stdin.once("close", () => done(0));
    // Input that is not a message is ignored, as the protocol requires. After a message that is too large, nothing can be read.
    server.server.onerror = (error) => say(firstLine(error));
    server.server.onclose = () => done(2);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => done(0));
    server.connect(transport).catch((error: unknown) => {
      say(firstLine(error));
      done(70);
    });
  });
  server.server.onclose = () => {};
  await server.close();
  return code;
}

function registerTool(server: McpServer, tool: Tool, { limits, modules }: Settings): void {
  const { name, title, description } = tool;
  // The code of tests may do anything.
  const readOnlyHint = !(tool === testTool && modules);
  const annotations = { title, readOnlyHint, destructiveHint: !readOnlyHint, idempotentHint: readOnlyHint, openWorldHint: !readOnlyHint };
  // An unknown argument is an error of the client. It is reported, not ignored.
  const shapes = { inputSchema: object(tool.input).strict(), outputSchema: object(tool.output) };
  server.registerTool(name, { title, description, ...shapes, annotations }, async (given, { signal }) => {
    const cut = new Cutter();
    try {
      const { text, data, document } = await tool.call(given, { limits, cut, signal, modules });
      return answered(text, { ...data, cut: cut.notes }, document);
    } catch (error) {
      return failed(error);
    }
  });
}

function answered(
  text: string,
  data: Record<string, unknown>,
  document: { uri: string; mimeType: string; text: string } | undefined,
): CallToolResult {
  const left = data.cut as string[];
  const whole = left.length === 0 ? text : `${text}\n\nLeft out: ${left.join("; ")}.`;
  return {
    content: [{ type: "text", text: whole }, ...(document === undefined ? [] : [{ type: "resource" as const, resource: document }])],
    structuredContent: data,
  };
}

function failed(error: unknown): CallToolResult {
  const problem = messageFor(error) ?? misuse(error);
  if (problem === undefined && process.env.STEPGLASS_STACK) process.stderr.write(`${stackOf(error)}\n`);
  return {
    isError: true,
    content: [{ type: "text", text: problem ?? `internal error in Stepglass, please report it: ${firstLine(error)}` }],
  };
}

/** Returns the message of an error of this package. It has a code and says what to do. */
function misuse(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && error.code !== "INTERNAL" ? error.message : undefined;
}

function registerResources(server: McpServer): void {
  const markdown = "text/markdown";
  const answer = (uri: URL, text: string) => ({ contents: [{ uri: uri.href, mimeType: markdown, text }] });
  server.registerResource(
    "machine",
    "stepglass://language/machine",
    {
      title: "Amazon States Language",
      description: "The fields of a machine, the query languages and their functions.",
      mimeType: markdown,
    },
    (uri) => answer(uri, machineDocumentation()),
  );
  const complete = (names: readonly string[]) => (begun: string) =>
    names.filter((name) => name.toLowerCase().startsWith(begun.toLowerCase()));
  server.registerResource(
    "state type",
    new ResourceTemplate("stepglass://language/{type}", {
      list: () => ({
        resources: STATE_TYPES.map((type) => ({
          uri: `stepglass://language/${type}`,
          name: type,
          title: `${type} state`,
          mimeType: markdown,
        })),
      }),
      complete: { type: complete(STATE_TYPES) },
    }),
    { title: "State types", description: "The fields of a state by its type, in JSONPath and JSONata.", mimeType: markdown },
    (uri, { type }) => answer(uri, stateDocumentation(String(type))),
  );
  server.registerResource(
    "example",
    new ResourceTemplate("stepglass://examples/{name}", {
      list: () => ({
        resources: examples().map(({ name, title, lesson }) => ({
          uri: `stepglass://examples/${name}`,
          name,
          title,
          description: lesson,
          mimeType: markdown,
        })),
      }),
      complete: { name: (begun) => complete(examples().map(({ name }) => name))(begun) },
    }),
    { title: "Examples", description: "Machines that each teach one thing, with inputs.", mimeType: markdown },
    (uri, { name }) => answer(uri, exampleDocument(String(name))),
  );
}

function registerPrompts(server: McpServer): void {
  for (const { name, title, description, args, text } of prompts) {
    server.registerPrompt(name, { title, description, argsSchema: args }, (given) => ({
      messages: [{ role: "user", content: { type: "text", text: text(given as Record<string, string>) } }],
    }));
  }
}
