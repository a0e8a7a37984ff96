// Writes the reference pages: docs/api.md from the types in js/core/api/*.d.ts, and docs/command.md from the command's help.
//
//   npm run docs               writes them, and of docs/errors.md what reports say about each diagnostic
//   npm run docs -- --check    says whether they are up to date
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { importSource } from "./sources.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");

/** The entries of the package and their types, if the files exist. */
const entries = [
  ["stepglass", "index"],
  ["stepglass/testing", "testing"],
  ["stepglass/node", "folder"],
  ["stepglass/asl-validator", "asl-validator"],
  ["stepglass/server", "server"],
  ["stepglass/aws", "aws"],
  ["stepglass/sqlite", "sqlite"],
  ["stepglass/postgres", "postgres"],
  ["stepglass/restate", "restate"],
  ["stepglass/durable", "durable"],
  ["stepglass/blobs", "blobs"],
  ["stepglass/indexeddb", "indexeddb"],
  ["stepglass/host-tests", "host-tests"],
  ["stepglass/pool", "pool"],
  ["stepglass/integrations", "integrations"],
  ["stepglass/yaml", "yaml"],
  ["stepglass/debug", "debug"],
  ["stepglass/dap", "dap"],
  ["stepglass/debugger", "debugger"],
].filter(([, file]) => existsSync(join(root, `js/core/api/${file}.d.ts`)));

/** Returns docs/api.md, from the declarations as the TypeScript compiler parses them. */
export async function apiReference() {
  const { API } = await import("typescript/unstable/sync");
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProject: join(root, "scripts/docs.tsconfig.json") }).getProjects();
    const modules = entries.map(([name, file]) => readModule(name, project.program.getSourceFile(join(root, `js/core/api/${file}.d.ts`))));
    return render(modules);
  } finally {
    api.close();
  }
}

/** Returns the exported declarations of a file, in its sections. */
function readModule(name, source) {
  const text = source.text;
  const headings = [...text.matchAll(/^\/\/ -{10,} (.+)$/gm)].map((match) => ({ at: match.index, title: match[1].trim() }));
  const items = [];
  for (const statement of source.statements) {
    const whole = text.slice(statement.pos, statement.end);
    // The last comment before a declaration belongs to it. The first of a file may belong to the file.
    const comments = [...whole.matchAll(/\/\*\*[^]*?\*\//g)];
    const head = /^(?:\s|\/\*[^]*?\*\/|\/\/[^\n]*\n)*/.exec(whole)[0].length;
    const own = comments.filter((comment) => comment.index < head).at(-1);
    const code = whole.slice(head).trim();
    if (!/^export\b/.test(code)) continue;
    const declared = statement.name?.text ?? /^export (?:declare )?(?:const|let|class|function|interface|type) (\w+)/.exec(code)?.[1];
    if (declared === undefined) continue;
    const section = headings.filter(({ at }) => at < statement.pos + head).at(-1)?.title ?? "";
    const known = items.find((item) => item.name === declared);
    // Overloads and merged declarations are listed together.
    if (known) known.code += `\n${code}`;
    else items.push({ name: declared, section, code, ...(own ? readComment(own[0]) : { prose: "", examples: [] }) });
  }
  const first = /^\s*(\/\*\*[^]*?@packageDocumentation[^]*?\*\/)/.exec(text);
  return { name, items, about: first ? readComment(first[1].replace(/@packageDocumentation/, "")) : { prose: "", examples: [] } };
}

/** Parses a doc comment: its prose, its parameters as a list, its examples. */
function readComment(text) {
  const lines = text
    .replace(/^\/\*\*|\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  const [prose, ...tags] = lines.join("\n").trim().split(/^@/m);
  const examples = tags.filter((tag) => tag.startsWith("example")).map((tag) => tag.replace(/^example\s*/, "").trim());
  const parameters = tags
    .filter((tag) => tag.startsWith("param "))
    .map((tag) =>
      tag
        .replace(/^param (\w+)\s*/, "- `$1`: ")
        .replace(/\s+/g, " ")
        .trim(),
    );
  const linked = (value) =>
    value.replace(
      /\{@link (?:import\([^)]*\)\.)?(\w+)(?:\.(\w+))?[^}]*\}/g,
      (_, name, member) => `[\`${member ? `${name}.${member}` : name}\`](#${name.toLowerCase()})`,
    );
  return { prose: linked([prose.trim(), parameters.join("\n")].filter(Boolean).join("\n\n")), examples };
}

function render(modules) {
  const lines = [
    "# API",
    "",
    "This page lists the entries of the package and everything that they export. It is generated from the types by `npm run docs`; do not edit it.",
    "",
  ];
  for (const { name, items } of modules) {
    lines.push(`- [\`${name}\`](#${name.replace(/[^\w-]/g, "")})`);
    for (const section of [...new Set(items.map((item) => item.section))]) {
      const names = items.filter((item) => item.section === section).map((item) => `[${item.name}](#${item.name.toLowerCase()})`);
      lines.push(`  - ${section === "" ? "" : `${section}: `}${names.join(", ")}`);
    }
  }
  for (const { name, items, about } of modules) {
    lines.push("", `## \`${name}\``, "");
    if (about.prose) lines.push(about.prose, "");
    for (const example of about.examples) lines.push(example, "");
    for (const item of items) {
      lines.push(`### ${item.name}`, "");
      if (item.prose) lines.push(item.prose, "");
      lines.push("```ts", item.code.replace(/\{@link (?:import\([^)]*\)\.)?(\w+(?:\.\w+)?)[^}]*\}/g, "`$1`"), "```", "");
      for (const example of item.examples) lines.push(example, "");
    }
  }
  return `${lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd()}\n`;
}

/** Returns docs/command.md, from the help of every command. */
export async function commandReference() {
  const { commandList } = await importSource("js/cli/main.ts");
  const { overview } = await importSource("js/cli/help.ts");
  const commands = await commandList();
  const lines = [
    "# The command",
    "",
    "This page is generated from the command's help by `npm run docs`; do not edit it.",
    "",
    "```",
    overview(commands).trimEnd(),
    "```",
    "",
  ];
  lines.push(
    "For programs, `--json` prints one JSON value to standard output; the help of each command describes its shape. Errors and notes go to",
    "standard error. Colours appear only on a terminal; the command respects `NO_COLOR` and `FORCE_COLOR`.",
    "",
  );
  for (const { name, help } of commands) lines.push(`## ${name}`, "", "```", help.trimEnd(), "```", "");
  return `${lines.join("\n").trimEnd()}\n`;
}

/** Returns js/cli/rules.json: titles and paragraphs of docs/errors.md, for reports that explain each problem. */
export function rules() {
  const [, ...sections] = readFileSync(join(root, "docs/errors.md"), "utf8").split(/^## /m);
  const entries = sections.map((section) => {
    const [code, title, ...paragraphs] = section.trim().split("\n\n");
    return [code, [title.replace(/^\*\w+\*\. |\.$/g, ""), paragraphs.join("\n\n")]];
  });
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const check = process.argv.includes("--check");
  for (const [file, make] of [
    ["js/cli/rules.json", rules],
    ["docs/api.md", apiReference],
    ["docs/command.md", commandReference],
  ]) {
    const text = await make();
    const path = join(root, file);
    const same = existsSync(path) && readFileSync(path, "utf8") === text;
    if (!check && !same) writeFileSync(path, text);
    console.log(`${file}: ${same ? "up to date" : check ? "out of date: npm run docs" : "written"}`);
    if (check && !same) process.exitCode = 1;
  }
}
