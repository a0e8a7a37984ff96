// The problems of a mocked result according to AWS's API model, if the page has the model of the service.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { refusalOf, taken } from "./serviceModels.ts";

export function Refusal({ resource, value }: { resource: string; value: unknown }) {
  const refusal = useSignal("");
  const models = taken.value;
  const text = models === 0 ? "" : (JSON.stringify(value) ?? "null");
  useEffect(() => {
    if (models === 0) return;
    let last = true;
    void refusalOf(resource, JSON.parse(text)).then(
      (found) => {
        if (last) refusal.value = found;
      },
      () => {},
    );
    return () => {
      last = false;
    };
  }, [resource, text, models]);
  return refusal.value === "" ? null : (
    <p class="mock-remark" role="status">
      {refusal.value}
    </p>
  );
}
