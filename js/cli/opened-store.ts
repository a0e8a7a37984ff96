// Opens the data of a server or a Runtime, for commands that show or change it without running anything.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Codec, Store } from "../core/api/durable.d.ts";
import { codeOf, messageOf } from "../core/base/errors.ts";
import { Unusable } from "../language/files/problem.ts";
import type { Service } from "../server/service.ts";

/** Opens the store of a folder, of an SQLite file or of a PostgreSQL database. `codecs` is a module. Throws Unusable. */
export async function openedStore(
  data: string,
  { reads, codecs, creates = false }: { reads: boolean; codecs: string | undefined; creates?: boolean },
): Promise<Service> {
  const [{ Service }, { findData }, { StandbyRouter }] = await Promise.all([
    import("../server/service.ts"),
    import("../server/storage/data.ts"),
    import("../server/executions/standby.ts"),
    import("../entries/server.ts"),
  ]);
  try {
    const store = findData(data, { reads, creates });
    const service = new Service({
      store: codecs === undefined ? store : await decoding(store, codecs),
      router: (made) => new StandbyRouter(made),
    });
    await service.open();
    await service.resume({ standby: true, reads });
    return service;
  } catch (error) {
    if (codeOf(error) === "STORE_CONFLICT")
      throw new Unusable(
        `a server or a Runtime has ${data} open, so only list, show, verify, export and backup work here: ask the server, on its page /debugger/ or with aws stepfunctions --endpoint-url and the URL that it has printed`,
      );
    throw String(codeOf(error)).startsWith("STORE_") ? new Unusable(messageOf(error)) : error;
  }
}

/** Returns a store with the codecs of a module. */
async function decoding(store: Store, file: string): Promise<Store> {
  const [{ encoded }, module] = await Promise.all([
    import("../runtime/store/encoded.ts"),
    import(pathToFileURL(resolve(file)).href).catch((error: unknown) => {
      throw new Unusable(`cannot load the codecs of ${file}: ${messageOf(error)}`);
    }),
  ]);
  const { default: codecs } = module as { default?: unknown };
  if (!Array.isArray(codecs)) throw new Unusable(`${file} has no list of codecs as its default export`);
  return encoded(store, codecs as Codec[]);
}
