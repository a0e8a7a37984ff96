// Hosts CodeMirror, which is loaded after the page. Until then, and if it cannot be loaded, a plain text area is used.

import { type ReadonlySignal, effect, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import { say, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import type { EditorHandle, Language } from "./codemirror.ts";
import { editors, pasts } from "./definitionEditor.ts";
import type { AskLanguage } from "./language.ts";

interface Props {
  label: string;
  id: string;
  text: ReadonlySignal<string>;
  /** Called with every change. Without it, the text is read-only. */
  edit?: (text: string) => void;
  language: Language;
  visible: boolean;
  /** Called once with the editor. The function that it returns is called when the editor is removed. */
  attach?: (editor: EditorHandle) => () => void;
  placeholder?: string;
  readOnly?: boolean;
}

/** How long the editor waits for the graph, in milliseconds. */
const PATIENCE = 4_000;

let chunk: Promise<typeof import("./codemirror.ts")> | undefined;
const load = () => (chunk ??= graphPainted().then(() => import("./codemirror.ts")));

/** Resolves when the graph is painted, if there is one. */
function graphPainted(): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (analysis.latest.value === null && interpreter.engine.value !== "broken") return;
      queueMicrotask(() => stop());
      // The second frame follows the one that paints the new graph. A background tab has no frames.
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

/** Creates the editor in its host when it is first visible. The state is `plain` if its code cannot be loaded. */
function useCreated(props: Props, host: Held<HTMLElement | null>, handle: Held<EditorHandle | null>, told: Held<string>) {
  const { label, id, text, edit, language, visible, attach, placeholder = "", readOnly = false } = props;
  const state = useSignal<"loading" | "ready" | "plain">("loading");
  const generation = workspace.generation.value;

  const wanted = useRef(visible);
  if (visible) wanted.current = true;

  // This is a layout effect, so that nothing is typed into the editor of another text.
  useLayoutEffect(() => {
    // An editor that was never visible is not created, and its language is not loaded.
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
  /** The text that the editor has last reported. If it equals the page's text, the two need no comparison. */
  const told = useRef("");
  const state = useCreated(props, host, handle, told);

  // The text was changed outside the editor, for example by a quick fix in another pane.
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
