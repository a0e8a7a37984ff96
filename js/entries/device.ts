// Random bytes from the system's device. Node loads all of its cryptography with the first use of `crypto`, which takes 4 ms of CPU.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const DEVICE = "/dev/urandom";
/** Deno would ask somebody for the permission to read the device; it and Bun have `crypto` at hand. */
const isNode = !("deno" in process.versions || "bun" in process.versions);

/** Fills bytes with random ones, which nobody can guess. */
export function fillFromSystem(bytes: Uint8Array<ArrayBuffer>): void {
  if (!isNode || process.platform === "win32" || !readDevice(bytes)) crypto.getRandomValues(bytes);
}

/** Whether the device is there and has filled all bytes. */
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
