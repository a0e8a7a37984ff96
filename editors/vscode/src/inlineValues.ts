// Shows the values of a state's paths and variables at the ends of its lines, while a run is paused in that state.

import { InlineValueEvaluatableExpression, Range, languages, type ExtensionContext, type InlineValue, type TextDocument } from "vscode";
import { inlineExpressions } from "./inline-expressions.ts";
import { outlineOf } from "./states.ts";
import { symbolAt } from "./symbols.ts";

const LANGUAGES = ["asl", "asl-yaml", "json", "jsonc", "yaml"];

export function registerInlineValues(context: ExtensionContext): void {
  const provideInlineValues = async (
    document: TextDocument,
    visible: Range,
    { stoppedLocation }: { stoppedLocation: Range },
  ): Promise<InlineValue[]> => {
    // The adapter evaluates in the scope of the frame, so only the state of that frame has values.
    const lines = document.getText().split(/\r?\n/);
    const { line } = stoppedLocation.start;
    const indent = lines[line]?.search(/\S/) ?? 0;
    const state = symbolAt(await outlineOf(document.uri), { line, character: Math.max(0, indent + 1) });
    if (state === undefined) return [];
    const from = Math.max(state.range.start.line, visible.start.line);
    const to = Math.min(state.range.end.line, visible.end.line);
    return inlineExpressions(lines, from, to).map(
      (found) => new InlineValueEvaluatableExpression(new Range(found.line, found.start, found.line, found.end), found.expression),
    );
  };
  context.subscriptions.push(
    languages.registerInlineValuesProvider(
      LANGUAGES.map((language) => ({ language })),
      { provideInlineValues },
    ),
  );
}
