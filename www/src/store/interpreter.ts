// The interpreter's worker and the frame of the task handlers, as the page sees them.

import { signal } from "@preact/signals";
import { Client } from "../client.ts";
import type { Note } from "../model/protocol.ts";
import { type Loaded, Sandbox } from "../sandbox.ts";
import { console, mockProblems } from "./execution.ts";
import { showAlarm } from "./notifications.ts";

export const engine = signal<"loading" | "ready" | "broken">("loading");
export const engineMessage = signal("");
export const engineVersion = signal("");

/** The handlers of the interpreter's notes, and of the loss of its worker with the reason. The runner sets them. */
export const noteHandlers: { heard(note: Note): void; lost(why: string): void } = { heard() {}, lost() {} };

export const client = new Client(
  (note) => noteHandlers.heard(note),
  (why) => noteHandlers.lost(why),
);

export const query = client.call.bind(client);

export const sandbox = new Sandbox(
  (message) => {
    console.value = [...console.value, { level: "error", text: message }];
    showAlarm(message);
    void client.call("handlersDied", { message });
  },
  (problems) => (mockProblems.value = problems),
);

/** Connects the interpreter to the handlers that were loaded. */
export function useSandbox({ port, problems }: Loaded): void {
  client.connect(port);
  mockProblems.value = problems;
}
