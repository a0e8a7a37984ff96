// The dialogs. Each is loaded when it is first opened.

import type { ComponentType } from "preact";
import * as panes from "../store/panes.ts";
import { lazy } from "../ui/lazy.tsx";

const close = (): void => {
  panes.closeDialog();
};

const opened = (load: () => Promise<{ default: ComponentType }>) => lazy(() => load().then((module) => module.default), close);

const Help = opened(() => import("../dialogs/Help.tsx"));
const Gallery = opened(() => import("../dialogs/Gallery.tsx"));
const Share = opened(() => import("../dialogs/Share.tsx"));
const Import = opened(() => import("../dialogs/Import.tsx"));
const Export = opened(() => import("../dialogs/Export.tsx"));
const Trust = opened(() => import("../dialogs/Trust.tsx"));
const Settings = opened(() => import("../dialogs/Settings.tsx"));
const Keyboard = opened(() => import("../dialogs/Keyboard.tsx"));
const Palette = lazy(() => import("./Palette.tsx").then((module) => module.Palette), close);

export function Dialogs() {
  switch (panes.dialog.value) {
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
    case "keys":
      return <Keyboard />;
    default:
      return null;
  }
}
