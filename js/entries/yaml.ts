// The entry `stepglass/yaml`: YAML for `language.edit()`.

export { yaml } from "../core/definition/yaml-syntax.ts";
