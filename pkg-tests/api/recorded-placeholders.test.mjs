// Placeholders of a definition take their values from a recorded execution, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { replayHistory, simulate } from "stepglass";
import { importSource } from "../../scripts/sources.mjs";

const { fill, namesIn, valuesIn } = await importSource("www/src/model/placeholders.ts");

const WRITTEN = `{
  "StartAt": "Charge",
  "States": {
    "Charge": { "Type": "Task", "Resource": "\${ChargeFunction.Arn}", "TimeoutSeconds": \${Timeout}, "Next": "Each" },
    "Each": {
      "Type": "Map",
      "ItemsPath": "$.items",
      "ItemProcessor": {
        "StartAt": "Store",
        "States": {
          "Store": {
            "Type": "Task",
            "Resource": "arn:\${AWS::Partition}:states:::dynamodb:putItem",
            "Parameters": { "TableName": "\${Prefix}-orders", "Item": { "id": { "S.$": "$.id" } }, "Tags": ["a", "\${Tag}"] },
            "End": true
          }
        }
      },
      "ResultPath": null,
      "Next": "Never"
    },
    "Never": { "Type": "Choice", "Choices": [{ "Variable": "$.x", "IsPresent": true, "Next": "Other" }], "Default": "Done" },
    "Other": { "Type": "Task", "Resource": "\${Other}", "Next": "Done" },
    "Done": { "Type": "Succeed" }
  }
}`;

const VALUES = {
  "ChargeFunction.Arn": "arn:aws:lambda:eu-west-1:123456789012:function:charge",
  Timeout: "30",
  "AWS::Partition": "aws",
  Prefix: "live",
  Tag: "b",
};

test("the values of placeholders come from the events, also in nested states, and the replay matches", () => {
  const ran = fill(WRITTEN, new Map(Object.entries({ ...VALUES, Other: "arn:aws:lambda:eu-west-1:123456789012:function:other" })));
  const { history, status } = simulate(ran, {}, { Charge: { output: { items: [{ id: "1" }] } }, Store: { output: {} } });
  assert.equal(status, "SUCCEEDED");
  const values = valuesIn(WRITTEN, history);
  assert.deepEqual(Object.fromEntries(values), VALUES);
  const filled = fill(WRITTEN, values);
  // A placeholder that no event determines stays.
  assert.deepEqual(namesIn(filled), ["Other"]);
  const { matches, divergences } = replayHistory(filled, { events: history });
  assert.ok(matches, JSON.stringify(divergences));
});

test("a history of another definition gives no values", () => {
  const other = fill(WRITTEN, new Map(Object.entries({ ...VALUES, Prefix: "live", Other: "x" }))).replace("-orders", "-parcels");
  const { history } = simulate(other, {}, { Charge: { output: { items: [{ id: "1" }] } }, Store: { output: {} } });
  assert.equal(valuesIn(WRITTEN, history).get("Prefix"), undefined);
});
