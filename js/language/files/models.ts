// Finds installed models of AWS services: those of botocore, which every AWS CLI and boto3 contain, or of the npm package aws-sdk.

import { type Dirent, existsSync, openSync, readFileSync, readSync, closeSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { ServiceModelPackage } from "../../core/api/folder.d.ts";
import type { ServiceShape } from "../../core/api/index.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { sdkServices } from "../../core/integrations/catalogue.ts";
import { serviceName } from "../../core/integrations/names.ts";
import { responseOf } from "../../core/integrations/model.ts";
import type { ServiceModel } from "../../core/integrations/model.ts";

/** The model files of a package, by the service that a Resource names. */
interface ModelPackage {
  /** `botocore 1.44.5` */
  package: string;
  folder: string;
  fileOf(service: string): string | undefined;
}

/** Returns the models of AWS in a folder, or the ones that are installed on this machine. Undefined if there are none. */
export function findServiceModels(options: { folder?: string | URL } = {}): ServiceModelPackage | undefined {
  checkOptions(options, ["folder"], "findServiceModels()");
  const { folder } = options;
  if (folder !== undefined && typeof folder !== "string" && !(folder instanceof URL))
    throw misuse("INVALID_OPTION", `findServiceModels(): folder must be a path or a file URL, not ${shown(folder)}`);
  if (folder === undefined) {
    const models = first(installed(process.env, process.cwd()), modelsIn);
    return models && packageOf(models);
  }
  const path = resolve(folder instanceof URL ? fileURLToPath(folder) : folder);
  const models = first(
    [path, join(path, "data"), join(path, "botocore", "data"), join(path, "apis"), join(path, "aws-sdk", "apis")],
    modelsIn,
  );
  if (models === undefined)
    throw misuse(
      "UNUSABLE_FILE",
      `${path} has no models of AWS: name the folder data of botocore, or apis of the npm package aws-sdk`,
      Error,
    );
  return packageOf(models);
}

/** Returns the shapes of responses from a package. Each model is read once. */
function packageOf(source: ModelPackage): ServiceModelPackage {
  const models = new Map<string, ServiceModel | undefined>();
  const answers = new Map<string, ServiceShape | undefined>();
  const shapeOf = (service: string, action: string): ServiceShape | undefined => {
    const key = `${service} ${action}`;
    if (answers.has(key)) return answers.get(key);
    const response = responseOf(service, action, (sdk) => {
      if (!models.has(sdk)) {
        const file = source.fileOf(sdk);
        models.set(sdk, file === undefined ? undefined : modelIn(file));
      }
      return models.get(sdk);
    });
    answers.set(key, response);
    return response;
  };
  return Object.assign(shapeOf, { package: source.package, folder: source.folder });
}

/** Reads a model of botocore or aws-sdk. */
function modelIn(file: string): ServiceModel {
  const bytes = readFileSync(file);
  return JSON.parse((file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8"));
}

/** Finds models in a folder: botocore's `data` or aws-sdk's `apis`. */
function modelsIn(folder: string): ModelPackage | undefined {
  const entries = entriesOf(folder);
  const folders = new Map(entries.flatMap((entry) => (entry.isDirectory() ? [[entry.name.replaceAll("-", ""), entry.name] as const] : [])));
  if (folders.has("lambda") && newestIn(join(folder, "lambda")) !== undefined) {
    return {
      package: `botocore ${versionOf(join(folder, "..", "__init__.py"), /__version__ = ['"]([^'"]+)/)}`,
      folder,
      fileOf(service) {
        const name = folders.get(sdkServices.find(({ name }) => name === service)?.folder ?? service);
        return name === undefined ? undefined : newestIn(join(folder, name));
      },
    };
  }
  const minified = entries.filter(({ name }) => name.endsWith(".min.json")).map(({ name }) => name);
  if (!minified.some((name) => name.startsWith("lambda-"))) return undefined;
  let byService: Map<string, string> | undefined;
  return {
    package: `aws-sdk ${versionOf(join(folder, "..", "package.json"), /"version": "([^"]+)/)}`,
    folder,
    // The last version of a service is the newest.
    fileOf: (service) =>
      (byService ??= new Map(
        minified.sort().flatMap((name) => {
          const id = /"serviceId":\s*"([^"]+)"/.exec(beginningOf(join(folder, name)))?.[1];
          return id === undefined ? [] : [[serviceName(id), join(folder, name)]];
        }),
      )).get(service),
  };
}

/** Returns the newest model in a service's folder. */
function newestIn(folder: string): string | undefined {
  const versions = entriesOf(folder).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  return first(versions.sort().reverse(), (version) =>
    first(["service-2.json", "service-2.json.gz"], (name) => {
      const file = join(folder, version, name);
      return existsSync(file) ? file : undefined;
    }),
  );
}

/** Yields the folders where packages of models may be installed, the nearest first. */
function* installed(env: NodeJS.ProcessEnv, from: string): Generator<string> {
  if (env.STEPGLASS_MODELS) yield* [env.STEPGLASS_MODELS, join(env.STEPGLASS_MODELS, "botocore", "data")];
  const folders: string[] = [];
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    folders.push(folder);
    if (dirname(folder) === folder) break;
  }
  const environments = folders.flatMap((folder) => [".venv", "venv", "env"].map((name) => join(folder, name)));
  for (const prefix of [env.VIRTUAL_ENV, env.CONDA_PREFIX, ...environments]) if (prefix) yield* pythonData(prefix);
  for (const name of ["aws", "aws.exe", "python3", "python", "python.exe"]) {
    for (const folder of (env.PATH ?? env.Path ?? "").split(delimiter)) if (folder !== "") yield* besideProgram(join(folder, name));
  }
  const pyenv = join(env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions");
  for (const { name } of entriesOf(pyenv).reverse()) yield* pythonData(join(pyenv, name));
  yield* ["/usr/lib/python3/dist-packages/botocore/data", "/usr/lib/python3/dist-packages/awscli/botocore/data"];
  // This package has the shapes, but neither enumerations nor limits.
  for (const folder of folders) yield join(folder, "node_modules", "aws-sdk", "apis");
}

/** Yields folders near a program. The AWS CLI contains models, and a Python may have botocore. */
function* besideProgram(program: string): Generator<string> {
  let real: string;
  try {
    if (!statSync(program).isFile()) return;
    real = realpathSync(program);
  } catch {
    return;
  }
  for (const place of new Set([dirname(program), dirname(real)])) {
    yield join(place, "awscli", "botocore", "data");
    // The program is bin/python3 on Unix, and Scripts\\python.exe or python.exe on Windows. Homebrew has libexec/bin/aws.
    const prefix = /^(bin|scripts)$/i.test(basename(place)) ? dirname(place) : place;
    yield* pythonData(prefix);
    yield* pythonData(join(prefix, "libexec"));
  }
}

/** Yields the folders of models below the prefix of a Python. */
function* pythonData(prefix: string): Generator<string> {
  const packages = [join(prefix, "Lib", "site-packages")];
  for (const lib of ["lib", "lib64", join("local", "lib")]) {
    for (const { name } of entriesOf(join(prefix, lib)).reverse())
      if (/^python3/.test(name)) packages.push(join(prefix, lib, name, "site-packages"), join(prefix, lib, name, "dist-packages"));
  }
  for (const place of packages) yield* [join(place, "botocore", "data"), join(place, "awscli", "botocore", "data")];
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // A folder that cannot be read has no models.
    return [];
  }
}

function versionOf(file: string, pattern: RegExp): string {
  return (existsSync(file) && pattern.exec(readFileSync(file, "utf8"))?.[1]) || "of an unknown version";
}

/** Returns the first characters of a file, in which a model names its service. */
function beginningOf(file: string): string {
  const bytes = Buffer.alloc(2048);
  const descriptor = openSync(file, "r");
  try {
    return bytes.toString("utf8", 0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the first result that is not undefined. */
function first<Given, Found>(given: Iterable<Given>, find: (one: Given) => Found | undefined): Found | undefined {
  for (const one of given) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
