// A workspace in the address: `#v1.` and base64url of deflated JSON. The part after the hash is never sent anywhere.

export interface Workspace {
  title: string;
  format: "json" | "yaml";
  definition: string;
  input: string;
  tasks: string;
  clock: "skip" | "real" | "x10" | "x60";
  seed: number;
}

/// How large an address may unfold: a link is no reason to fill the memory.
const MAX_BYTES = 2 * 1024 * 1024;

export async function encode(workspace: Workspace): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify({ t: workspace.title, f: workspace.format, d: workspace.definition, i: workspace.input, k: workspace.tasks, c: workspace.clock, s: workspace.seed }));
  const packed = await collect(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")), Infinity);
  let binary = "";
  for (let i = 0; i < packed.length; i += 8192) binary += String.fromCharCode(...packed.subarray(i, i + 8192));
  return `#v1.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/// Throws an Error that says what is wrong with a link.
export async function decode(hash: string): Promise<Workspace> {
  const match = /^#?v(\d+)\.(.*)$/s.exec(hash);
  if (!match) throw new Error("The address holds no workspace of this page.");
  if (match[1] !== "1") throw new Error(`The link is of version ${match[1]}, which this page does not know. Is there a newer one?`);
  let value: unknown;
  try {
    const binary = atob(match[2]!.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const bytes = await collect(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")), MAX_BYTES);
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof RangeError) throw new Error("The link unfolds to more than 2 MB and was not opened.");
    throw new Error("The link is damaged or cut off: it cannot be unpacked.");
  }
  return workspaceOf(value);
}

/// Checks a value from outside and fills in what is absent.
export function workspaceOf(value: unknown): Workspace {
  if (typeof value !== "object" || value === null) throw new Error("The link holds no workspace.");
  const from = value as Record<string, unknown>;
  const text = (key: string): string => {
    const held = from[key] ?? "";
    if (typeof held !== "string") throw new Error("The link holds no workspace: a text in it is none.");
    return held;
  };
  const clock = from["c"];
  const seed = from["s"];
  return {
    title: text("t").slice(0, 200) || "Untitled",
    format: from["f"] === "yaml" ? "yaml" : "json",
    definition: text("d"),
    input: text("i"),
    tasks: text("k"),
    clock: clock === "real" || clock === "x10" || clock === "x60" ? clock : "skip",
    seed: typeof seed === "number" && Number.isSafeInteger(seed) && seed >= 0 ? seed : 1,
  };
}

async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      void reader.cancel();
      throw new RangeError("too large");
    }
    parts.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
