// Installs what the tests of stores and of durable executions need: the packages of pkg-tests/store, and a PostgreSQL server if
// this machine can have one.
import { programs } from "../pkg-tests/store/postgres-server.mjs";
import { installIn } from "./setup.mjs";
import { output, run } from "./steps.mjs";

/** Installs what is missing. Without a PostgreSQL server its tests are skipped, and counted as skipped. */
export function setUpStores() {
  installIn("pkg-tests/store", "stores");
  if (programs() !== undefined) return;
  const canInstall = process.platform === "linux" && process.getuid() === 0 && output("apt-get", ["--version"]) !== undefined;
  if (!canInstall) return console.log("stores: there is no PostgreSQL server here; its tests are skipped");
  console.log("stores: installing Debian's PostgreSQL");
  const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, stdio: ["ignore", "ignore", "inherit"] };
  const done =
    run("apt-get", ["update", "-qq"], options) &&
    run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "postgresql"], options);
  if (!done) console.log("stores: `apt-get install postgresql` failed; its tests are skipped");
}
