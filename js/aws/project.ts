// The packages of the project in which this process runs.

import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * Loads a package from the project in the working directory. This is not an import, because bundlers would include the SDK's
 * clients.
 */
export async function fromProject(name: string): Promise<object> {
  return createRequire(join(process.cwd(), "index.js"))(name) as object;
}
