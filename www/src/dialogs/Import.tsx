// The import dialog: definitions, templates, histories, sessions.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { loaders } from "../graph/graphEditor.ts";
import * as panes from "../store/panes.ts";
import { importDefinition, imported, readFile, readText } from "../exchange/importing.ts";
import { fill } from "../model/placeholders.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";

const close = (): void => {
  imported.value = null;
  panes.closeDialog();
};

export default function Import() {
  const found = imported.value;
  if (found?.kind === "template") return <Template />;
  if (found?.kind === "definition")
    return <Placeholders title={found.title} definition={found.definition} placeholders={found.placeholders} format={found.format} />;
  return <Choose />;
}

function Choose() {
  const file = useRef<HTMLInputElement>(null);
  const text = useSignal("");
  const problem = useSignal("");
  const open = async (from: () => Promise<void>): Promise<void> => {
    problem.value = "";
    try {
      await from();
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <Dialog
      title="Import"
      close={close}
      footer={
        <>
          <button type="button" onClick={() => file.current!.click()}>
            <Icon name="upload" /> Choose a file
          </button>
          <button type="button" class="primary" disabled={text.value.trim() === ""} onClick={() => void open(() => readText(text.value))}>
            Open the text
          </button>
        </>
      }
    >
      <p>Drop a file anywhere on the page, choose one, or paste its text here. It stays in this browser.</p>
      <Kinds />
      <label class="stack">
        <span>Text</span>
        <textarea
          rows={8}
          spellcheck={false}
          value={text.value}
          aria-invalid={problem.value !== ""}
          aria-describedby="import-problem"
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <p class="field-problem" id="import-problem" role="alert">
        {problem.value}
      </p>
      <input
        ref={file}
        type="file"
        hidden
        accept=".json,.yaml,.yml,.asl,.template,.tf,.gz,.sfnrun"
        aria-label="File to import"
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (chosen) void open(() => readFile(chosen));
        }}
      />
    </Dialog>
  );
}

/** The kinds of files that can be opened. */
function Kinds() {
  return (
    <ul class="bullets">
      <li>
        a definition in JSON or YAML, or what <code>describe-state-machine</code> prints;
      </li>
      <li>a template of CloudFormation, SAM, the CDK, Serverless or Terraform: choose one of its machines;</li>
      <li>
        the history of an execution on AWS (<code>get-execution-history</code>, or a file of <code>stepglass fetch</code>), to view it, or
        to replay it with breakpoints;
      </li>
      <li>AWS's model of a service (botocore's service-2.json), to check results in mocks against;</li>
      <li>a session file or a link of this page.</li>
    </ul>
  );
}

function Template() {
  const found = imported.value;
  const chosen = useSignal(0);
  if (found?.kind !== "template") return null;
  const { machines, elsewhere } = found.template;
  const machine = machines[chosen.value];
  if (!machine) {
    return (
      <Dialog title="Import a template" close={close}>
        <p>The definitions of this template are not in it. Import their files instead:</p>
        <ul class="bullets">
          {elsewhere.map(({ name, file, problem }) => (
            <li key={name}>
              {name}: {file === undefined ? problem : <code>{file}</code>}
            </li>
          ))}
        </ul>
      </Dialog>
    );
  }
  return (
    <Placeholders
      key={machine.name}
      title={machine.name}
      definition={machine.definition}
      placeholders={machine.placeholders}
      format="json"
      also={
        <button type="button" onClick={() => void editThere(found.file, found.text)}>
          {machines.length > 1 ? `Edit all ${machines.length} in the template` : "Edit it in the template"}
        </button>
      }
      {...(machine.type === "EXPRESS" && { type: "EXPRESS" })}
    >
      {machines.length > 1 ? (
        <fieldset class="choices">
          <legend>{count(machines.length, "state machine")} in the template</legend>
          {machines.map(({ name, type }, i) => (
            <label key={name}>
              <input type="radio" name="machine" checked={i === chosen.value} onChange={() => (chosen.value = i)} /> {name}{" "}
              {type === "EXPRESS" && <span class="tag">Express</span>}
            </label>
          ))}
        </fieldset>
      ) : (
        <p>
          The template has one state machine, <b>{machine.name}</b>.
        </p>
      )}
      {elsewhere.length > 0 && (
        <p class="quiet">
          Not in this file: {elsewhere.map(({ name, file = "its definition cannot be read" }) => `${name} (${file})`).join(", ")}.
        </p>
      )}
    </Placeholders>
  );
}

/** Opens a tab for each machine, whose changes are written back to the template. */
async function editThere(name: string, text: string): Promise<void> {
  close();
  await (await loaders.project()).openFile(new File([text], name));
}

interface PlaceholdersProps {
  /** An alternative action. */
  also?: preact.ComponentChildren;
  title: string;
  definition: string;
  format: "json" | "yaml";
  placeholders: { name: string; value: string }[];
  type?: "EXPRESS";
  children?: preact.ComponentChildren;
}

function Placeholders({ also, title, definition, format, placeholders, type, children }: PlaceholdersProps) {
  const values = useSignal<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    values.value = new Map(placeholders.map(({ name, value }) => [name, value]));
  }, [definition]);
  const open = (): void => {
    const filled = fill(definition, values.value);
    close();
    importDefinition({ title, format, definition: filled, ...(type && { type }) });
  };
  return (
    <Dialog
      title={children === undefined ? "Placeholders" : "Import a template"}
      close={close}
      footer={
        <>
          {also}
          <button type="button" class="primary" onClick={open}>
            Open {title === "Untitled" ? "the definition" : title}
          </button>
        </>
      }
    >
      {children}
      {placeholders.length > 0 && (
        <>
          <p>A deployment fills these in. Empty fields stay as they are written.</p>
          <div class="placeholders">
            {placeholders.map(({ name }) => (
              <label key={name}>
                <code>{`\${${name}}`}</code>
                <input
                  value={values.value.get(name) ?? ""}
                  spellcheck={false}
                  onInput={(event) => (values.value = new Map([...values.value, [name, event.currentTarget.value]]))}
                />
              </label>
            ))}
          </div>
        </>
      )}
    </Dialog>
  );
}
