// The compressed tables, as scripts/compressed-json.mjs provides them to the builds. README.md describes them.

declare module "*/actions.json.gz" {
  const services: readonly Readonly<Record<string, string>>[];
  export default services;
}

declare module "*/parameters.json.gz" {
  const services: readonly (readonly string[])[];
  export default services;
}
