// The gallery, in the order of its cards.

import { first } from "./order.ts";
import { type Example, example } from "./example.ts";

const retry = example({
  title: "Retry, back-off, catch",
  lesson: "A service that is down: four attempts with growing delays, then a plan B. See the attempts in the inspector.",
  features: ["Retry", "BackoffRate", "Catch"],
  definition: `
{
  "Comment": "A quote from a service that is not well",
  "StartAt": "AskService",
  "States": {
    "AskService": {
      "Type": "Task",
      "Resource": "arn:aws:lambda:us-east-1:123456789012:function:QuoteService",
      "TimeoutSeconds": 30,
      "Retry": [
        {
          "ErrorEquals": ["ServiceDown"],
          "IntervalSeconds": 3,
          "BackoffRate": 2,
          "MaxAttempts": 3,
          "MaxDelaySeconds": 10,
          "JitterStrategy": "FULL"
        },
        { "ErrorEquals": ["States.Timeout"], "MaxAttempts": 1 }
      ],
      "Catch": [
        { "ErrorEquals": ["ServiceDown"], "ResultPath": "$.problem", "Next": "UseLastQuote" },
        { "ErrorEquals": ["States.ALL"], "ResultPath": "$.problem", "Next": "GiveUp" }
      ],
      "Next": "Offer"
    },
    "UseLastQuote": {
      "Type": "Pass",
      "Result": { "price": 41, "fresh": false },
      "ResultPath": "$.quote",
      "Next": "Offer"
    },
    "Offer": { "Type": "Succeed" },
    "GiveUp": {
      "Type": "Fail",
      "Error": "NoQuote",
      "CausePath": "$.problem.Cause"
    }
  }
}`,
  input: `{ "article": "brass tube", "quantity": 3 }\n`,
  tasks: `export default {
  // Change the number to 2, and the third attempt succeeds.
  QuoteService: async (input, task) => {
    const attemptsThatFail = 99;
    if (task.attempt < attemptsThatFail) {
      const error = new Error("The service does not answer (attempt " + (task.attempt + 1) + ")");
      error.name = "ServiceDown";
      throw error;
    }
    return { quote: { price: 42, fresh: true } };
  },
};
`,
});

const parallel = example({
  title: "Parallel branches",
  lesson: "Three branches at once. One fails for some inputs: then the others are cancelled, and the error is caught around all of them.",
  features: ["Parallel", "Catch", "Wait"],
  definition: `
{
  "Comment": "A trip needs all of its parts",
  "StartAt": "BookTrip",
  "States": {
    "BookTrip": {
      "Type": "Parallel",
      "Branches": [
        {
          "StartAt": "BookFlight",
          "States": {
            "BookFlight": {
              "Type": "Task",
              "Resource": "arn:aws:lambda:us-east-1:123456789012:function:BookFlight",
              "End": true
            }
          }
        },
        {
          "StartAt": "HoldRoom",
          "States": {
            "HoldRoom": { "Type": "Wait", "Seconds": 5, "Next": "BookHotel" },
            "BookHotel": {
              "Type": "Task",
              "Resource": "arn:aws:lambda:us-east-1:123456789012:function:BookHotel",
              "End": true
            }
          }
        },
        {
          "StartAt": "NeedsCar?",
          "States": {
            "NeedsCar?": {
              "Type": "Choice",
              "Choices": [{ "Variable": "$.car", "BooleanEquals": true, "Next": "RentCar" }],
              "Default": "Walk"
            },
            "RentCar": {
              "Type": "Task",
              "Resource": "arn:aws:lambda:us-east-1:123456789012:function:RentCar",
              "End": true
            },
            "Walk": { "Type": "Pass", "Result": "on foot", "End": true }
          }
        }
      ],
      "ResultSelector": { "flight.$": "$[0]", "hotel.$": "$[1]", "around.$": "$[2]" },
      "Catch": [{ "ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "CancelAll" }],
      "Next": "Confirm"
    },
    "CancelAll": {
      "Type": "Task",
      "Resource": "arn:aws:lambda:us-east-1:123456789012:function:CancelBookings",
      "ResultPath": null,
      "Next": "Sorry"
    },
    "Sorry": { "Type": "Fail", "Error": "TripCancelled", "CausePath": "$.error.Error" },
    "Confirm": { "Type": "Succeed" }
  }
}`,
  input: `{ "to": "Lisbon", "nights": 3, "car": true, "driverAge": 19 }\n`,
  tasks: `export default {
  BookFlight: async ({ to }) => ({ flight: "SG 204", to }),
  BookHotel: async ({ nights }) => ({ hotel: "Miradouro", nights }),
  RentCar: async ({ driverAge }) => {
    if (driverAge < 21) throw Object.assign(new Error("The driver is too young"), { name: "TooYoung" });
    return { car: "small" };
  },
  CancelBookings: async () => ({ cancelled: true }),
};
`,
});

