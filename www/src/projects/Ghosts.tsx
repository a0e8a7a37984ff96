// The ghosts of states that were removed, with the transitions that they had. They are told of, and nothing can be done with them.

import { DRAWN, nameSize } from "../graph/lod.ts";
import { cut } from "../ui/measure.ts";
import type { BrokenWay, Ghost } from "./ghosts.ts";

/// A larger name may be so much wider than its box, as names are on a map.
const LARGEST = 38;
const WIDER = 1.6;

export function Ghosts({ ghosts, ways }: { ghosts: readonly Ghost[]; ways: readonly BrokenWay[] }) {
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

/// As the names of states: in lines with the type above them, or larger and alone where one is further away.
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
