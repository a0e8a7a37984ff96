// The inputs there are to choose from.

import * as store from "../store.ts";
import { Icon } from "../ui/Icon.tsx";

export function InputHead() {
  const { value: inputs } = store.inputs;
  const chosen = inputs.findIndex(({ text }) => text === store.input.value);
  const choose = (at: number): void => {
    for (const flush of store.flushers) flush();
    const next = store.inputs.value[at];
    if (next) store.input.value = next.text;
  };
  const keep = (): void => {
    for (const flush of store.flushers) flush();
    const text = store.input.value;
    const name = `Input ${store.inputs.value.length + 1}`;
    store.inputs.value = [...store.inputs.value, { name, text }];
    store.say(`Kept as ${name}`);
  };
  return (
    <p class="hint">
      {inputs.length > 0 ? (
        <label class="mini">
          <span class="unseen">Input to run with</span>
          <select value={chosen} onChange={(event) => choose(Number(event.currentTarget.value))}>
            {chosen < 0 && <option value={-1}>As written below</option>}
            {inputs.map(({ name }, i) => (
              <option key={name} value={i}>
                {name}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <span>The execution's input, JSON. Empty stands for {"{}"}.</span>
      )}
      {chosen < 0 && (
        <button type="button" class="link" onClick={keep}>
          <Icon name="plus" size={12} /> Keep this one too
        </button>
      )}
    </p>
  );
}