const map = example({
  title: "Map over items",
  lesson: "One run of the inner machine for each item, two at a time. A bad item is caught inside and spoils nothing.",
  features: ["Map", "MaxConcurrency", "Catch", "ItemSelector"],
  definition: `
{
  "Comment": "Thumbnails for every picture of an album",
  "StartAt": "EachPicture",
  "States": {
    "EachPicture": {
      "Type": "Map",
      "ItemsPath": "$.pictures",
      "MaxConcurrency": 2,
      "ItemSelector": {
        "album.$": "$.album",
        "index.$": "$$.Map.Item.Index",
        "picture.$": "$$.Map.Item.Value"
      },
      "ItemProcessor": {
        "ProcessorConfig": { "Mode": "INLINE" },
        "StartAt": "Large?",
        "States": {
          "Large?": {
            "Type": "Choice",
            "Choices": [
              { "Variable": "$.picture.pixels", "NumericGreaterThan": 4000000, "Next": "Shrink" }
            ],
            "Default": "Copy"
          },
          "Shrink": {
            "Type": "Task",
            "Resource": "arn:aws:lambda:us-east-1:123456789012:function:Shrink",
            "Catch": [{ "ErrorEquals": ["BrokenPicture"], "ResultPath": "$.error", "Next": "Skip" }],
            "End": true
          },
          "Copy": {
            "Type": "Pass",
            "Parameters": { "name.$": "$.picture.name", "how": "copied" },
            "End": true
          },
          "Skip": {
            "Type": "Pass",
            "Parameters": { "name.$": "$.picture.name", "how": "skipped", "why.$": "$.error.Error" },
            "End": true
          }
        }
      },
      "ResultPath": "$.thumbnails",
      "Next": "Index"
    },
    "Index": {
      "Type": "Pass",
      "Parameters": {
        "album.$": "$.album",
        "count.$": "States.ArrayLength($.thumbnails)",
        "skipped.$": "$.thumbnails[?(@.how == 'skipped')].name",
        "thumbnails.$": "$.thumbnails"
      },
      "End": true
    }
  }
}`,
  input: `{
  "album": "Voyage",
  "pictures": [
    { "name": "harbour", "pixels": 12000000 },
    { "name": "sextant", "pixels": 900000 },
    { "name": "fog", "pixels": 8000000 },
    { "name": "lighthouse", "pixels": 24000000 },
    { "name": "gull", "pixels": 300000 },
    { "name": "night", "pixels": 16000000 }
  ]
}
`,
  tasks: `export default {
  Shrink: async ({ picture }) => {
    if (picture.name === "fog") throw Object.assign(new Error("Nothing to be seen"), { name: "BrokenPicture" });
    return { name: picture.name, how: "shrunk", factor: Math.round(picture.pixels / 1000000) };
  },
};
`,
});

