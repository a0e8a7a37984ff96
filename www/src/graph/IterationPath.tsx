// The path of the selected iterations, from the outermost Map.

import { viewOf } from "../model/iterations.ts";
import * as analysis from "../store/analysis.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { Icon } from "../ui/Icon.tsx";

export function IterationPath() {
  const look = playback.iterations();
  const index = analysis.graph.value;
  if (!look || !index) return null;
  const maps = [...playback.choices.value].flatMap(([map, choice]) => {
    const node = look.index.node(look.index.byId.get(map) ?? -1);
    const view = node && viewOf(look, map);
    if (!node || !view || view.total === 0) return [];
    const item = view.at >= 0 ? view.items[view.at]! : -1;
    return [{ node, shown: item >= 0 ? look.log.itemIndex[item]! : typeof choice === "number" ? choice : undefined }];
  });
  if (maps.length === 0) return null;
  maps.sort((a, b) => a.node.depth - b.node.depth);
  return (
    <nav class="iteration-path" aria-label="Iterations shown">
      {maps.map(({ node, shown }, i) => (
        <span key={node.id}>
          {i > 0 && <span aria-hidden="true"> › </span>}
          <button type="button" class="link" title={`Select ${node.name}`} onClick={() => selection.selectState(node.name, "page")}>
            {node.name} <b>{shown === undefined ? "…" : `#${shown}`}</b>
          </button>
        </span>
      ))}
      <button
        type="button"
        class="plain square small"
        aria-label="Show all iterations together"
        title="Show all iterations together"
        onClick={() => playback.choose(maps.map(({ node }) => [node.id, undefined]))}
      >
        <Icon name="close" size={12} />
      </button>
    </nav>
  );
}
