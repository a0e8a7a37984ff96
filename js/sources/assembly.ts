// What `cdk synth` writes: a manifest of stacks, each with a template, and of assemblies in folders of their own.

import { isObject } from "../base/json.ts";
import { members } from "./machine.ts";

/** A stack of an assembly. */
export interface Stack {
  /** Its path: `Shop`, or `Prod/Shop` of a stage. */
  name: string;
  /** Its template, from the folder of the manifest. */
  path: string;
  account?: string;
  region?: string;
}

interface Assembly {
  stacks: Stack[];
  /** The folders of the assemblies in it. */
  folders: string[];
}

/** Whether a parsed document is the manifest of an assembly. */
export function isManifest(value: unknown): boolean {
  return isObject(value) && typeof value.version === "string" && isObject(value.artifacts);
}

/** What a manifest says. */
export function assemblyOf(manifest: unknown): Assembly {
  const assembly: Assembly = { stacks: [], folders: [] };
  for (const [id, artifact] of Object.entries(members(members(manifest).artifacts))) {
    const { type, properties, environment, displayName } = members(artifact);
    const { templateFile, directoryName } = members(properties);
    if (type === "cdk:cloud-assembly" && typeof directoryName === "string") assembly.folders.push(directoryName);
    if (type !== "aws:cloudformation:stack" || typeof templateFile !== "string") continue;
    // aws://unknown-account/unknown-region where the author has not said.
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
