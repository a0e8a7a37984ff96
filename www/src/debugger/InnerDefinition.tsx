// The definition of a child execution's machine. It is read-only, and breakpoints can be set in it.

import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Editor } from "../editor/Editor.tsx";
import { attachDefinition } from "./inEditor.ts";
import { definitionEditor } from "../editor/definitionEditor.ts";
import * as analysis from "../store/analysis.ts";
import * as workspace from "../store/workspace.ts";
import { selectExecution } from "./session.ts";

export function InnerDefinition({ visible, text }: { visible: boolean; text: string }) {
  const held = useMemo(() => signal(text), [text]);
  const machine = analysis.inside.value?.machine ?? "";
  return (
    <>
      <p class="strip">
        <span>
          The definition of <b>{machine}</b>, the execution on screen. It can be edited under Mocks.
        </span>
        <button type="button" onClick={() => selectExecution(0)}>
          Back to {workspace.title.value}
        </button>
      </p>
      <Editor
        key={text}
        id="inner-editor"
        label={`Definition of ${machine}`}
        text={held}
        language="asl-json"
        visible={visible}
        readOnly
        attach={(editor) => {
          const outer = definitionEditor.peek();
          definitionEditor.value = editor;
          const end = attachDefinition(editor, true);
          return () => {
            end();
            if (definitionEditor.peek() === editor) definitionEditor.value = outer;
          };
        }}
      />
    </>
  );
}