const wait = example({
  title: "Waiting for weeks",
  lesson: "Thirty days in no time: the clock jumps from timer to timer. Choose “60 × faster” to see one run for real.",
  features: ["Wait", "virtual clock", "Context Object"],
  definition: `
{
  "Comment": "A trial that ends, with a letter before",
  "StartAt": "BeginTrial",
  "States": {
    "BeginTrial": {
      "Type": "Pass",
      "Parameters": { "user.$": "$.user", "began.$": "$$.State.EnteredTime" },
      "Next": "ThreeWeeks"
    },
    "ThreeWeeks": { "Type": "Wait", "Seconds": 1814400, "Next": "Remind" },
    "Remind": {
      "Type": "Task",
      "Resource": "arn:aws:lambda:us-east-1:123456789012:function:SendLetter",
      "ResultPath": "$.letter",
      "Next": "RestOfTheMonth"
    },
    "RestOfTheMonth": { "Type": "Wait", "SecondsPath": "$.letter.daysLeftInSeconds", "Next": "EndTrial" },
    "EndTrial": {
      "Type": "Pass",
      "Parameters": {
        "user.$": "$.user",
        "began.$": "$.began",
        "ended.$": "$$.State.EnteredTime"
      },
      "End": true
    }
  }
}`,
  input: `{ "user": "ada@example.org" }\n`,
  tasks: `export default {
  SendLetter: async ({ user }) => {
    console.log("Dear " + user + ", nine days are left.");
    return { daysLeftInSeconds: 9 * 24 * 60 * 60 };
  },
};
`,
});

const loop = example({
  title: "A loop with a counter",
  lesson: "Choice leads back: Euclid's algorithm with States.MathAdd. The editor's margin and the graph count the visits.",
  features: ["Choice", "loop", "Variables"],
  definition: `
{
  "Comment": "The greatest common divisor, by subtraction",
  "StartAt": "Begin",
  "States": {
    "Begin": {
      "Type": "Pass",
      "Assign": { "steps": 0 },
      "Next": "Compare"
    },
    "Compare": {
      "Type": "Choice",
      "Choices": [
        { "Variable": "$.a", "NumericGreaterThanPath": "$.b", "Next": "ShrinkA" },
        { "Variable": "$.b", "NumericGreaterThanPath": "$.a", "Next": "ShrinkB" }
      ],
      "Default": "Found"
    },
    "ShrinkA": {
      "Type": "Pass",
      "Parameters": {
        "a.$": "States.MathAdd($.a, States.StringToJson(States.Format('-{}', $.b)))",
        "b.$": "$.b"
      },
      "Assign": { "steps.$": "States.MathAdd($steps, 1)" },
      "Next": "Compare"
    },
    "ShrinkB": {
      "Type": "Pass",
      "Parameters": {
        "a.$": "$.a",
        "b.$": "States.MathAdd($.b, States.StringToJson(States.Format('-{}', $.a)))"
      },
      "Assign": { "steps.$": "States.MathAdd($steps, 1)" },
      "Next": "Compare"
    },
    "Found": {
      "Type": "Pass",
      "Parameters": { "divisor.$": "$.a", "steps.$": "$steps" },
      "End": true
    }
  }
}`,
  input: `{ "a": 252, "b": 105 }\n`,
});

const token = example({
  title: "A person decides",
  lesson: "A task that waits for its token: you are the manager. Answer under “Waiting tasks”, or let the time run out with “Next timer”.",
  features: [".waitForTaskToken", "TimeoutSeconds", "ask me"],
  definition: `
{
  "Comment": "Expenses above a limit need a yes",
  "StartAt": "Small?",
  "States": {
    "Small?": {
      "Type": "Choice",
      "Choices": [{ "Variable": "$.amount", "NumericLessThan": 50, "Next": "Pay" }],
      "Default": "AskManager"
    },
    "AskManager": {
      "Type": "Task",
      "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
      "Parameters": {
        "QueueUrl": "https://sqs.us-east-1.amazonaws.com/123456789012/decisions",
        "MessageBody": {
          "question.$": "States.Format('May {} spend {}?', $.who, $.amount)",
          "token.$": "$$.Task.Token"
        }
      },
      "TimeoutSeconds": 86400,
      "ResultPath": "$.decision",
      "Catch": [
        { "ErrorEquals": ["States.Timeout"], "ResultPath": "$.problem", "Next": "NobodyAnswered" }
      ],
      "Next": "Approved?"
    },
    "Approved?": {
      "Type": "Choice",
      "Choices": [{ "Variable": "$.decision.approved", "BooleanEquals": true, "Next": "Pay" }],
      "Default": "Declined"
    },
    "Pay": {
      "Type": "Task",
      "Resource": "arn:aws:lambda:us-east-1:123456789012:function:PayOut",
      "End": true
    },
    "Declined": { "Type": "Fail", "Error": "Declined", "Cause": "The manager said no" },
    "NobodyAnswered": { "Type": "Fail", "Error": "Unanswered", "Cause": "A day went by" }
  }
}`,
  input: `{ "who": "Ada", "amount": 120 }\n`,
  tasks: `export default {
  // Sends the question; the answer comes later, by the token.
  AskManager: async ({ MessageBody }) => {
    console.log(MessageBody.question);
    return { MessageId: "1" };
  },

  PayOut: async ({ who, amount }) => ({ paid: amount, to: who }),
};
`,
});

