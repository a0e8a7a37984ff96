// Lays out the graph of the selected child execution with the user's folds, and analyses its text.

import { computed, effect } from "@preact/signals";
import { GraphIndex } from "../model/graph.ts";
import * as analysis from "./analysis.ts";
import * as interpreter from "./interpreter.ts";

const shown = computed(() => analysis.inside.value?.definition);

effect(() => {
  const json = shown.value;
  if (json === undefined) return;
  const asked = { json, ...analysis.drawnAs(json) };
  let stale = false;
  interpreter.query("layOut", asked).then(
    ({ graph, analysis: found }) => {
      if (!stale) analysis.readInside(new GraphIndex(graph), found);
    },
    () => {},
  );
  return () => {
    stale = true;
  };
});
