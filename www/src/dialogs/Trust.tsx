// The question before code from a link runs.

import * as panes from "../store/panes.ts";
import * as runner from "../store/runner.ts";
import * as workspace from "../store/workspace.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";

/** Returns the kinds of code that the user has not reviewed yet. */
const what = (): string =>
  workspace.mocksTrusted.value
    ? "The code of the task handlers"
    : workspace.tasksTrusted.value
      ? "The code of mocks"
      : "The task handlers and mocks";

const close = (): void => {
  panes.closeDialog();
};

export default function Trust() {
  return (
    <Dialog
      title="Run this link's code?"
      close={close}
      footer={
        <>
          <button
            type="button"
            onClick={() => {
              close();
              panes.showLeft(workspace.tasksTrusted.value ? "mocks" : "tasks");
            }}
          >
            Look at it first
          </button>
          <button
            type="button"
            class="primary"
            onClick={() => {
              workspace.edit({ tasksTrusted: true, mocksTrusted: true });
              close();
              void runner.startPending();
            }}
          >
            <Icon name="play" /> Run it
          </button>
        </>
      }
    >
      <p>
        {what()} came with a link or a file and {workspace.tasksTrusted.value || workspace.mocksTrusted.value ? "is" : "are"} someone else's
        JavaScript.
      </p>
      <p class="quiet">
        They run in a sandbox: no network, no storage, no access to this page, and they are stopped if they do not respond.
      </p>
    </Dialog>
  );
}
