// The tables of Step Functions' integrations, of those that are implemented, and of docs/aws.md agree.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { root } from "../../scripts/steps.mjs";

const skip = existsSync(join(root, "js/aws")) ? false : "the sources are not here";
/** The integrations that call the API of Kubernetes. */
const KUBERNETES = ["eks:call", "eks:runJob"];
/** The integrations that have no client in the AWS SDK and use HTTP. */
const BY_HTTP = ["apigateway", "http"];

describe("the integrations", { skip }, async () => {
  if (skip) return;
  const { OPTIMIZED } = await importSource("js/core/integrations/optimized.ts");
  const { JOBS } = await importSource("js/aws/jobs.ts");
  const { INTEGRATIONS } = await importSource("js/aws/integrations.ts");
  const { clientOf, optimizedService } = await importSource("js/aws/services.ts");
  const actions = Object.entries(OPTIMIZED).flatMap(([service, about]) =>
    Object.entries(about.actions).map(([action, { patterns }]) => ({ service, name: `${service}:${action}`, patterns })),
  );

  test("all have a client, and no other integration has a row", () => {
    const without = Object.keys(OPTIMIZED).filter((service) => optimizedService(service) === undefined);
    assert.deepEqual(without.sort(), BY_HTTP);
    const names = actions.map(({ name }) => name);
    assert.deepEqual(
      [...JOBS.keys(), ...INTEGRATIONS.keys()].filter((name) => !names.includes(name)),
      [],
    );
    for (const [service, { sdk }] of Object.entries(OPTIMIZED))
      if (!BY_HTTP.includes(service)) assert.equal(optimizedService(service).client, clientOf(sdk), service);
  });

  test("with .sync all wait for a job", () => {
    const waiting = actions.filter(({ patterns }) => patterns.includes("sync")).map(({ name }) => name);
    assert.deepEqual(
      waiting.filter((name) => !JOBS.has(name) && name !== "states:startExecution" && !KUBERNETES.includes(name)),
      [],
    );
    assert.deepEqual(
      [...JOBS.keys()].filter((name) => !waiting.includes(name)),
      [],
    );
  });

  test("are all in docs/aws.md, with their packages", () => {
    const rows = readFileSync(join(root, "docs/aws.md"), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    for (const { service, name } of actions) {
      const [, action] = name.split(":");
      const row = rows.find((line) => line.includes(`\`${service}:`) && (line.includes(`\`${name}\``) || line.includes(`\`${action}\``)));
      assert.ok(row, name);
      if (!BY_HTTP.includes(service) && !KUBERNETES.includes(name))
        assert.match(row, new RegExp(`client-${optimizedService(service).client}\``), name);
    }
  });
});
