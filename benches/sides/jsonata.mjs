// The peer of expressions: jsonata-js of the version that AWS runs. Each expression is compiled once.
import { readFileSync } from "node:fs";
import jsonata from "../peer/node_modules/jsonata/jsonata.js";

const { version } = JSON.parse(readFileSync(new URL("../peer/node_modules/jsonata/package.json", import.meta.url), "utf8"));

export const versions = () => ({ package: version, node: process.versions.node });

export const prepare = ({ expression, input, times }) => ({ compiled: jsonata(expression), input, bindings: { states: { input } }, times });

export async function run({ compiled, input, bindings, times }) {
  let value;
  for (let i = 0; i < times; i++) value = await compiled.evaluate(input, bindings);
  return value;
}
