import { resolve } from "node:path";

// Next itself is installed two folders above.
const root = resolve(process.cwd(), "../..");

export default { turbopack: { root }, outputFileTracingRoot: root };
