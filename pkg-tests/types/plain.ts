// Compiled with `lib: ["es2022"]` alone: with neither the DOM's types nor Node's.
import { Engine, ExecutionError, StateMachine, TaskError, init, s3Handlers, simulate } from "stepglass";
import { DebugSession } from "stepglass/debug";
import { Runtime } from "stepglass/durable";
import { indexedDB } from "stepglass/indexeddb";
import { folder } from "stepglass/node";
import { serve } from "stepglass/server";
import { sqlite } from "stepglass/sqlite";
import { testMachine } from "stepglass/testing";
import type { ErrorCode, PlatformSignal, TaskHandler } from "stepglass";

const add: TaskHandler = ({ x, y }, task) => {
  const signal: PlatformSignal = task.signal;
  signal.addEventListener("abort", () => {});
  if (signal.aborted) throw new TaskError("E", { any: "thing" }, { cause: signal.reason });
  return x + y;
};

export async function use(): Promise<void> {
  await init(new ArrayBuffer(8));
  const machine = new StateMachine("{}");
  const execution = machine.start({}, { tasks: { add, ...s3Handlers({ "a/b": "text" }) } });
  const result = await execution.result;
  if (result.status === "SUCCEEDED") void result.output;
  await execution[Symbol.asyncDispose]();
  new Engine(machine)[Symbol.dispose]();
  new DebugSession(machine);
  simulate("{}");
  testMachine("order.asl.json");
  folder(".");
  for (const store of [sqlite("orders.db"), indexedDB("orders")]) await new Runtime({ store, machines: {} })[Symbol.asyncDispose]();
  await (await serve({ port: 0 }))[Symbol.asyncDispose]();
  try {
    await machine.run();
  } catch (error) {
    if (error instanceof ExecutionError) {
      const code: ErrorCode = error.code;
      const text: string | undefined = error.errorCause;
      const thrown: unknown = error.cause;
      void [code, text, thrown];
    }
  }
}
