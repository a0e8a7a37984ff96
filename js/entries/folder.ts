// The entry `stepglass/node`: functions that need Node's own modules.

export { parseYaml } from "../definition/yaml.ts";
export { readDefinition } from "../files/definition.ts";
export { folder } from "../files/folder.ts";
export { findServiceModels } from "../files/models.ts";
