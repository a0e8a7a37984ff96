// The entry `stepglass/yaml`: YAML for `language.edit()`.

export { yaml } from "../definition/yaml-syntax.ts";
