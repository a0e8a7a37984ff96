// While a started execution is looked at: its machine's graph as somebody has folded it, and what its text tells.

import { computed, effect } from "@preact/signals";
import { GraphIndex } from "../model/graph.ts";
import * as store from "../store.ts";

const shown = computed(() => store.inside.value?.definition);

effect(() => {
  const json = shown.value;
  if (json === undefined) return;
  const asked = { json, ...store.drawnAs(json) };
  let stale = false;
  store.query("layOut", asked).then(
    ({ graph, analysis }) => {
      const now = store.inside.peek();
      if (!stale && now) store.inside.value = { ...now, graph: new GraphIndex(graph), analysis };
    },
    () => {},
  );
  return () => {
    stale = true;
  };
});
