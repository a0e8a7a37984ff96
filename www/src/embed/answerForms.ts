// The forms in which a visitor answers the tasks that nothing else answers.

import type { html as Html } from "../ui/dom.ts";
import type { pretty as Pretty } from "./attributes.ts";
import type { StepglassDebugger } from "./element.ts";
import type { Asked } from "./protocol.ts";

/**
 * Shows a form for each task that waits for an answer, and removes the others. `html` and `pretty` are passed, because a module that two
 * chunks share becomes a chunk of its own, which the first load would pay for.
 */
export function listForms(element: StepglassDebugger, tasks: HTMLElement, html: typeof Html, pretty: typeof Pretty): void {
  const open = element.standing?.tasks ?? [];
  const known = new Set(open.map(({ id }) => String(id)));
  for (const child of [...tasks.children]) if (!known.has((child as HTMLElement).dataset["task"] ?? "")) child.remove();
  for (const task of open) if (!tasks.querySelector(`[data-task="${task.id}"]`)) tasks.append(formOf(element, task, html, pretty));
}

function formOf(
  element: StepglassDebugger,
  { id, state, resource, input }: Asked,
  html: typeof Html,
  pretty: typeof Pretty,
): HTMLFormElement {
  const text = html("textarea", { rows: 2, "aria-label": `Result of ${state} (JSON)`, spellcheck: "false" });
  text.value = "{}";
  const problem = html("p", { class: "bad", role: "alert" });
  const fail = html("button", { type: "button" }, "Fail");
  fail.addEventListener("click", () => element.answer(id, { kind: "fail", error: "States.TaskFailed", cause: "Failed by hand" }));
  const form = html(
    "form",
    { "data-task": id, "aria-label": `Answer of ${state}` },
    html("b", {}, state),
    html("code", {}, resource),
    html("pre", { tabindex: 0, role: "region", "aria-label": `Input of ${state}` }, pretty(JSON.stringify(input))),
    text,
    problem,
    html("span", { class: "row" }, html("button", { type: "submit" }, "Answer"), fail),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      element.answer(id, { kind: "succeed", output: JSON.parse(text.value.trim() === "" ? "null" : text.value) });
    } catch (error) {
      problem.textContent = (error as Error).message;
    }
  });
  return form;
}
