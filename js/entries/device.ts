// Random bytes from the device of the system. Node loads all of its cryptography at the first use of `crypto`, which takes 4 ms of
// CPU.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const DEVICE = "/dev/urandom";
/** Deno would ask the user for permission to read the device. Deno and Bun have `crypto` already loaded. */
const isNode = !("deno" in process.versions || "bun" in process.versions);

/** Fills an array with random bytes that cannot be guessed. */
export function fillFromSystem(bytes: Uint8Array<ArrayBuffer>): void {
  if (!isNode || process.platform === "win32" || !readDevice(bytes)) crypto.getRandomValues(bytes);
}

/** Returns whether the device exists and has filled all bytes. */
function readDevice(bytes: Uint8Array): boolean {
  let device: number | undefined;
  try {
    device = openSync(DEVICE, "r");
    return fstatSync(device).isCharacterDevice() && readSync(device, bytes) === bytes.length;
  } catch {
    // A process may lack the device, or the permission to read it.
    return false;
  } finally {
    if (device !== undefined) closeSync(device);
  }
}