const intrinsics = example({
  title: "Intrinsic functions",
  lesson: "What a state can compute by itself: arrays, text, numbers, hashes, and UUIDs that follow from the seed.",
  features: ["States.Format", "States.ArrayPartition", "States.UUID", "seed"],
  definition: `
{
  "Comment": "Every kind of intrinsic function",
  "StartAt": "Arrays",
  "States": {
    "Arrays": {
      "Type": "Pass",
      "Parameters": {
        "made.$": "States.Array($.first, $.second, 3)",
        "range.$": "States.ArrayRange(1, 9, 2)",
        "pairs.$": "States.ArrayPartition($.words, 2)",
        "unique.$": "States.ArrayUnique($.words)",
        "hasLens.$": "States.ArrayContains($.words, 'lens')",
        "second.$": "States.ArrayGetItem($.words, 1)",
        "length.$": "States.ArrayLength($.words)"
      },
      "ResultPath": "$.arrays",
      "Next": "Texts"
    },
    "Texts": {
      "Type": "Pass",
      "Parameters": {
        "greeting.$": "States.Format('Hello, {} and {}!', $.first, $.second)",
        "parts.$": "States.StringSplit('2026-11-21', '-')",
        "encoded.$": "States.Base64Encode($.first)",
        "decoded.$": "States.Base64Decode('U3RlcGdsYXNz')",
        "hash.$": "States.Hash($.first, 'SHA-256')",
        "text.$": "States.JsonToString($.arrays.made)",
        "value.$": "States.StringToJson('{\\"deep\\": [1, 2]}')"
      },
      "ResultPath": "$.texts",
      "Next": "Chance"
    },
    "Chance": {
      "Type": "Pass",
      "Comment": "Run again with another seed",
      "Parameters": {
        "uuid.$": "States.UUID()",
        "dice.$": "States.MathRandom(1, 7)",
        "always.$": "States.MathRandom(1, 100, 42)",
        "merged.$": "States.JsonMerge($.texts.value, $.extra, false)"
      },
      "ResultPath": "$.chance",
      "End": true
    }
  }
}`,
  input: `{
  "first": "Ada",
  "second": "Charles",
  "words": ["lens", "tube", "lens", "brass", "screw"],
  "extra": { "more": true }
}
`,
});

const yaml = example({
  title: "YAML, and a problem to fix",
  lesson: "The same language in YAML, with an anchor for retriers. One name is misspelt: see it underlined, and in the list of problems.",
  features: ["YAML", "diagnostics", "anchors"],
  format: "yaml",
  definition: `
Comment: Publishes a page, once it is checked
StartAt: Check
States:
  Check:
    Type: Task
    Resource: arn:aws:lambda:us-east-1:123456789012:function:Check
    Retry: &patiently
      - ErrorEquals: [States.TaskFailed]
        IntervalSeconds: 1
        MaxAttempts: 3
        BackoffRate: 2
    Next: Publsh

  Publish:
    Type: Task
    Resource: arn:aws:lambda:us-east-1:123456789012:function:Publish
    Retry: *patiently
    Next: Done

  Done:
    Type: Succeed
`,
  input: `{ "page": "home" }\n`,
  tasks: `export default {
  Check: async (page) => ({ ...page, checked: true }),
  Publish: async (page) => ({ ...page, published: true }),
};
`,
});

export const examples: Example[] = [first, retry, parallel, map, wait, loop, token, intrinsics, yaml];
