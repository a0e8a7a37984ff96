// The state machines that a file has, or a folder that `cdk synth` has written, with the templates that they deploy.

import { existsSync, readdirSync } from "node:fs";
import { isObject } from "../base/json.ts";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { assemblyOf, isManifest } from "../sources/assembly.ts";
import { exportsOf, isCloudFormation, machinesOfTemplate, nestedTemplates } from "../sources/cloudformation.ts";
import type { Known, Machine, Skipped, Surroundings, Values } from "../sources/machine.ts";
import { machinesOf } from "../sources/machines.ts";
import { machinesOfConfiguration } from "../sources/terraform.ts";
import { valueOf } from "./document.ts";
import { isFolder, read } from "./reading.ts";

/** Templates in one another. */
const DEPTH = 8;
const MANIFEST = "manifest.json";

/** A path as a source names it: from the folder of the file that names it. */
export function beside(file: string, path: string): string {
  return isAbsolute(path) ? path : join(dirname(file), path);
}

/** The files around a file. */
export function surroundings(file: string): Surroundings {
  const text = (path: string) => {
    try {
      return read(beside(file, path));
    } catch {
      return undefined;
    }
  };
  return {
    text,
    value: (path) => {
      const held = text(path);
      try {
        return held === undefined ? undefined : valueOf(path, held);
      } catch {
        return undefined;
      }
    },
    exists: (path) => existsSync(beside(file, path)),
    siblings: (folder) => {
      try {
        if (folder !== undefined) return readdirSync(beside(file, folder)).sort();
        return file === "-"
          ? []
          : readdirSync(dirname(file))
              .filter((name) => name !== basename(file))
              .sort();
      } catch {
        return [];
      }
    },
  };
}

/** Whether a file is in Terraform's own language. */
export function isHcl(file: string): boolean {
  return /\.tf$/i.test(file);
}

/** The folder of an assembly, by its name or that of its manifest; undefined if it is none. */
export function assemblyFolder(path: string): string | undefined {
  const folder = basename(path) === MANIFEST ? dirname(path) : path;
  if (path === "-" || !isFolder(folder) || !existsSync(join(folder, MANIFEST))) return undefined;
  return isManifest(surroundings(join(folder, MANIFEST)).value?.(MANIFEST)) ? folder : undefined;
}

/**
 * The state machines of a file by their ids, and of what it deploys; undefined if it is no template. `skipped` gets what may have others
 * and is not read.
 */
export function machinesIn(file: string, value: unknown, defined: Values, skipped: Skipped[] = []): Map<string, Machine> | undefined {
  const known = { defined, files: surroundings(file), skipped };
  const machines = machinesOf(value, known);
  if (machines !== undefined && isCloudFormation(value))
    addNested(machines, { file, value, known, prefix: "", pseudo: {}, above: [resolve(file)] });
  return machines;
}

/** The state machines of a file in Terraform's own language. */
export function machinesInHcl(file: string, text: string, defined: Values) {
  return machinesOfConfiguration(text, { defined, files: surroundings(file) });
}

interface Template {
  file: string;
  value: unknown;
  known: Known;
  prefix: string;
  pseudo: Values;
  /** The files that it is deployed by. */
  above: string[];
}

function addNested(machines: Map<string, Machine>, { file, value, known, prefix, pseudo, above }: Template): void {
  if (above.length > DEPTH || !isCloudFormation(value)) return;
  for (const { name, path, pointer, parameters } of nestedTemplates(value, known, pseudo)) {
    const inner = beside(file, path);
    if (above.includes(resolve(inner))) continue;
    const files = surroundings(inner);
    const held = files.value?.(basename(inner));
    if (!isCloudFormation(held) || above.length === DEPTH) {
      const why = existsSync(inner) ? "cannot be read as one" : "is not there";
      known.skipped?.push({
        pointer: above.length === 1 ? pointer : "",
        message: `${prefix}${name} is not read: its template ${path} ${why}`,
      });
      continue;
    }
    // Places in other templates are none in this one.
    const skipped: Skipped[] = [];
    const template: Template = {
      file: inner,
      value: held,
      known: { defined: { ...parameters, ...known.defined }, files, skipped },
      prefix: `${prefix}${name}/`,
      pseudo,
      above: [...above, resolve(inner)],
    };
    addTemplate(machines, template);
    known.skipped?.push(...skipped.map(({ message }) => ({ pointer: above.length === 1 ? pointer : "", message: `${path}: ${message}` })));
  }
}

function addTemplate(machines: Map<string, Machine>, template: Template): void {
  if (!isCloudFormation(template.value)) {
    // A stack without resources has no state machine.
    if (isObject(template.value)) return;
    const problem = `its template ${template.file} cannot be read`;
    const name = template.prefix.slice(0, -1);
    machines.set(name, { name, type: undefined, substitutions: {}, resource: "", definition: { in: "nothing", problem } });
    return;
  }
  for (const [id, machine] of machinesOfTemplate(template.value, template.known, template.pseudo))
    machines.set(`${template.prefix}${id}`, {
      ...machine,
      aliases: (machine.aliases ?? []).flatMap((alias) => [alias, `${template.prefix}${alias}`]),
      file: template.file,
    });
  addNested(machines, template);
}

/** The state machines of all stacks of an assembly, by the stack's name and their ids. */
export function machinesOfAssembly(folder: string, defined: Values, skipped: Skipped[] = []): Map<string, Machine> {
  const templates = templatesOf(folder, 0);
  // What one stack exports, another one imports.
  const exported: Values = Object.assign(
    {},
    ...templates.map(({ value, known, pseudo }) => (isCloudFormation(value) ? exportsOf(value, known, pseudo) : {})),
  );
  const machines = new Map<string, Machine>();
  for (const template of templates)
    addTemplate(machines, { ...template, known: { ...template.known, skipped, defined: { ...exported, ...defined } } });
  return machines;
}

function templatesOf(folder: string, depth: number): Template[] {
  const { stacks, folders } = assemblyOf(surroundings(join(folder, MANIFEST)).value?.(MANIFEST));
  const own = stacks.map(({ name, path, account, region }): Template => {
    const file = join(folder, path);
    const files = surroundings(file);
    const pseudo = { ...(account && { "AWS::AccountId": account }), ...(region && { "AWS::Region": region }) };
    return { file, value: files.value?.(basename(file)), known: { files }, prefix: `${name}/`, pseudo, above: [resolve(file)] };
  });
  const inner =
    depth < DEPTH ? folders.flatMap((name) => (assemblyFolder(join(folder, name)) ? templatesOf(join(folder, name), depth + 1) : [])) : [];
  return [...own, ...inner];
}
