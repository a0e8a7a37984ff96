// Reads and writes messages of the Debug Adapter Protocol on streams: a header with the length, then JSON.

import type { ProtocolMessage } from "../../core/api/dap.d.ts";

/** Maximum size of a message in bytes. No editor sends a larger one. */
const LONGEST = 64 * 1024 * 1024;
const GAP = "\r\n\r\n";

/** Decodes bytes into messages. Throws if the bytes are not a message, because nothing after them could be decoded. */
export class MessageReader {
  #bytes: Buffer = Buffer.alloc(0);
  #listen: (message: ProtocolMessage) => void;

  constructor(listen: (message: ProtocolMessage) => void) {
    this.#listen = listen;
  }

  add(bytes: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#listen(next);
  }

  #next(): ProtocolMessage | undefined {
    const end = this.#bytes.indexOf(GAP);
    if (end < 0) {
      if (this.#bytes.length > 4096) throw new Error("the header of a message has no end");
      return undefined;
    }
    const header = this.#bytes.toString("latin1", 0, end);
    const length = Number(/^content-length: *(\d+)\s*$/im.exec(header)?.[1] ?? Number.NaN);
    if (!(length <= LONGEST)) throw new Error(`the header of a message needs a Content-Length of at most ${LONGEST}`);
    const start = end + GAP.length;
    if (this.#bytes.length < start + length) return undefined;
    const text = this.#bytes.toString("utf8", start, start + length);
    this.#bytes = this.#bytes.subarray(start + length);
    const message: unknown = JSON.parse(text);
    if (typeof message !== "object" || message === null) throw new Error("a message must be an object");
    return message as ProtocolMessage;
  }
}

/** Encodes a message. */
export function written(message: ProtocolMessage): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}${GAP}${text}`;
}
