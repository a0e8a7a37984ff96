// Every example of the page's gallery runs to the promised result with the package.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine, layout, renderSvg, validate } from "stepglass";
import YAML from "yaml";
import { gallery, handlersOf } from "./examples.mjs";

const examples = gallery();

test("the gallery covers the features that users look for, and every example says what it teaches", () => {
  assert.ok(examples.length >= 15, `${examples.length} examples`);
  assert.equal(new Set(examples.map(({ title }) => title)).size, examples.length);
  for (const { id, files, lesson, features, inputs, breakpoints } of examples) {
    for (const file of files) assert.match(file, /^(example\.json|machine\.asl\.(json|yaml)|tasks\.js)$/, id);
    assert.ok(lesson.length > 20 && lesson.length < 220, `${id}: a lesson of one or two lines`);
    assert.ok(features.length >= 2 && inputs.length >= 2 && Array.isArray(breakpoints), id);
    assert.equal(new Set(inputs.map(({ name }) => name)).size, inputs.length, id);
  }
});

for (const { id, definition, format, fixed, inputs, breakpoints, tasks } of examples) {
  const value = () => (format === "yaml" ? YAML.parse(definition, { merge: true }) : JSON.parse(definition));

  test(`${id}: the definition is valid and can be drawn, and its breakpoints are on its states`, () => {
    const text = JSON.stringify(value());
    assert.deepEqual(
      validate(text).map(({ message }) => message),
      fixed ? [fixed.problem] : [],
    );
    const { nodes } = layout(text);
    assert.match(renderSvg(text), /^<svg /);
    const names = new Set(nodes.map(({ name }) => name));
    for (const { state } of breakpoints) assert.ok(state === undefined || names.has(state), `${state} is a state`);
  });

  for (const { name, input, answers = {}, result } of inputs) {
    test(`${id}, ${name}: ${result.status}${result.error ? ` ${result.error}` : ""}`, async () => {
      const text = fixed ? JSON.stringify(value()).replaceAll(fixed.wrong, fixed.right) : JSON.stringify(value());
      const machine = new StateMachine(text);
      const handlers = await handlersOf(tasks);
      const answered = Object.entries(answers).map(([state, output]) => [
        state,
        async (given, task) => {
          const response = await handlers[state](given, task);
          // The user answers after the request has been made.
          setTimeout(() => task.execution.succeed(task.token, output));
          await new Promise((resolve) => setTimeout(resolve, 1));
          return response;
        },
      ]);
      const execution = machine.start(input, {
        clock: "virtual",
        seed: 1,
        startTime: Date.UTC(2026, 0, 1),
        name: "run-1",
        tasks: { ...handlers, ...Object.fromEntries(answered) },
      });
      assert.deepEqual(await execution.result, result);
    });
  }
}
