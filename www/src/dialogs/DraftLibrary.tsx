// The projects and drafts that this browser stores, the newest first.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Draft, MOST, drafts, listDrafts, removeDraft, restoreDraft, writeDraft } from "../exchange/drafts.ts";
import { currentDraft, openDraft } from "../exchange/persistence.ts";
import { sessionText } from "../exchange/session.ts";
import { type StoredProject, claimed, listProjects, removeProject, writeProject } from "../projects/storedProjects.ts";
import * as panes from "../store/panes.ts";
import { say, showAlarm } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import { save } from "../ui/save.ts";

const FEW = 6;

const close = (): void => {
  panes.closeDialog();
};

/** Loads the part of the page that shows projects. */
const project = () => import("../projects/project.ts");
const failed = ({ message }: Error): void => showAlarm(`That could not be done: ${message}`);

export function DraftLibrary() {
  return (
    <>
      <Projects />
      <Drafts />
      <Room />
    </>
  );
}

interface EntryProps {
  title: string;
  kind: "project" | "draft";
  about: string;
  isOpen: boolean;
  open: () => void;
  rename: (to: string) => void;
  save: () => void;
  remove?: (() => void) | undefined;
}

function Entry({ title, kind, about, isOpen, open, rename, save: saveIt, remove }: EntryProps) {
  const naming = useSignal(false);
  return (
    <li>
      {naming.value ? (
        <Name
          title={title}
          done={(to) => {
            naming.value = false;
            if (to !== title && to !== "") rename(to);
          }}
        />
      ) : (
        <button type="button" class="link" aria-current={isOpen ? "true" : undefined} onClick={open}>
          {title}
        </button>
      )}
      <span class="quiet">
        {isOpen ? "open now · " : ""}
        {about} <Act icon="pencil" label={`Rename the ${kind} ${title}`} run={() => (naming.value = true)} />
        <Act icon="download" label={`Save the ${kind} ${title} as a file`} run={saveIt} />
        {remove && <Act icon="close" label={`Remove the ${kind} ${title}`} run={remove} />}
      </span>
    </li>
  );
}

function Act({ icon, label, run }: { icon: "pencil" | "download" | "close"; label: string; run: () => void }) {
  return (
    <button type="button" class="plain square small" aria-label={label} title={label} onClick={run}>
      <Icon name={icon} size={13} />
    </button>
  );
}

function Name({ title, done }: { title: string; done: (to: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current!.focus();
    field.current!.select();
  }, []);
  return (
    <input
      ref={field}
      aria-label={`Name of ${title}`}
      maxLength={200}
      defaultValue={title}
      onBlur={(event) => done(event.currentTarget.value.replace(/\s+/g, " ").trim())}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key !== "Escape") return;
        // The key belongs to the field, and not to the dialog.
        event.preventDefault();
        event.stopPropagation();
        done(title);
      }}
    />
  );
}

function Removed({ title, undo }: { title: string; undo(): void }) {
  return (
    <p class="quiet" role="status">
      Removed “{title}”.{" "}
      <button type="button" class="link" onClick={undo}>
        Undo
      </button>
    </p>
  );
}

/** Returns the id of the project that this tab shows. */
function ownProject(): string | null {
  try {
    return sessionStorage.getItem("stepglass.project");
  } catch {
    return null;
  }
}

/** The projects: several machines with their files. */
function Projects() {
  const list = useSignal<readonly StoredProject[]>([]);
  const open = useSignal<ReadonlySet<string>>(new Set());
  const removed = useSignal<StoredProject | null>(null);
  const look = async (): Promise<void> => {
    try {
      [list.value, open.value] = await Promise.all([listProjects(), claimed()]);
    } catch {
      list.value = [];
    }
  };
  useEffect(() => void look(), []);
  if (list.value.length === 0 && removed.value === null) return null;
  const mine = ownProject();
  return (
    <>
      <h3>Projects in this browser</h3>
      <ul class="recent projects">
        {list.value.map((one) => (
          <ProjectEntry
            key={one.id}
            project={one}
            isMine={one.id === mine}
            isOpen={open.value.has(one.id)}
            look={look}
            remove={() => {
              removed.value = one;
              void removeProject(one.id).then(look).catch(failed);
              say(`Removed ${one.name}`);
            }}
          />
        ))}
      </ul>
      {removed.value && (
        <Removed
          title={removed.value.name}
          undo={() => {
            const back = removed.value!;
            removed.value = null;
            void writeProject(back).then(look).catch(failed);
          }}
        />
      )}
    </>
  );
}

