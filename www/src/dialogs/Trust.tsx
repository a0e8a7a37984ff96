// The question before code from a link runs.

import * as store from "../store.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";

/// What of the code nobody has looked at yet.
const what = (): string => (store.mocksTrusted.value ? "The code of the task handlers" : store.tasksTrusted.value ? "The code of mocks" : "The task handlers and mocks");

const close = (): void => {
  store.dialog.value = "";
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
              store.leftTab.value = store.tasksTrusted.value ? "mocks" : "tasks";
              store.narrowTab.value = "code";
            }}
          >
            Look at it first
          </button>
          <button
            type="button"
            class="primary"
            onClick={() => {
              store.tasksTrusted.value = store.mocksTrusted.value = true;
              close();
              void store.startHeld();
            }}
          >
            <Icon name="play" /> Run it
          </button>
        </>
      }
    >
      <p>{what()} came with a link or a file and {store.tasksTrusted.value || store.mocksTrusted.value ? "is" : "are"} someone else's JavaScript.</p>
      <p class="quiet">They run in a sandbox: no network, no storage, no access to this page, and they are stopped if they do not respond.</p>
    </Dialog>
  );
}
