// A PostgreSQL server for tests. Its data and its socket are in a temporary folder, which is removed when the tests end.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folder with initdb and pg_ctl. Debian has a folder for each version, none of which is in PATH. */
export function programs() {
  const place = "/usr/lib/postgresql";
  const versions = existsSync(place) ? readdirSync(place).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(place, version, "bin")), ...(process.env.PATH ?? "").split(":")];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "pg_ctl")));
}

const modules = join(import.meta.dirname, "node_modules");

/** The package pg, which the set-up of the tests installs. */
export const pg = existsSync(join(modules, "pg")) ? createRequire(join(modules, "x.js"))("pg") : undefined;

/** Starts a server. Returns the configuration for its clients and the functions that control it. */
export function startServer() {
  const bin = programs();
  const folder = mkdtempSync(join(tmpdir(), "stepglass-pg-"));
  // PostgreSQL refuses to run as root.
  const root = process.getuid?.() === 0;
  const [user, group] = root ? ["postgres", "postgres"] : [];
  if (root) {
    execFileSync("chown", [`${user}:${group}`, folder]);
    chmodSync(folder, 0o755);
  }
  const run = (program, ...args) => {
    const command = [join(bin, program), ...args];
    const [first, ...rest] = root ? ["setpriv", `--reuid=${user}`, `--regid=${group}`, "--clear-groups", ...command] : command;
    execFileSync(first, rest, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  };
  const data = join(folder, "data");
  run("initdb", "-D", data, "-A", "trust", "-U", "tests", "-E", "UTF8", "--no-sync");
  const options = `-c listen_addresses='' -c unix_socket_directories='${folder}' -c max_connections=50`;
  run("pg_ctl", "-D", data, "-l", join(folder, "log"), "-o", options, "-w", "start");
  return {
    config: { host: folder, user: "tests", database: "postgres" },
    /** Stops the server as a crash does, so that it has to recover when it starts. */
    crash: () => run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop"),
    /** Starts the server without waiting until it has recovered. */
    begin: () => run("pg_ctl", "-D", data, "-l", join(folder, "log"), "-o", options, "-W", "start"),
    restart: () => run("pg_ctl", "-D", data, "-l", join(folder, "log"), "-o", options, "-w", "-m", "immediate", "restart"),
    stop: () => {
      run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