interface ProjectEntryProps {
  project: StoredProject;
  /** Whether this tab shows it. */
  isMine: boolean;
  /** Whether any tab shows it. Such a project cannot be removed. */
  isOpen: boolean;
  look(): Promise<void>;
  remove(): void;
}

function ProjectEntry({ project: one, isMine, isOpen, look, remove }: ProjectEntryProps) {
  const machines = count(one.tabs.length, "machine");
  const size = one.tabs.reduce((sum, { machine }) => sum + JSON.stringify(machine).length, 0);
  return (
    <Entry
      kind="project"
      title={one.name}
      about={`${isOpen && !isMine ? "open in another tab · " : ""}${when(one.at)} · ${machines} · ${count(size, "character")}`}
      isOpen={isMine}
      open={() => {
        close();
        void project()
          .then(({ openKept }) => openKept(one))
          .catch(failed);
      }}
      rename={(name) =>
        void (isMine ? project().then(({ renameProject }) => renameProject(name)) : writeProject({ ...one, name, named: true }))
          .then(look)
          .catch(failed)
      }
      save={() =>
        void project()
          .then(({ keptText }) => save(`${one.name}.stepglass.json`, keptText(one), "application/json"))
          .catch(failed)
      }
      remove={isOpen ? undefined : remove}
    />
  );
}

/** The drafts: what was edited, imported or opened from a link in this browser. */
function Drafts() {
  useEffect(() => void listDrafts(), []);
  const removed = useSignal<Draft | null>(null);
  const list = drafts.value;
  const shown = useSignal(FEW);
  if (list.length === 0) return null;
  const here = currentDraft();
  return (
    <>
      <h3>Drafts in this browser</h3>
      <ul class="recent">
        {list.slice(0, shown.value).map((draft) => (
          <Entry
            key={draft.id}
            kind="draft"
            title={draft.workspace.title}
            about={`${when(draft.at)} · ${count(draft.workspace.definition.length, "character")}`}
            isOpen={draft.id === here}
            open={() => {
              close();
              if (draft.id !== here) openDraft(draft);
            }}
            rename={(title) => renameDraft(draft, title, draft.id === here)}
            save={() => save(`${draft.workspace.title}.asldbg.json`, sessionText(draft.workspace), "application/json")}
            remove={
              draft.id === here
                ? undefined
                : () => {
                    removed.value = draft;
                    removeDraft(draft.id);
                  }
            }
          />
        ))}
      </ul>
      {removed.value && (
        <Removed
          title={removed.value.workspace.title}
          undo={() => {
            restoreDraft(removed.value!);
            removed.value = null;
          }}
        />
      )}
      {list.length > shown.value && (
        <button type="button" class="link" onClick={() => (shown.value = MOST)}>
          Show all {list.length} drafts
        </button>
      )}
      <p class="quiet">The last {MOST} are kept, up to 4 MB together. They stay in this browser.</p>
    </>
  );
}

function renameDraft(draft: Draft, title: string, isHere: boolean): void {
  if (isHere) return workspace.edit({ title });
  try {
    writeDraft({ ...draft, turn: draft.turn + 1, workspace: { ...draft.workspace, title } });
    listDrafts();
  } catch (error) {
    failed(error as Error);
  }
}

/** A warning if the browser has hardly any storage left. */
function Room() {
  const left = useSignal<number | undefined>(undefined);
  useEffect(() => {
    navigator.storage?.estimate?.().then(
      ({ quota, usage }) => {
        if (quota !== undefined && usage !== undefined) left.value = quota - usage;
      },
      () => {},
    );
  }, []);
  if (left.value === undefined || left.value > 5_000_000) return null;
  return (
    <p class="strip warn" role="status">
      <Icon name="warning" />
      <span>This browser has hardly any room left for this page. Remove drafts, projects or executions, or save them as files.</span>
    </p>
  );
}

/** Returns when it was saved, in the user's language. */
function when(at: number): string {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(undefined, today ? { timeStyle: "short" } : { dateStyle: "medium" }).format(date);
}
