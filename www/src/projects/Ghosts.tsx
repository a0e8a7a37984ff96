// The ghosts of removed states and of their transitions. They are only shown and cannot be edited.

import { DRAWN, nameSize } from "../graph/lod.ts";
import { cut } from "../ui/measure.ts";
import type { RemovedTransition, Ghost } from "./ghosts.ts";

/** The maximum size of a name, and how much wider than its box a larger name may be, as in the names of states. */
const LARGEST = 38;
const WIDER = 1.6;

export function Ghosts({ ghosts, ways }: { ghosts: readonly Ghost[]; ways: readonly RemovedTransition[] }) {
  return (
    <g class="ghosts" role="group" aria-label="Removed states">
      <g aria-hidden="true">
        {ways.map(({ id, from, to }) => (
          <path key={id} class="ghost-way" d={`M${from.join(" ")}L${to.join(" ")}`} />
        ))}
      </g>
      {ghosts.map((ghost) => (
        <g key={ghost.id} class="ghost" role="img" aria-label={ghost.words}>
          <title>{ghost.words}</title>
          <rect x={ghost.x} y={ghost.y} width={ghost.width} height={ghost.height} rx="10" />
          <Name ghost={ghost} />
        </g>
      ))}
    </g>
  );
}

/** The name, drawn as the names of states are: in lines below the type or, in a small drawing, larger and alone. */
function Name({ ghost: { name, type, lines, x, y, width, height } }: { ghost: Ghost }) {
  const size = Math.min(LARGEST, nameSize.value);
  const middle = x + width / 2;
  if (size > DRAWN)
    return (
      <text class="name" x={middle} y={y + height / 2 + size * 0.35} style={{ fontSize: `${size}px` }} aria-hidden="true">
        {cut(name, size, size < 26 ? width - 12 : width * WIDER)}
      </text>
    );
  return (
    <g aria-hidden="true">
      <text class="caption" x={middle} y={y + 20}>
        {type}, removed
      </text>
      {lines.slice(0, 2).map((line, i) => (
        <text key={i} class="name" x={middle} y={y + 38 + 16 * i} style={{ fontSize: `${DRAWN}px` }}>
          {line}
        </text>
      ))}
    </g>
  );
}
