// Every pattern that the page inserts is a machine that runs to the promised result with its mocks.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { validate } from "stepglass";
import { DebugSession } from "stepglass/debug";

const folder = resolve(import.meta.dirname, "../../www/patterns");
const patterns = readdirSync(folder)
  .sort()
  .map((file) => ({ id: file.slice(0, -".json".length), ...JSON.parse(readFileSync(resolve(folder, file), "utf8")) }));
/** Returns the pattern with its placeholders filled in with their default texts. */
const filled = (value) => JSON.stringify(value).replaceAll(/\$\{([^}]*)\}/g, "$1");

test("there are eleven patterns with descriptions", () => {
  assert.equal(patterns.length, 11);
  for (const { id, title, lesson, words, cases } of patterns) {
    assert.ok(title.length > 3 && lesson.length > 15 && lesson.length < 80 && words.length > 3, id);
    assert.ok(cases.length >= 1, id);
  }
  assert.equal(new Set(patterns.map(({ title }) => title)).size, 11);
});

for (const { id, definition, cases } of patterns) {
  test(`${id}: the definition is valid, and has placeholders to fill in`, () => {
    assert.deepEqual(
      validate(filled(definition)).map(({ message }) => message),
      [],
    );
    assert.match(JSON.stringify(definition), /\$\{[^}]+\}/);
  });

  for (const { name, input, mocks, result, visits } of cases) {
    test(`${id}, ${name}: ${result.status}`, async () => {
      const session = new DebugSession(filled(definition), { input, mocks, startTime: 0, seed: 1 });
      const ended = await new Promise((done) => {
        session.on("terminated", done);
        session.continue();
      });
      const { status, output, error, cause } = ended;
      assert.deepEqual({ status, ...(status === "SUCCEEDED" ? { output } : { error, cause }) }, result);
      const entered = session
        .history(0)
        .filter(({ type }) => /StateEntered$/.test(type))
        .map((event) => event.stateEnteredEventDetails.name);
      assert.deepEqual(entered, visits);
    });
  }
}
