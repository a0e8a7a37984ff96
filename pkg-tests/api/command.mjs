// Runs the command line in a temporary folder.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export const command = join(fileURLToPath(import.meta.resolve("stepglass")), "../cli.js");

/** Creates a folder with these files, which is removed after the tests. `stepglass(…args)` runs the command in it. */
export function folderWith(files) {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return { folder, stepglass: (...args) => run(folder, args) };
}

/**
 * Runs many command lines in one process, one after the other: `[{args, code, stdout, stderr}]`. Only for commands that end by
 * themselves and do not change their process.
 */
export async function runMany(folder, lines) {
  const program = `
    import { readFileSync } from "node:fs";
    import { main } from ${JSON.stringify(new URL("../../dist/command.cjs", import.meta.url).href)};
    const out = [];
    for (const args of JSON.parse(readFileSync(0, "utf8"))) {
      const told = { stdout: "", stderr: "" };
      const writes = { stdout: process.stdout.write, stderr: process.stderr.write };
      for (const name of ["stdout", "stderr"]) process[name].write = (text) => ((told[name] += text), true);
      let code;
      try { code = await main(args); } catch (error) { code = "thrown: " + error.stack; }
      for (const name of ["stdout", "stderr"]) process[name].write = writes[name];
      out.push({ args, code, ...told });
    }
    process.stdout.write(JSON.stringify(out), () => process.exit());`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
  });
  child.stdin.end(JSON.stringify(lines));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (data) => (text += data));
  await new Promise((done) => child.on("close", done));
  return JSON.parse(text);
}

/** The last argument may be `{input, env}`. */
export function run(folder, args) {
  const { input = "", env = {} } = typeof args.at(-1) === "object" ? args.pop() : {};
  return new Promise((resolve, reject) => {
    const { FORCE_COLOR, NO_COLOR, ...rest } = process.env;
    const child = spawn(process.execPath, [command, ...args], { cwd: folder, env: { ...rest, ...env } });
    const out = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].on("data", (data) => (out[name] += data));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...out }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
