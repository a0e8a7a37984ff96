// Reads the output of `cdk synth`: a manifest of stacks, each with a template, and of assemblies in folders of their own.

import { isObject } from "../../core/base/json.ts";
import { members } from "./template-machine.ts";

/** A stack of an assembly. */
export interface Stack {
  /** The path: `Shop`, or `Prod/Shop` for a stage. */
  name: string;
  /** The path of its template, relative to the folder of the manifest. */
  path: string;
  account?: string;
  region?: string;
}

interface Assembly {
  stacks: Stack[];
  /** The folders of nested assemblies. */
  folders: string[];
}

/** Returns whether a parsed document is the manifest of an assembly. */
export function isManifest(value: unknown): boolean {
  return isObject(value) && typeof value.version === "string" && isObject(value.artifacts);
}

/** Reads a manifest. */
export function assemblyOf(manifest: unknown): Assembly {
  const assembly: Assembly = { stacks: [], folders: [] };
  for (const [id, artifact] of Object.entries(members(members(manifest).artifacts))) {
    const { type, properties, environment, displayName } = members(artifact);
    const { templateFile, directoryName } = members(properties);
    if (type === "cdk:cloud-assembly" && typeof directoryName === "string") assembly.folders.push(directoryName);
    if (type !== "aws:cloudformation:stack" || typeof templateFile !== "string") continue;
    // The environment is aws://unknown-account/unknown-region if the author has not set it.
    const [, account, region] = /^aws:\/\/(\d{12}|[^/]*)\/(.*)$/.exec(String(environment)) ?? [];
    assembly.stacks.push({
      name: typeof displayName === "string" ? displayName.replace(/ \(.*\)$/, "") : id,
      path: templateFile,
      ...(account && /^\d{12}$/.test(account) && { account }),
      ...(region && !region.startsWith("unknown") && { region }),
    });
  }
  return assembly;
}
