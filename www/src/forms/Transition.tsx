// The target of a state's transition: another state, or the end of its scope.

import { pointerTo } from "stepglass/pointer";
import type { Gesture } from "stepglass";
import { useForm } from "./context.ts";
import { Row, idOf } from "./Row.tsx";
import { change, reportRefusal } from "./write.ts";

/** A value that cannot be the name of a state. */
const END = "\0end";

export function TransitionField({ of, at }: { of: Readonly<Record<string, unknown>>; at: string }) {
  const { formed } = useForm();
  const next = pointerTo(at, "Next");
  const id = idOf(next);
  const { Next: to, End: end } = of;
  const value = typeof to === "string" ? to : end === true ? END : "";
  const own = typeof to === "string" && !formed.targets.includes(to) ? [to] : [];
  const choose = (chosen: string): void => {
    const gestures: Gesture[] =
      chosen === END
        ? [...(to === undefined ? [] : [{ kind: "remove" as const, at: next }]), { kind: "set", at: pointerTo(at, "End"), value: true }]
        : [...(end === undefined ? [] : [{ kind: "remove" as const, at: pointerTo(at, "End") }]), { kind: "set", at: next, value: chosen }];
    void reportRefusal(change(...gestures));
  };
  return (
    <Row at={to === undefined && end !== undefined ? pointerTo(at, "End") : next} name="Next" control={id}>
      <select id={id} value={value} aria-describedby={`${id}-problems`} onChange={(event) => choose(event.currentTarget.value)}>
        {value === "" && <option value="">Choose where it leads</option>}
        <option value={END}>End</option>
        {own.map((one) => (
          <option key={one} value={one}>
            {one} (there is no such state)
          </option>
        ))}
        {formed.targets.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </Row>
  );
}
