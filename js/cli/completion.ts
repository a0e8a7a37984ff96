// The command `stepglass completion` prints a completion script for bash, zsh or fish.

import { Unusable } from "../language/files/problem.ts";
import { defineCommand, type Command, type Context, type Option } from "./command.ts";

const help = `stepglass completion bash|zsh|fish

Prints a shell script that completes commands, options and files.

  source <(stepglass completion bash)                           in ~/.bashrc
  source <(stepglass completion zsh)                            in ~/.zshrc, after compinit
  stepglass completion fish > ~/.config/fish/completions/stepglass.fish

Exit code: 0 success; 2 wrong usage.
`;

export const command = defineCommand({
  name: "completion",
  summary: "print a completion script for bash, zsh or fish",
  help,
  options: {},
  run: completion,
});

/** The parts of a command that a completion script uses. */
type Completed = Pick<Command, "name" | "summary" | "options">;

const shells = new Map([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
]);

async function completion([name = "", ...others]: string[], _values: object, { commands }: Context): Promise<number> {
  const shell = shells.get(name);
  if (others.length > 0 || shell === undefined) throw new Unusable("completion needs bash, zsh or fish", { usage: true });
  const all = (await commands()).map(({ name, summary, options }): Completed => ({
    name,
    summary,
    options: { ...options, help: { type: "boolean", short: "h" } },
  }));
  process.stdout.write(shell(all));
  return 0;
}

/** Returns the spellings of an option: `--output`, `-o`. */
function spellings(name: string, { short }: Option): string[] {
  return [`--${name}`, ...(short ? [`-${short}`] : [])];
}

function bash(commands: Completed[]): string {
  const cases = commands.map(({ name, options }) => {
    const known = Object.entries(options);
    const values = known
      .filter(([, option]) => option.type === "string")
      .map(([option, config]) => {
        const words = config.values ? `-W "${config.values.join(" ")}"` : "-f";
        return `      ${spellings(option, config).join("|")}) COMPREPLY=($(compgen ${words} -- "$word")); return ;;`;
      });
    const words = known.flatMap(([option, config]) => spellings(option, config)).join(" ");
    return `  ${name})\n    case "$before" in\n${values.join("\n")}${values.length > 0 ? "\n" : ""}    esac\n    options="${words}" ;;`;
  });
  return `# Completion of stepglass for bash.
_stepglass() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...commands.map(({ name }) => name), "help", "--help", "--version"].join(" ")}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
  help) COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")}" -- "$word")); return ;;
  completion) COMPREPLY=($(compgen -W "bash zsh fish" -- "$word")); return ;;
${cases.filter((one) => !one.startsWith("  completion)")).join("\n")}
  esac
  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _stepglass stepglass
`;
}

function zsh(commands: Completed[]): string {
  const quoted = (text: string) => text.replaceAll("'", "'\\''").replaceAll(":", "\\:");
  const cases = commands.map(({ name, options }) => {
    const specs = Object.entries(options).flatMap(([option, config]) => {
      const value = config.type !== "string" ? "" : config.values ? `:value:(${config.values.join(" ")})` : ":file:_files";
      return spellings(option, config).map((spelling) => `'${config.multiple ? "*" : ""}${spelling}${value}'`);
    });
    return `    ${name}) _arguments ${specs.join(" ")} '${name === "completion" ? "1:shell:(bash zsh fish)" : "*:file:_files"}' ;;`;
  });
  return `#compdef stepglass
# Completion of stepglass for zsh.
_stepglass() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(${commands.map(({ name, summary }) => `'${name}:${quoted(summary)}'`).join(" ")} 'help:explain a command')
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    help) _values 'command' ${commands.map(({ name }) => name).join(" ")} ;;
${cases.join("\n")}
  esac
}
compdef _stepglass stepglass
`;
}

function fish(commands: Completed[]): string {
  const quoted = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  const lines = [
    "# Completion of stepglass for fish.",
    ...commands.map(({ name, summary }) => `complete -c stepglass -n __fish_use_subcommand -f -a ${name} -d '${quoted(summary)}'`),
  ];
  lines.push("complete -c stepglass -n __fish_use_subcommand -f -a help -d 'explain a command'");
  lines.push(`complete -c stepglass -n '__fish_seen_subcommand_from help' -f -a '${commands.map(({ name }) => name).join(" ")}'`);
  lines.push("complete -c stepglass -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'");
  for (const { name, options } of commands) {
    for (const [option, { type, short, values }] of Object.entries(options)) {
      const value = type !== "string" ? "" : values ? ` -x -a '${values.join(" ")}'` : " -r -F";
      lines.push(`complete -c stepglass -n '__fish_seen_subcommand_from ${name}' -l ${option}${short ? ` -s ${short}` : ""}${value}`);
    }
  }
  return `${lines.join("\n")}\n`;
}
