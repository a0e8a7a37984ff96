// Launch configurations as plain data. Nothing here needs an editor.

/** The type of the extension's debug configurations. */
export const TYPE = "stepglass";

export interface Configuration {
  type: string;
  request: string;
  name: string;
  [argument: string]: any;
}

/** The arguments of a configuration that name a file, or several. */
const PATHS = ["definition", "test", "tasks", "mocks", "history", "machines"];

/** Returns the configuration for a document when there is no launch.json; undefined without a document. */
export function usualConfiguration(path: string | undefined): Configuration | undefined {
  if (path === undefined) return undefined;
  const name = decodeURIComponent(path.split(/[\\/]/).at(-1) ?? path);
  return { type: TYPE, request: "launch", name, definition: path, mocks: "generated" };
}

/** Splits `FILE#ID`. The id may contain `#`; a file whose name does must be given by its URI. */
export function splitId(text: string): [file: string, id: string | undefined] {
  const at = text.indexOf("#");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Returns a configuration whose paths are resolved: those that are relative are relative to the folder of the workspace. */
export function resolvedPaths<Given extends Configuration>(config: Given, inFolder: (path: string) => string): Given {
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (typeof value !== "string" || value === "") return value;
    const [file, id] = splitId(value);
    if (isAbsolute(file)) return value;
    return id === undefined ? inFolder(file) : `${inFolder(file)}#${id}`;
  };
  const paths: Record<string, unknown> = {};
  for (const name of PATHS) {
    const value: unknown = config[name];
    if (value === undefined || (name === "mocks" && value === "generated")) continue;
    paths[name] = resolved(value);
  }
  const { input } = config;
  if (typeof input === "string" && input.startsWith("@")) paths["input"] = `@${String(resolved(input.slice(1)))}`;
  return { ...config, ...paths };
}

/** Whether a path is absolute: on Unix, on Windows, or as a URI. */
function isAbsolute(path: string): boolean {
  return /^([\\/]|[a-z]:[\\/]|[a-z][\w+.-]+:)/i.test(path);
}
