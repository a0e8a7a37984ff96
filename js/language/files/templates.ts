// Returns the state machines of a file, or of a folder that `cdk synth` has written, including those of nested templates.

import { existsSync, readdirSync } from "node:fs";
import { isObject } from "../../core/base/json.ts";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { assemblyOf, isManifest } from "../sources/assembly.ts";
import { exportsOf, isCloudFormation, machinesOfTemplate, nestedTemplates } from "../sources/cloudformation.ts";
import type { Known, Machine, Skipped, FileAccess, Values } from "../sources/template-machine.ts";
import { machinesOf } from "../sources/find-machines.ts";
import { machinesOfConfiguration } from "../sources/terraform.ts";
import { valueOf } from "./document.ts";
import { isFolder, read } from "./reading.ts";

/** Maximum nesting depth of templates. */
const DEPTH = 8;
const MANIFEST = "manifest.json";

/** Returns a path relative to the folder of the file that names it. */
export function siblingPath(file: string, path: string): string {
  return isAbsolute(path) ? path : join(dirname(file), path);
}

/** Returns access to the files near a file. */
function fileAccess(file: string): FileAccess {
  const text = (path: string) => {
    try {
      return read(siblingPath(file, path));
    } catch {
      return undefined;
    }
  };
  return {
    text,
    value: (path) => {
      const content = text(path);
      try {
        return content === undefined ? undefined : valueOf(path, content);
      } catch {
        return undefined;
      }
    },
    exists: (path) => existsSync(siblingPath(file, path)),
    siblings: (folder) => {
      try {
        if (folder !== undefined) return readdirSync(siblingPath(file, folder)).sort();
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

/** Returns whether a file is in Terraform's own language. */
export function isHcl(file: string): boolean {
  return /\.tf$/i.test(file);
}

/** Returns the folder of an assembly, given the folder or its manifest. Undefined if it is not one. */
export function assemblyFolder(path: string): string | undefined {
  const folder = basename(path) === MANIFEST ? dirname(path) : path;
  if (path === "-" || !isFolder(folder) || !existsSync(join(folder, MANIFEST))) return undefined;
  return isManifest(fileAccess(join(folder, MANIFEST)).value?.(MANIFEST)) ? folder : undefined;
}

/**
 * Returns the state machines, by id, of a file and of the templates that it deploys. Undefined if it is not a template. Parts that
 * may contain others and are not read are added to `skipped`.
 */
export function machinesIn(file: string, value: unknown, defined: Values, skipped: Skipped[] = []): Map<string, Machine> | undefined {
  const known = { defined, files: fileAccess(file), skipped };
  const machines = machinesOf(value, known);
  if (machines !== undefined && isCloudFormation(value))
    addNested(machines, { file, value, known, prefix: "", pseudo: {}, above: [resolve(file)] });
  return machines;
}

/** Returns the state machines of a file in Terraform's own language. */
export function machinesInHcl(file: string, text: string, defined: Values) {
  return machinesOfConfiguration(text, { defined, files: fileAccess(file) });
}

interface Template {
  file: string;
  value: unknown;
  known: Known;
  prefix: string;
  pseudo: Values;
  /** The files through which it is deployed. */
  above: string[];
}

function addNested(machines: Map<string, Machine>, { file, value, known, prefix, pseudo, above }: Template): void {
  if (above.length > DEPTH || !isCloudFormation(value)) return;
  for (const { name, path, pointer, parameters } of nestedTemplates(value, known, pseudo)) {
    const inner = siblingPath(file, path);
    if (above.includes(resolve(inner))) continue;
    const files = fileAccess(inner);
    const content = files.value?.(basename(inner));
    if (!isCloudFormation(content) || above.length === DEPTH) {
      const why = existsSync(inner) ? "cannot be read as one" : "is not there";
      known.skipped?.push({
        pointer: above.length === 1 ? pointer : "",
        message: `${prefix}${name} is not read: its template ${path} ${why}`,
      });
      continue;
    }
    // Positions in other templates are invalid in this one.
    const skipped: Skipped[] = [];
    const template: Template = {
      file: inner,
      value: content,
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

/** Returns the state machines of all stacks of an assembly, by the stack's name and their ids. */
export function machinesOfAssembly(folder: string, defined: Values, skipped: Skipped[] = []): Map<string, Machine> {
  const templates = templatesOf(folder, 0);
  // A stack may import what another one exports.
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
  const { stacks, folders } = assemblyOf(fileAccess(join(folder, MANIFEST)).value?.(MANIFEST));
  const own = stacks.map(({ name, path, account, region }): Template => {
    const file = join(folder, path);
    const files = fileAccess(file);
    const pseudo = { ...(account && { "AWS::AccountId": account }), ...(region && { "AWS::Region": region }) };
    return { file, value: files.value?.(basename(file)), known: { files }, prefix: `${name}/`, pseudo, above: [resolve(file)] };
  });
  const inner =
    depth < DEPTH ? folders.flatMap((name) => (assemblyFolder(join(folder, name)) ? templatesOf(join(folder, name), depth + 1) : [])) : [];
  return [...own, ...inner];
}
