// The page itself.

import "./trusted.ts";
import { render } from "preact";
import { first } from "./examples/first.ts";
import { registerOffline } from "./offline.ts";
import * as opening from "./store/opening.ts";
import { loaders } from "./graph/graphEditor.ts";
import "./shell/tabTitle.ts";
import { showAlarm } from "./store/notifications.ts";
import { App } from "./shell/App.tsx";
import { openDropped } from "./exchange/drop.ts";
import { tour } from "./ui/tour.ts";

// A first visit has no stored data to wait for.
const fresh = !hasKept();
if (fresh) opening.open(first, true, { example: first.id });
void import("./exchange/persistence.ts")
  .then(({ startSaving }) => startSaving(fresh, first))
  .catch((error: Error) => {
    if (!fresh) opening.open(first, true, { example: first.id });
    showAlarm(`Drafts are not kept: a part of the page could not be loaded. ${error.message}`);
  })
  .then(attach);
addEventListener("hashchange", () => void attach());
const root = document.getElementById("app")!;
root.replaceChildren();
render(<App />, root);
registerOffline();

// The editing code is not needed until the user edits.
loaders.project = () => import("./projects/project.ts");
loaders.graphEditor = () => {
  void loaders.project().catch(() => {});
  return import("./editing/graphEditor.ts").then(() => import("./forms/inspect.tsx")).catch(() => {});
};
for (const action of ["pointermove", "pointerdown", "keydown"]) addEventListener(action, loaders.graphEditor, { once: true });

tour.begin = () =>
  void import("./tour/tour.tsx").then(
    ({ begin }) => begin(),
    (error: Error) => showAlarm(`The tour could not be loaded: ${error.message}`),
  );

// A dropped file is opened. Without this, the browser would navigate to it.
addEventListener("dragover", (event) => {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
});
addEventListener("drop", (event) => {
  const [file] = event.dataTransfer?.files ?? [];
  if (!file) return;
  event.preventDefault();
  const item = event.dataTransfer?.items[0] as { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> } | undefined;
  openDropped(file, item?.getAsFileSystemHandle?.());
});

/** Returns whether the address or this browser's storage has a workspace to open. */
function hasKept(): boolean {
  try {
    return (
      /^#v\d+\./.test(location.hash) ||
      sessionStorage.getItem("stepglass.tab") !== null ||
      Object.keys(localStorage).some((key) => /^stepglass\.(draft|recent)\b/.test(key))
    );
  } catch {
    return /^#v\d+\./.test(location.hash);
  }
}

/** Attaches to an execution of the server that this page comes from, if the address names one. */
async function attach(): Promise<void> {
  if (!location.hash.startsWith("#import=")) return;
  const attached = await import("./exchange/attached.ts");
  await attached.attach(attached.importOf(location.hash) ?? "");
}
