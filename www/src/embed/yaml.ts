// Definitions in YAML, loaded with the first one: the worker knows JSON.

export { yaml } from "../../../js/definition/yaml-syntax.ts";
