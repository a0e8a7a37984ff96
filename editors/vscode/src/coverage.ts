// Coverage as plain data. Nothing here needs an editor.

interface Place {
  kind: string;
  pointer: string;
  label: string;
  count: number;
}

/** Returns the places of a definition with the counts of both reports. */
export function added<Of extends Place>(before: readonly Of[], places: readonly Of[]): Of[] {
  const counts = new Map(before.map((place) => [place.pointer, place.count]));
  const known = new Set(places.map(({ pointer }) => pointer));
  return [
    ...before.filter(({ pointer }) => !known.has(pointer)),
    ...places.map((place) => ({ ...place, count: place.count + (counts.get(place.pointer) ?? 0) })),
  ];
}

/** Returns the name of a branch in the editor's list. */
export function describe({ kind, label }: Place): string {
  return label === "" ? kind : `${kind} ${label}`;
}
