// The export dialog: pictures, texts, the run, and the run as a test.

import { type Signal, useSignal } from "@preact/signals";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as panes from "../store/panes.ts";
import { showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { fileName, mockConfig, type Runner, testText } from "../exchange/asTest.ts";
import { pngOf, svgOf } from "../exchange/picture.ts";
import { saveSession } from "../exchange/session.ts";
import { theRun } from "../exchange/shownRun.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { save } from "../ui/save.ts";

const close = (): void => {
  panes.closeDialog();
};

/** Wraps the action of a button, so that errors are reported. */
type Act = (work: () => Promise<void> | void) => () => Promise<void>;

async function copy(text: string, what: string): Promise<void> {
  await navigator.clipboard.writeText(text).catch(() => {
    throw new Error("The browser did not allow copying.");
  });
  showToast(`${what} copied.`);
}

export default function Export() {
  const problem = useSignal("");
  const act: Act = (work) => async () => {
    problem.value = "";
    try {
      workspace.flush();
      await work();
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <Dialog title="Export" close={close} wide>
      <div class="exports">
        <Picture act={act} />
        <Definition act={act} />
        <Run act={act} />
      </div>
      <p class="field-problem" role="alert">
        {problem.value}
      </p>
    </Dialog>
  );
}

function Picture({ act }: { act: Act }) {
  const dark = prefs.theme.value === "dark" || (prefs.theme.value === "system" && prefs.systemDark.value);
  const theme = useSignal<"light" | "dark">(dark ? "dark" : "light");
  const withRun = useSignal(true);
  const scale = useSignal<1 | 2 | 3>(2);
  const hasRun = execution.run.value !== null;
  const title = workspace.title.value;
  const drawn = analysis.graph.value !== null;
  const looks = () => ({ theme: theme.value, withRun: withRun.value && hasRun });
  return (
    <section aria-labelledby="export-picture">
      <h3 id="export-picture">Picture of the graph</h3>
      <PictureOptions theme={theme} scale={scale} withRun={withRun} hasRun={hasRun} />
      <p class="buttons">
        <button type="button" disabled={!drawn} onClick={act(async () => save(`${title}.svg`, await svgOf(looks()), "image/svg+xml"))}>
          <Icon name="download" /> SVG
        </button>
        <button type="button" disabled={!drawn} onClick={act(async () => save(`${title}.png`, await pngOf(looks(), scale.value)))}>
          <Icon name="download" /> PNG
        </button>
        <button type="button" disabled={!drawn} onClick={act(async () => copy(await mermaid(), "Mermaid diagram"))}>
          <Icon name="copy" /> Mermaid
        </button>
        <button type="button" disabled={!drawn} onClick={act(async () => save(`${title}.mmd`, await mermaid(), "text/plain"))}>
          <Icon name="download" /> Mermaid file
        </button>
        <button
          type="button"
          onClick={act(async () => {
            await import("../exchange/print.ts");
            close();
            print();
          })}
        >
          Print…
        </button>
      </p>
    </section>
  );
}

interface PictureLooks {
  theme: Signal<"light" | "dark">;
  scale: Signal<1 | 2 | 3>;
  withRun: Signal<boolean>;
  hasRun: boolean;
}

function PictureOptions({ theme, scale, withRun, hasRun }: PictureLooks) {
  return (
    <div class="export-options">
      <label>
        Theme{" "}
        <select value={theme.value} onChange={(event) => (theme.value = event.currentTarget.value as "light" | "dark")}>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <label>
        PNG scale{" "}
        <select value={scale.value} onChange={(event) => (scale.value = Number(event.currentTarget.value) as 1 | 2 | 3)}>
          <option value={1}>1 ×</option>
          <option value={2}>2 ×</option>
          <option value={3}>3 ×</option>
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={withRun.value && hasRun}
          disabled={!hasRun}
          onChange={(event) => (withRun.value = event.currentTarget.checked)}
        />{" "}
        Include the run's colours
      </label>
    </div>
  );
}

function Definition({ act }: { act: Act }) {
  const title = workspace.title.value;
  return (
    <section aria-labelledby="export-definition">
      <h3 id="export-definition">Definition</h3>
      <p class="buttons">
        <button type="button" onClick={act(async () => save(`${title}.asl.json`, await definitionAs("json"), "application/json"))}>
          <Icon name="download" /> JSON
        </button>
        <button type="button" onClick={act(async () => save(`${title}.asl.yaml`, await definitionAs("yaml"), "application/yaml"))}>
          <Icon name="download" /> YAML
        </button>
        <button type="button" onClick={act(saveSession)}>
          <Icon name="download" /> Session file
        </button>
      </p>
      <p class="quiet">
        The session file contains everything: definition, inputs, tasks, mocks, machines, breakpoints, and the runs with their forks. Drop
        it on the page to continue.
      </p>
    </section>
  );
}

function Run({ act }: { act: Act }) {
  const runner = useSignal<Runner>("node:test");
  const run = execution.run.value;
  const ended = run?.phase === "ended" && run.refused === undefined && execution.eventCount.value > 0;
  const title = workspace.title.value;
  const test = async (): Promise<string> => testText(await theRun(), runner.value);
  return (
    <section aria-labelledby="export-run">
      <h3 id="export-run">The run</h3>
      <div class="export-options">
        <label>
          Test for{" "}
          <select value={runner.value} onChange={(event) => (runner.value = event.currentTarget.value as Runner)}>
            <option value="node:test">node:test</option>
            <option value="vitest">Vitest</option>
          </select>
        </label>
      </div>
      {!ended && <p class="quiet">After a run has ended, you can save its history and a test made from it.</p>}
      <p class="buttons">
        <button
          type="button"
          disabled={execution.eventCount.value === 0}
          onClick={act(async () => save(`${title}.history.json`, await interpreter.query("history", {}), "application/json"))}
        >
          <Icon name="download" /> History, as AWS has it
        </button>
        <button type="button" disabled={!ended} onClick={act(async () => copy(await test(), "Test"))}>
          <Icon name="copy" /> Copy as test
        </button>
        <button type="button" disabled={!ended} onClick={act(async () => save(fileName(title), await test(), "text/javascript"))}>
          <Icon name="download" /> Test file
        </button>
        <button
          type="button"
          disabled={!ended}
          onClick={act(async () => save("MockConfigFile.json", mockConfig(await theRun()), "application/json"))}
        >
          <Icon name="download" /> MockConfigFile.json
        </button>
      </p>
      <p class="quiet">
        The test uses <code>stepglass/testing</code>, the mock file is for Step Functions Local and also works with <code>testMachine</code>
        . Both answer each call as it was answered in this run.
      </p>
    </section>
  );
}

const mermaid = (): Promise<string> =>
  interpreter.query("mermaid", { text: workspace.definition.value, format: workspace.format.value, direction: analysis.direction.value });

async function definitionAs(format: "json" | "yaml"): Promise<string> {
  const text = workspace.definition.value;
  if (workspace.format.value === format) return text;
  const json = await interpreter.query("json", { text, format: workspace.format.value });
  if (format === "json") return `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
  return (await import("yaml")).stringify(JSON.parse(json), { lineWidth: 0 });
}
