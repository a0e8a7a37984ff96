// The documentation as a newcomer meets it: every block of a page run in order, in an empty folder, with the packed package.
//
// - `sh` blocks run in bash, one session for a page: folder and exported variables stay from block to block.
// - `js`, `mjs`, `ts`, `python`, `json`, `yaml`, `hcl` blocks are files, named by the comment on their first line, or by the line
//   before the block (`name.json`:). JavaScript is run and has to print its `// →` lines, tests are run as tests, TypeScript
//   is type-checked, definitions are validated, test files are run, and the steps of a GitHub workflow are run.
// - A block after `<!-- not run: reason -->` is marked: it is neither run nor written.
// - Blocks without a language are output.
//
// What cannot be had in a test is stood in for, by programs that come first in PATH (STAND_INS).
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parse } from "yaml";
import { pythonClients } from "../../scripts/clients.mjs";
import { root } from "./tarball.mjs";

/** Replacements for programs that need a network, an account or a second terminal. */
export const STAND_INS = {
  "npm install, npm ci": "link the packed package into node_modules; all else is npm's own",
  npx: "runs the packed command, vitest from this repository, and for `cdk synth` writes the template that the page's machine gives",
  "npx stepglass serve": "runs in the background until the page ends or another serve begins; port 8083 is a free one in every block",
  git: "`git show REVISION:FILE` prints FILE",
  aws: "the real one, where Python is; for an account there is `stepglass serve`",
};

/** Returns the blocks of a page: `{line, language, text, name, marked}`. */
export function blocksOf(page) {
  const lines = readFileSync(join(root, page), "utf8").split("\n");
  const blocks = [];
  for (let i = 0; i < lines.length; i++) {
    const fence = /^( *)(```+)(\S*)/.exec(lines[i]);
    if (fence === null) continue;
    const [, indent, ticks, language] = fence;
    const end = lines.findIndex((line, at) => at > i && line.trim() === ticks);
    const text = `${lines
      .slice(i + 1, end)
      .map((line) => line.slice(indent.length))
      .join("\n")}\n`;
    const before =
      lines
        .slice(0, i)
        .filter((line) => line.trim() !== "")
        .at(-1) ?? "";
    const marked = /^<!-- not run: (.+) -->$/.exec(before.trim())?.[1];
    const named =
      /^(?:# yaml-language-server[^\n]*\n)?(?:\/\/|#) ([\w./-]+\.\w+)(?:$|[\s,:])/.exec(text)?.[1] ??
      (["json", "yaml"].includes(language) ? /`([\w./-]+\.\w+)`[^`]*:$/.exec(before)?.[1] : undefined);
    blocks.push({ line: i + 1, language, text, name: named, marked });
    i = end;
  }
  return blocks.filter(({ language }) => language !== "");
}

/** A newcomer's folder, with a bash session. */
export class Newcomer {
  #package;
  #bin;
  #state;
  #env;
  #port;
  aws;

  /** `unpacked` is the folder of the package as npm unpacks it. */
  static async at(unpacked) {
    const newcomer = new Newcomer();
    newcomer.#package = unpacked;
    newcomer.#port = await freePort();
    newcomer.#prepare();
    return newcomer;
  }

