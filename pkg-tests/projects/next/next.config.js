import { resolve } from "node:path";

// Next itself is installed in a folder above.
const root = resolve(process.cwd(), "../..");

export default { turbopack: { root }, outputFileTracingRoot: root };
