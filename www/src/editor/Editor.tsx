// A place for CodeMirror, which is loaded beside the page and not before it. Until then, and if it never comes, a plain
// text area does the work.

import { type ReadonlySignal, effect, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import { say, showToast } from "../store/words.ts";
import * as workspace from "../store/workspace.ts";
import type { EditorHandle, Language } from "./codemirror.ts";
import { editors, pasts } from "./place.ts";
import type { AskLanguage } from "./language.ts";

interface Props {
  label: string;
  id: string;
  text: ReadonlySignal<string>;
  /// Hears of every change; without it the text is only read.
  edit?: (text: string) => void;
  language: Language;
  visible: boolean;
  /// Called once with the editor, and what it gives is called when the editor goes.
  attach?: (editor: EditorHandle) => () => void;
  placeholder?: string;
  readOnly?: boolean;
}

/// For how long the editor waits for the graph, in ms.
const PATIENCE = 4_000;

let chunk: Promise<typeof import("./codemirror.ts")> | undefined;
const load = () => (chunk ??= graphPainted().then(() => import("./codemirror.ts")));

/// The graph comes first, if there is one.
function graphPainted(): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (analysis.latest.value === null && interpreter.engine.value !== "broken") return;
      queueMicrotask(() => stop());
      // The second frame comes after the one that draws what has just come. A tab in the background has no frames.
      if (document.hidden) resolve();
      else requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
    });
    setTimeout(resolve, PATIENCE);
  });
}

function asking(format: "json" | "yaml"): AskLanguage {
  return {
    complete: (text, offset) => interpreter.query("complete", { text, format, offset }),
    hover: (text, offset) => interpreter.query("hover", { text, format, offset }),
    references: (text, offset) => interpreter.query("references", { text, format, offset }),
    rename: (text, offset, to) => interpreter.query("rename", { text, format, offset, to }),
    actions: (text, offset, end) => interpreter.query("actions", { text, format, offset, end }),
    format: (text) => interpreter.query("format", { text, format }),
    say: say,
    tell: showToast,
  };
}

type Held<T> = { current: T };

/// Makes the editor in its host as soon as somebody looks at it; `plain` is where its code cannot be had.
function useCreated(props: Props, host: Held<HTMLElement | null>, handle: Held<EditorHandle | null>, told: Held<string>) {
  const { label, id, text, edit, language, visible, attach, placeholder = "", readOnly = false } = props;
  const state = useSignal<"loading" | "ready" | "plain">("loading");
  const generation = workspace.generation.value;

  const wanted = useRef(visible);
  if (visible) wanted.current = true;

  // With the drawing and not after it: nothing is typed into the editor of another text.
  useLayoutEffect(() => {
    // One that nobody has looked at needs no editor, nor its language.
    if (!wanted.current) return;
    let gone = false;
    let detach: (() => void) | undefined;
    load().then(
      ({ createEditor }) => {
        if (gone || !host.current) return;
        const kept = pasts.get(id);
        pasts.delete(id);
        const editor = createEditor({
          changedKeys: prefs.keymap,
          host: host.current,
          text: text.peek(),
          language,
          label,
          placeholder,
          readOnly,
          past: kept?.text === text.peek() ? kept.past : undefined,
          changed: (next) => edit?.((told.current = next)),
          ...(language.startsWith("asl-") && !readOnly ? { asked: asking(language === "asl-yaml" ? "yaml" : "json") } : {}),
        });
        handle.current = editor;
        editors.set(id, editor);
        detach = attach?.(editor);
        workspace.flushers.add(editor.flush);
        state.value = "ready";
      },
      () => {
        chunk = undefined;
        if (!gone) state.value = "plain";
      },
    );
    return () => {
      gone = true;
      detach?.();
      if (handle.current) workspace.flushers.delete(handle.current.flush);
      handle.current?.destroy();
      handle.current = null;
      state.value = "loading";
    };
  }, [generation, language, wanted.current]);
  return state.value;
}

export function Editor(props: Props) {
  const { label, id, text, edit, visible, readOnly = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const handle = useRef<EditorHandle | null>(null);
  /// What the editor has said last: the page's text is that, and need not be held against the editor's.
  const told = useRef("");
  const state = useCreated(props, host, handle, told);

  // What changes the text from outside, a quick fix of another pane for instance.
  useEffect(
    () =>
      text.subscribe((next) => {
        const editor = handle.current;
        if (editor && next !== told.current && editor.text() !== next) editor.replace(next);
        told.current = next;
      }),
    [],
  );

  useEffect(() => {
    if (visible) handle.current?.measure();
  }, [visible]);

  return (
    <div class="editor" id={id}>
      {state !== "ready" && (
        <textarea
          aria-label={label}
          class="plain-editor"
          spellcheck={false}
          readOnly={readOnly || state === "loading"}
          value={text.value}
          onInput={(event) => edit?.(event.currentTarget.value)}
        />
      )}
      <div class="code-host" ref={host} hidden={state !== "ready"} />
    </div>
  );
}
