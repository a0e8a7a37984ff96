import { example } from "./example.ts";

export const first = example({
  title: "Order processing",
  lesson: "A whole workflow: checks, a payment that fails twice and is retried, work side by side, and a way out when the card is refused.",
  features: ["Task", "Choice", "Retry", "Catch", "Parallel"],
  definition: `
{
  "Comment": "Takes an order from the cart to the parcel",
  "StartAt": "CheckStock",
  "States": {
    "CheckStock": {
      "Type": "Task",
      "Comment": "Asks the warehouse for every item",
      "Resource": "arn:aws:lambda:us-east-1:123456789012:function:CheckStock",
      "ResultPath": "$.stock",
      "Next": "InStock?"
    },
    "InStock?": {
      "Type": "Choice",
      "Choices": [
        { "Variable": "$.stock.available", "BooleanEquals": true, "Next": "ChargeCard" },
        { "Variable": "$.customer.patient", "BooleanEquals": true, "Next": "WaitForSupply" }
      ],
      "Default": "OutOfStock"
    },
    "WaitForSupply": {
      "Type": "Wait",
      "Comment": "Two days: no time at all with the clock that skips waits",
      "Seconds": 172800,
      "Next": "CheckStock"
    },
    "OutOfStock": {
      "Type": "Fail",
      "Error": "OutOfStock",
      "Cause": "Not everything is there, and the customer would not wait"
    },
    "ChargeCard": {
      "Type": "Task",
      "Resource": "arn:aws:states:::lambda:invoke",
      "Parameters": {
        "FunctionName": "ChargeCard",
        "Payload": { "card.$": "$.customer.card", "amount.$": "$.total" }
      },
      "ResultSelector": { "receipt.$": "$.Payload.receipt" },
      "ResultPath": "$.payment",
      "Retry": [
        {
          "ErrorEquals": ["GatewayBusy", "Lambda.TooManyRequestsException"],
          "IntervalSeconds": 2,
          "MaxAttempts": 4,
          "BackoffRate": 2
        }
      ],
      "Catch": [
        { "ErrorEquals": ["CardRefused"], "ResultPath": "$.problem", "Next": "TellCustomer" }
      ],
      "Next": "Fulfil"
    },
    "Fulfil": {
      "Type": "Parallel",
      "Comment": "The parcel and the letter have nothing to do with each other",
      "Branches": [
        {
          "StartAt": "PackParcel",
          "States": {
            "PackParcel": {
              "Type": "Task",
              "Resource": "arn:aws:lambda:us-east-1:123456789012:function:PackParcel",
              "Next": "HandOver"
            },
            "HandOver": {
              "Type": "Pass",
              "Parameters": { "tracking.$": "States.Format('PKG-{}-{}', $$.Execution.Name, $.parcels)" },
              "End": true
            }
          }
        },
        {
          "StartAt": "SendReceipt",
          "States": {
            "SendReceipt": {
              "Type": "Task",
              "Resource": "arn:aws:states:::sns:publish",
              "Parameters": {
                "TopicArn": "arn:aws:sns:us-east-1:123456789012:receipts",
                "Message.$": "$.payment.receipt"
              },
              "End": true
            }
          }
        }
      ],
      "ResultSelector": { "tracking.$": "$[0].tracking", "message.$": "$[1].MessageId" },
      "ResultPath": "$.fulfilment",
      "Next": "Done"
    },
    "TellCustomer": {
      "Type": "Task",
      "Resource": "arn:aws:states:::sns:publish",
      "Parameters": {
        "TopicArn": "arn:aws:sns:us-east-1:123456789012:problems",
        "Message.$": "$.problem.Cause"
      },
      "ResultPath": null,
      "Next": "Refused"
    },
    "Refused": {
      "Type": "Fail",
      "ErrorPath": "$.problem.Error",
      "CausePath": "$.problem.Cause"
    },
    "Done": { "Type": "Succeed" }
  }
}`,
  input: `{
  "customer": { "name": "Ada", "card": "4242", "patient": true },
  "items": [
    { "sku": "lens", "quantity": 2 },
    { "sku": "brass-tube", "quantity": 1 }
  ],
  "total": 129.5
}
`,
  tasks: `// One handler for each task, found by the state's or function's name or by the resource.
import { TaskError } from "stepglass";

let asked = 0;

export default {
  // The first answer is no: the machine waits two days and asks again.
  CheckStock: async ({ items }) => ({ available: ++asked > 1, checked: items.length }),

  ChargeCard: async ({ card, amount }, task) => {
    if (card === "0000") throw new TaskError("CardRefused", "The bank says no");
    // Busy twice, so that there is something to retry.
    if (task.attempt < 2) throw new TaskError("GatewayBusy", "Try again later");
    console.log("charged", amount, "at attempt", task.attempt + 1);
    return { receipt: "R-1001" };
  },

  PackParcel: async ({ items }) => ({ parcels: Math.ceil(items.length / 2) }),

  "sns:publish": async ({ Message }) => ({ MessageId: "m-" + String(Message).length }),
};
`,
});
