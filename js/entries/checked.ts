// Compares the declarations of the entries with their sources. Only the compiler reads this module: an error here means that a
// declaration contradicts its source.

/** The type that a source must have for its declaration. Of a class with a private constructor, only the instances are compared. */
type Declared<Entry> = { [Name in keyof Entry]: Instances<Entry[Name]> };

type Instances<Export> = Export extends ((...given: never[]) => unknown) | (abstract new (...given: never[]) => unknown)
  ? Export
  : Export extends { prototype: infer Instance }
    ? { prototype: Instance }
    : Export;

/**
 * A declaration and its source. The source must export everything that is declared, accept what the declaration accepts and return
 * what it returns.
 */
type Checked<Entry, Source extends Declared<Entry> & OnlyDeclared<Entry, Source>> = [Entry, Source];

/** Exports of a source that are not declared. There must be none. */
type OnlyDeclared<Entry, Source> = { [Name in Exclude<keyof Source, keyof Entry>]: never };

export type Testing = Checked<typeof import("../core/api/testing.d.ts"), typeof import("./testing.ts")>;
export type Aws = Checked<typeof import("../core/api/aws.d.ts"), typeof import("./aws.ts")>;
export type Server = Checked<typeof import("../core/api/server.d.ts"), typeof import("./server.ts")>;
export type Folder = Checked<typeof import("../core/api/folder.d.ts"), typeof import("./folder.ts")>;
export type AslValidator = Checked<typeof import("../core/api/asl-validator.d.ts"), typeof import("./asl-validator.ts")>;
export type HostTests = Checked<typeof import("../core/api/host-tests.d.ts"), typeof import("./host-tests.ts")>;
export type Index = Checked<typeof import("../core/api/index.d.ts"), typeof import("./index.ts")>;
export type Debug = Checked<typeof import("../core/api/debug.d.ts"), typeof import("./debug.ts")>;
export type Dap = Checked<typeof import("../core/api/dap.d.ts"), typeof import("./dap.ts")>;
export type IndexedDB = Checked<typeof import("../core/api/indexeddb.d.ts"), typeof import("./indexeddb.ts")>;
export type Yaml = Checked<typeof import("../core/api/yaml.d.ts"), typeof import("./yaml.ts")>;
export type Integrations = Checked<typeof import("../core/api/integrations.d.ts"), typeof import("./integrations.ts")>;
export type Postgres = Checked<typeof import("../core/api/postgres.d.ts"), typeof import("./postgres.ts")>;
export type Sqlite = Checked<typeof import("../core/api/sqlite.d.ts"), typeof import("./sqlite.ts")>;
export type Durable = Checked<typeof import("../core/api/durable.d.ts"), typeof import("./durable.ts")>;
export type Restate = Checked<typeof import("../core/api/restate.d.ts"), typeof import("./restate.ts")>;
export type Pool = Checked<typeof import("../core/api/pool.d.ts"), typeof import("./pool.ts")>;
export type Blobs = Checked<typeof import("../core/api/blobs.d.ts"), typeof import("./blobs.ts")>;
