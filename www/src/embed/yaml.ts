// Reads definitions in YAML. It is loaded with the first one, because the worker reads only JSON.

export { yaml } from "../../../js/core/definition/yaml-syntax.ts";
