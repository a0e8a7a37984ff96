// The field of the seed, in the toolbar and in Config.

import * as store from "../store.ts";

export function SeedInput({ label }: { label?: string }) {
  return (
    <input
      type="number"
      aria-label={label}
      min={0}
      max={Number.MAX_SAFE_INTEGER}
      step={1}
      value={store.seed.value}
      onChange={(event) => {
        const next = event.currentTarget.valueAsNumber;
        if (Number.isSafeInteger(next) && next >= 0) store.seed.value = next;
        else event.currentTarget.value = String(store.seed.value);
      }}
    />
  );
}
