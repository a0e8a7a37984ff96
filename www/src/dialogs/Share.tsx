// The share dialog: a link that contains the workspace, its contents, and its length.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as panes from "../store/panes.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { type LinkParts, shareLink } from "../exchange/link.ts";
import { saveSession } from "../exchange/session.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Tabs } from "../ui/Tabs.tsx";
import { count } from "../ui/format.ts";
import { Embed } from "./Embed.tsx";
import { Part } from "./Part.tsx";

/** Some programs truncate links from this length on, in characters. */
const LONG = 2_000;
/** A file is the better choice from this length on, in characters. */
const TOO_LONG = 8_000;

const close = (): void => {
  panes.closeDialog();
};

export default function Share() {
  const parts = useSignal<LinkParts>({ input: true, tasks: true, mocks: true, breakpoints: true, position: false });
  const link = useSignal("");
  const problem = useSignal("");
  const tab = useSignal<"link" | "embed">("link");
  useEffect(() => {
    let wanted = true;
    shareLink(parts.value).then(
      (made) => wanted && (link.value = made),
      (error: Error) => wanted && (problem.value = error.message),
    );
    return () => {
      wanted = false;
    };
  }, [parts.value, workspace.title.value]);
  return (
    <Dialog title="Share" close={close} footer={tab.value === "embed" ? undefined : <Away link={link.value} />}>
      <Tabs
        label="Ways to share"
        tabs={[
          { id: "link", label: "Link" },
          { id: "embed", label: "Embed this" },
        ]}
        chosen={tab.value}
        choose={(chosen) => (tab.value = chosen)}
        prefix="share"
      />
      {tab.value === "embed" && (
        <div id="share-embed" role="tabpanel" aria-labelledby="share-tab-embed">
          <Embed />
        </div>
      )}
      <div id="share-link" role="tabpanel" aria-labelledby="share-tab-link" hidden={tab.value !== "link"}>
        <LinkTab parts={parts} link={link.value} problem={problem.value} />
      </div>
    </Dialog>
  );
}

/** The two ways to share: a link or a file, the safer one first. */
function Away({ link }: { link: string }) {
  const { length } = link;
  return (
    <>
      <button type="button" class={length > TOO_LONG ? "primary" : ""} onClick={saveSession}>
        <Icon name="download" /> Save a session file
      </button>
      <button
        type="button"
        class={length > TOO_LONG ? "" : "primary"}
        disabled={link === ""}
        onClick={() =>
          void navigator.clipboard.writeText(link).then(
            () => {
              close();
              showToast(`Link copied, ${count(length, "character")}.`);
            },
            () => showToast("The browser did not allow copying: copy the link from its field."),
          )
        }
      >
        <Icon name="copy" /> Copy the link
      </button>
    </>
  );
}

interface LinkTabProps {
  parts: Signal<LinkParts>;
  link: string;
  problem: string;
}

function LinkTab({ parts, link, problem }: LinkTabProps) {
  const { length } = link;
  return (
    <>
      <p>
        The link contains everything in the part after #, which browsers do not send to a server. Anyone who opens it can read your texts.
        Nothing runs by itself.
      </p>
      <label class="stack title-field">
        <span>Title</span>
        <input
          value={workspace.title.value}
          maxLength={200}
          onInput={(event) => workspace.edit({ title: event.currentTarget.value || "Untitled" })}
        />
      </label>
      <Contents parts={parts} />
      <label class="stack">
        <span>Link</span>
        <textarea readOnly rows={4} value={link} onFocus={(event) => event.currentTarget.select()} />
      </label>
      {problem && <p class="is-bad">{problem}</p>}
      <p class="quiet" role="status">
        {count(length, "character")}.
        {length > TOO_LONG
          ? " This link is very long. A session file is safer."
          : length > LONG
            ? " Some chat and mail programs cut off links of this length."
            : ""}
      </p>
    </>
  );
}

/** Selects the contents of the link. */
function Contents({ parts }: { parts: Signal<LinkParts> }) {
  const state = selection.selectedState.value;
  const breakpoints = workspace.broughtBreakpoints.value.length;
  const mocks = Object.keys(workspace.broughtMocks.value).length + workspace.machines.value.length;
  const check = (name: keyof LinkParts, label: string, there: boolean) => (
    <Part label={label} there={there} chosen={parts.value[name]} choose={(on) => (parts.value = { ...parts.value, [name]: on })} />
  );
  return (
    <fieldset class="checks">
      <legend>What is in it</legend>
      <label>
        <input type="checkbox" checked disabled /> Definition
      </label>
      {check("input", "Input", workspace.input.value.trim() !== "")}
      {check("tasks", "Task handlers", workspace.tasks.value.trim() !== "")}
      {check("mocks", mocks > 0 ? `Mocks and machines (${mocks})` : "Mocks and machines", mocks > 0)}
      {check("breakpoints", breakpoints > 0 ? `Breakpoints (${breakpoints})` : "Breakpoints", breakpoints > 0)}
      {check("position", state === null ? "Position" : `Position: ${state}`, state !== null)}
    </fieldset>
  );
}
