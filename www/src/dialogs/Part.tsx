// One of the things that can go along with what is shared.

/// `there`: what is not there cannot be chosen.
export function Part({
  label,
  there = true,
  chosen,
  choose,
}: {
  label: string;
  there?: boolean;
  chosen: boolean;
  choose(on: boolean): void;
}) {
  return (
    <label>
      <input type="checkbox" checked={there && chosen} disabled={!there} onChange={(event) => choose(event.currentTarget.checked)} />{" "}
      {label}
    </label>
  );
}
