// The packages of the project in which this process runs.

import { createRequire } from "node:module";
import { join } from "node:path";

/** Loads a package of the project in the working directory. A bundler would follow an import, and the SDK's clients are not ours to bundle. */
export async function fromProject(name: string): Promise<object> {
  return createRequire(join(process.cwd(), "index.js"))(name) as object;
}
