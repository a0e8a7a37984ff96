// The entry `stepglass/node`: functions that need Node's own modules.

export { parseYaml } from "../core/definition/yaml.ts";
export { readDefinition } from "../language/files/definition.ts";
export { folder } from "../language/files/folder.ts";
export { findServiceModels } from "../language/files/models.ts";
