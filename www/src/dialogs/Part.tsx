// A checkbox for a part that can be included in a link or a file.

/** `there` is false if the part does not exist; then it cannot be selected. */
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
