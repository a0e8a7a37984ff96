// The dialogs, each loaded when it is first opened, and the question before code from a link runs.

import type { ComponentType } from "preact";
import * as store from "../store.ts";
import { Dialog } from "./Dialog.tsx";
import { Icon } from "./Icon.tsx";
import { lazy } from "./lazy.tsx";

const close = (): void => {
  store.dialog.value = "";
};

const opened = (load: () => Promise<{ default: ComponentType }>) => lazy(() => load().then((module) => module.default), close);

const Help = opened(() => import("../dialogs/Help.tsx"));
const Gallery = opened(() => import("../dialogs/Gallery.tsx"));
const Share = opened(() => import("../dialogs/Share.tsx"));
const Import = opened(() => import("../dialogs/Import.tsx"));
const Export = opened(() => import("../dialogs/Export.tsx"));
const Settings = opened(() => import("../dialogs/Settings.tsx"));
const Palette = lazy(() => import("../debugger/Palette.tsx").then((module) => module.Palette), close);

export function Dialogs() {
  switch (store.dialog.value) {
    case "help":
      return <Help />;
    case "examples":
      return <Gallery />;
    case "share":
      return <Share />;
    case "import":
      return <Import />;
    case "export":
      return <Export />;
    case "trust":
      return <Trust />;
    case "palette":
      return <Palette />;
    case "settings":
      return <Settings />;
    default:
      return null;
  }
}

function Trust() {
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
              store.leftTab.value = "tasks";
              store.narrowTab.value = "code";
            }}
          >
            Look at it first
          </button>
          <button
            type="button"
            class="primary"
            onClick={() => {
              store.tasksTrusted.value = true;
              close();
              void store.start();
            }}
          >
            <Icon name="play" /> Run it
          </button>
        </>
      }
    >
      <p>The task handlers came with a link and are somebody else's JavaScript.</p>
      <p class="quiet">They run in a sandbox: no network, no storage, no access to this page, and they are stopped when they do not yield.</p>
    </Dialog>
  );
}
