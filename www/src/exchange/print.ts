// The printed machine: its title, its whole graph, and its text. It is created when the browser starts to print, and removed
// afterwards.

import "../styles/print.css";
import { Drawing } from "../embed/drawing.ts";
import { html } from "../ui/dom.ts";
import * as analysis from "../store/analysis.ts";
import * as playback from "../store/playback.ts";
import * as workspace from "../store/workspace.ts";
import { count } from "../ui/format.ts";

let paper: HTMLElement | undefined;
let theme: string | undefined;

function picture(): HTMLElement | false {
  const index = analysis.graph.peek();
  if (!index) return false;
  const drawing = new Drawing(index, { choose: () => {} });
  index.graph.nodes.forEach(({ id }, i) => drawing.paintNode(i, playback.runOf(id).peek()));
  index.graph.edges.forEach(({ id }, e) => drawing.paintEdge(e, playback.takenOf(id).peek()));
  return html("figure", {}, drawing.element);
}

function show(): void {
  hide();
  workspace.flush();
  const inner = analysis.inside.peek();
  const index = analysis.graph.peek();
  const title = inner?.name ?? workspace.title.peek();
  const comment = index?.graph.comment;
  paper = html(
    "article",
    { class: "paper" },
    html("h1", {}, title),
    index && html("p", {}, `${comment ? `${comment} · ` : ""}${count(index.stateCount, "state")}`),
    picture(),
    html("h2", {}, "Definition"),
    html("pre", {}, inner?.definition ?? workspace.definition.peek()),
  );
  document.body.append(paper);
  // The printed page is light, whatever the theme.
  theme = document.documentElement.dataset["theme"];
  document.documentElement.dataset["theme"] = "light";
}

function hide(): void {
  if (!paper) return;
  paper.remove();
  paper = undefined;
  if (theme !== undefined) document.documentElement.dataset["theme"] = theme;
}

addEventListener("beforeprint", show);
addEventListener("afterprint", hide);