  #prepare() {
    const top = realpathSync(mkdtempSync(join(tmpdir(), "stepglass-docs-")));
    Object.assign(this, { top, folder: join(top, "work") });
    this.#bin = join(top, "bin");
    this.#state = join(top, "session");
    for (const folder of [this.folder, this.#bin]) mkdirSync(folder);
    writeFileSync(this.#state, `cd ${JSON.stringify(this.folder)}\n`);
    const clients = pythonClients({ install: false });
    this.aws = clients.bin !== undefined && existsSync(join(clients.bin, "aws"));
    this.python = clients.bin && join(clients.bin, "python");
    // Only the program of a virtual environment, not everything beside it.
    if (this.aws) this.#program("aws", `exec ${JSON.stringify(join(clients.bin, "aws"))} "$@"`);
    const cli = join(this.#package, "dist/cli.js");
    const node = JSON.stringify(process.execPath);
    const link = `mkdir -p node_modules/.bin && ln -sfn ${JSON.stringify(this.#package)} node_modules/stepglass && ln -sf ${JSON.stringify(cli)} node_modules/.bin/stepglass`;
    this.#program("npm", `case "$1" in install|ci|i) ${link} ;; *) ${node} ${JSON.stringify(npmCli())} "$@" ;; esac`);
    this.#program(
      "npx",
      `while [ "$1" = --yes ] || [ "$1" = -y ]; do shift; done
program=$1; shift
case "$program" in
  stepglass)
    if [ "$1" = serve ]; then
      if [ -f ${this.top}/pid ]; then kill "$(cat ${this.top}/pid)" 2>/dev/null; while kill -0 "$(cat ${this.top}/pid)" 2>/dev/null; do sleep 0.05; done; fi
      ${node} ${JSON.stringify(cli)} "$@" --port ${this.#port} > ${this.top}/serve.out 2> ${this.top}/serve.err < /dev/null &
      echo $! > ${this.top}/pid
      until grep -q Debugger ${this.top}/serve.out; do kill -0 "$(cat ${this.top}/pid)" || { cat ${this.top}/serve.err >&2; exit 1; }; sleep 0.05; done
      cat ${this.top}/serve.out
    else exec ${node} ${JSON.stringify(cli)} "$@"; fi ;;
  vitest) exec ${node} ${JSON.stringify(join(root, "node_modules/vitest/vitest.mjs"))} "$@" ;;
  cdk) mkdir -p cdk.out && cp ${this.top}/cdk.json cdk.out/Shop.template.json && cp ${this.top}/manifest.json cdk.out/manifest.json ;;
  *) echo "npx: there is no stand-in for $program" >&2; exit 1 ;;
esac`,
    );
    this.#program("git", 'case "$1" in show) cat "${2#*:}" ;; *) echo "git: there is no stand-in for $1" >&2; exit 1 ;; esac');
    const { NODE_TEST_CONTEXT, FORCE_COLOR, ...env } = process.env;
    this.#env = {
      ...env,
      PATH: `${this.#bin}${delimiter}${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      NO_COLOR: "1",
      CI: "1",
      AWS_PAGER: "",
      AWS_EC2_METADATA_DISABLED: "true",
    };
    // Links the packages that a page imports besides this one, as npm would install them.
    for (const name of ["typescript", "vitest", "yaml", "@types/node"]) this.#link(name, join(root, "node_modules", name));
    this.#link("@aws-sdk/client-sfn", join(root, "pkg-tests/server/node_modules/@aws-sdk/client-sfn"));
    this.#link("libsql", join(root, "pkg-tests/store/node_modules/libsql"));
    this.#link("stepglass", this.#package);
    const artifacts = { Shop: { type: "aws:cloudformation:stack", properties: { templateFile: "Shop.template.json" } } };
    this.write("../manifest.json", JSON.stringify({ version: "55.0.0", artifacts }));
    this.write(
      "../cdk.json",
      JSON.stringify({
        Resources: {
          ChargeF2A1: { Type: "AWS::Lambda::Function", Metadata: { "aws:cdk:path": "Shop/Charge/Resource" } },
          Orders3A2B1C0D: {
            Type: "AWS::StepFunctions::StateMachine",
            Properties: {
              DefinitionString: {
                "Fn::Join": [
                  "",
                  [
                    '{"StartAt":"Charge it","States":{"Charge it":{"Type":"Task","Resource":"arn:',
                    { Ref: "AWS::Partition" },
                    ':states:::lambda:invoke","Parameters":{"FunctionName":"',
                    { "Fn::GetAtt": ["ChargeF2A1", "Arn"] },
                    '","Payload.$":"$"},"End":true}}}',
                  ],
                ],
              },
            },
          },
        },
      }),
    );
  }

  #link(name, to) {
    const place = join(this.folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    if (existsSync(to)) symlinkSync(to, place, "junction");
  }

  #program(name, text) {
    writeFileSync(join(this.#bin, name), `#!/usr/bin/env bash\n${text}\n`);
    chmodSync(join(this.#bin, name), 0o755);
  }

  /** The current folder of the session. */
  get here() {
    return /^cd (?:"([^"]*)"|(\S+))/.exec(readFileSync(this.#state, "utf8")).slice(1).find(Boolean);
  }

  write(name, text) {
    const file = join(this.here, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, this.#local(text));
  }

  #local(text) {
    return text.replaceAll("8083", String(this.#port));
  }

  /** Runs shell lines in the session: `{status, output, stdout}`. */
  async shell(text) {
    const script = `set -eo pipefail\n. ${this.#state}\ntrap '{ printf "cd %q\\n" "$PWD"; export -p | grep -E "^declare -x (AWS|STEPGLASS|MACHINE|GITHUB)[A-Z_]*="; } > ${this.#state}; true' EXIT\n${this.#local(text)}`;
    return this.#run("bash", ["-c", script]);
  }

  async node(...args) {
    return this.#run(process.execPath, args, this.here);
  }

  async #run(program, args, cwd = this.folder) {
    // A background program must not hold our pipes open.
    const child = spawn(program, args, { cwd, env: this.#env, stdio: ["ignore", "pipe", "pipe"] });
    const out = { stdout: "", output: "" };
    child.stdout.setEncoding("utf8").on("data", (data) => ((out.stdout += data), (out.output += data)));
    child.stderr.setEncoding("utf8").on("data", (data) => (out.output += data));
    const status = await new Promise((done, fail) => child.on("error", fail).on("close", done));
    return { status, ...out };
  }

  /** Runs a block. Returns "ran", or the reason why it cannot run here; throws if it does not do what it says. */
  async perform({ language, text, name, line }) {
    const file =
      name ?? `block-${line}.${{ js: "mjs", ts: "ts", python: "py", json: "json", yaml: "yaml", html: "html", css: "css" }[language]}`;
    switch (language) {
      case "sh":
        if (/(^|[\s(])aws /.test(text) && !this.aws) return "there is no aws command on this machine";
        return succeeded(await this.shell(text), text);
      case "js":
      case "mjs": {
        this.write(file, text);
        const tests = /\.test\.m?js$/.test(file) || /from "node:test"/.test(text);
        const { status, stdout, output } = tests ? await this.node("--test", file) : await this.node(file);
        if (status !== 0) throw new Error(`${file} exits with ${status}\n${output}`);
        const expected = [...text.matchAll(/^\/\/ → (.*)$/gm)].map(([, told]) => told);
        if (!tests && (expected.length > 0 || stdout !== "") && stdout.trimEnd() !== expected.join("\n"))
          throw new Error(`${file} does not print what it says\n${stdout}\n--- it says\n${expected.join("\n")}`);
        return "ran";
      }
      case "ts": {
        this.write(file, text);
        const options = {
          strict: true,
          target: "es2022",
          module: "esnext",
          moduleResolution: "bundler",
          types: ["node"],
          noEmit: true,
          skipLibCheck: true,
          allowImportingTsExtensions: true,
        };
        this.write("tsconfig.json", JSON.stringify({ compilerOptions: options, files: [file] }));
        return succeeded(await this.node(join(root, "node_modules/typescript/bin/tsc"), "-p", "."), text);
      }
      case "python":
        if (this.python === undefined) return "there is no Python with boto3 on this machine";
        this.write(file, text);
        return succeeded(await this.shell(`${this.python} ${file}`), text);
      case "hcl":
        this.write(file, text);
        return "ran";
      case "json":
      case "yaml":
        this.write(file, text);
        // A definition with placeholders is not JSON. The command that names the file fills them in.
        if (language === "json" && text.includes(": ${")) return "ran";
        return this.#data(file, parse(this.#local(text), { logLevel: "silent" }));
      default:
        throw new Error(`nothing runs a block of ${language}: mark it, <!-- not run: reason -->`);
    }
  }

  async #data(file, value) {
    if (/\.stepglass\.(ya?ml|json)$/.test(file)) return succeeded(await this.shell(`npx stepglass test ${file}`), file);
    if (value?.StartAt !== undefined || value?.Resources !== undefined || value?.stepFunctions !== undefined)
      return succeeded(await this.shell(`npx stepglass validate --strict ${file}`), file);
    const jobs = Object.values(value?.jobs ?? {});
    const steps = jobs
      .flatMap((job) => job.steps ?? [])
      .concat(Array.isArray(value) ? value : [])
      .filter((step) => step?.run !== undefined);
    if (steps.length > 0) writeFileSync(join(this.top, "summary.md"), "");
    for (const { run } of steps) {
      const result = await this.shell(`export GITHUB_STEP_SUMMARY=${join(this.top, "summary.md")}\n${run}`);
      if (/command not found/.test(result.output)) throw new Error(`${run}\n${result.output}`);
      succeeded(result, run);
    }
    return "ran";
  }

  /** Ends background programs, and removes the folder. */
  remove() {
    try {
      process.kill(Number(readFileSync(join(this.top, "pid"), "utf8")));
    } catch {
      // There was none, or it has ended.
    }
    rmSync(this.top, { recursive: true, force: true });
  }
}

function succeeded({ status, output }, what) {
  if (status !== 0) throw new Error(`exits with ${status}:\n${what}\n${output}`);
  return "ran";
}

function npmCli() {
  const near = join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");
  return (
    process.env.npm_execpath ??
    [near, "/usr/share/nodejs/npm/bin/npm-cli.js", "/usr/lib/node_modules/npm/bin/npm-cli.js"].find((file) => existsSync(file)) ??
    near
  );
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
