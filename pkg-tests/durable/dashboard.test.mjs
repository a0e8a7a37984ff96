// The dashboard for Grafana and the alerts for Prometheus name only metrics and labels that exist.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Runtime } from "../../dist/durable-node.js";
import { parse } from "../../dist/yaml-library.cjs";

const folder = join(import.meta.dirname, "../../docs/monitoring");
const skip = existsSync(folder) ? false : "the package has no docs";

/** Returns the labels of each metric that a Runtime with a queue writes, by name. */
async function written() {
  const machines = { Work: { StartAt: "A", States: { A: { Type: "Task", Resource: "work", End: true } } } };
  const runtime = await new Runtime({
    machines,
    tasks: { work: () => 7 },
    taskOptions: { work: { queue: "slow" } },
    queues: { slow: {} },
  }).open();
  await runtime.start("Work", { name: "one" });
  const text = await runtime.metricsText();
  await runtime.close();
  const metrics = new Map();
  for (const [, name, labels = ""] of text.matchAll(/^(stepglass_\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = metrics.get(name) ?? new Set();
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label);
    metrics.set(name, known);
  }
  return metrics;
}

/** Checks the metrics of an expression, and the labels by which it selects and groups. `scraped` are those that Prometheus adds. */
function check(expression, metrics) {
  const scraped = new Set(["job", "instance"]);
  const names = [...expression.matchAll(/stepglass_\w+/g)].map(([name]) => name);
  for (const name of names) assert.ok(metrics.has(name), `there is no metric ${name}: ${expression}`);
  const known = new Set([...scraped, ...names.flatMap((name) => [...metrics.get(name)])]);
  for (const [, name, selected] of expression.matchAll(/(stepglass_\w+)\{([^}]*)\}/g))
    for (const [, label] of selected.matchAll(/(\w+)=~?"/g))
      assert.ok(scraped.has(label) || metrics.get(name).has(label), `${name} has no label ${label}: ${expression}`);
  for (const [, group] of expression.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of group.split(/, */)) assert.ok(known.has(label), `nothing in it has a label ${label}: ${expression}`);
  return names;
}

test("the dashboard shows every metric, and only metrics and labels that exist", { skip }, async () => {
  const metrics = await written();
  const dashboard = JSON.parse(readFileSync(join(folder, "grafana.json"), "utf8"));
  const shown = new Set();
  for (const { title, targets, gridPos, type, datasource } of dashboard.panels) {
    assert.ok(["stat", "timeseries"].includes(type), title);
    assert.equal(datasource.uid, "${datasource}");
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (const { expr, legendFormat } of targets) {
      for (const name of check(expr, metrics)) shown.add(name);
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) assert.match(expr, new RegExp(`by \\([^)]*\\b${label}\\b`), title);
    }
  }
  const families = [...metrics.keys()].filter((name) => name !== "stepglass_commit_seconds_sum");
  assert.deepEqual(
    families.filter((name) => !shown.has(name)),
    [],
  );
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  const variables = dashboard.templating.list.map(({ name }) => name);
  for (const [, name] of JSON.stringify(dashboard.panels).matchAll(/\$\{?(\w+)/g))
    assert.ok([...variables, "__rate_interval"].includes(name), name);
});

test("the alerts name only metrics and labels that exist, and the documentation has each of them", { skip }, async () => {
  const metrics = await written();
  const { groups } = parse(readFileSync(join(folder, "alerts.yml"), "utf8"));
  const text = readFileSync(join(folder, "../durable.md"), "utf8");
  for (const { alert, expr, labels, annotations } of groups.flatMap(({ rules }) => rules)) {
    check(expr, metrics);
    assert.ok(text.includes(`\`${alert}\``), `docs/durable.md does not explain ${alert}`);
    assert.ok(["page", "ticket"].includes(labels.severity), alert);
    assert.ok(annotations.summary.length > 20, alert);
  }
});
