// Completions from the interpreter, in JSON and in YAML.

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  autocompletion,
  insertCompletionText,
  pickedCompletion,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { Completions, Proposal } from "../model/protocol.ts";

export type Ask = (text: string, offset: number) => Promise<Completions>;

const KINDS: Record<string, string> = {
  field: "property",
  state: "variable",
  type: "type",
  function: "function",
  variable: "variable",
  seen: "property",
};

export function askedCompletions(ask: Ask, yaml: boolean): Extension {
  return autocompletion({
    override: [(context) => (yaml ? inYaml(context, ask) : inJson(context, ask))],
    icons: false,
    defaultKeymap: false,
  });
}

async function inYaml(context: CompletionContext, ask: Ask): Promise<CompletionResult | null> {
  if (!context.explicit && !context.matchBefore(/[^\s:,[\]{}#]+$/)) return null;
  const found = await ask(context.state.doc.toString(), context.pos).catch(() => null);
  if (found === null || context.aborted || found.items.length === 0) return null;
  const { start, end } = found.replace;
  const quote = /^["']?/.exec(context.state.sliceDoc(start, start + 1))![0];
  return { from: start, to: end, options: found.items.map((item) => optionOf(item, quote + item.label)), filter: true };
}

async function inJson(context: CompletionContext, ask: Ask): Promise<CompletionResult | null> {
  const { state, pos } = context;
  const node = syntaxTree(state).resolveInner(pos, -1);
  const quoted = (node.name === "String" || node.name === "PropertyName") && pos > node.from;
  if (!quoted && !context.explicit) return null;
  // A field name without a value is replaced, and an empty value is added.
  const fresh = quoted && node.name === "PropertyName" && !/^\s*:/.test(state.sliceDoc(node.to, node.to + 20));
  const text = state.doc.toString();
  const found = await ask(fresh ? text.slice(0, node.from) + text.slice(node.to) : text, fresh ? node.from : pos).catch(() => null);
  if (found === null || context.aborted || found.items.length === 0) return null;
  const options = found.items.map((item) => {
    // The cursor moves between the quotes or brackets of an empty value.
    const blank = /(""|\{\}|\[\])$/.test(item.insert) && item.insert.length > 2;
    const proposal = blank ? { ...item, caret: item.insert.length - 1 } : item;
    return optionOf(proposal, fresh || (!quoted && item.insert.startsWith('"')) ? `"${item.label}"` : item.label);
  });
  return { from: fresh ? node.from : found.replace.start, to: fresh ? node.to : found.replace.end, options, filter: true };
}

/** `label` is what the typed text is matched against. */
function optionOf({ label: shown, kind, detail, insert, caret }: Proposal, label: string): Completion {
  const apply = (view: EditorView, completion: Completion, from: number, to: number): void => {
    const change = insertCompletionText(view.state, insert, from, to);
    view.dispatch({
      ...change,
      ...(caret !== undefined && { selection: { anchor: from + caret } }),
      annotations: pickedCompletion.of(completion),
    });
  };
  return { label, displayLabel: shown, detail, type: KINDS[kind] ?? "constant", apply: caret === undefined ? insert : apply };
}
