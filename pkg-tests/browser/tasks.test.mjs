// Results for tasks: mocks of every kind, rules, machines, and users.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { gzipSync } from "node:zlib";
import { simulate } from "stepglass";
import { skip } from "../browser.mjs";
import { GREETING, eventually, openFromMenu, until, visits } from "./playground.mjs";

const INVOKE = "arn:aws:states:::lambda:invoke";
const task = (Resource, fields = {}) => ({ Type: "Task", Resource, ...fields });
const chain = (states) => {
  const names = Object.keys(states);
  return {
    StartAt: names[0],
    States: Object.fromEntries(
      names.map((name, i) => [name, { ...states[name], ...(i + 1 < names.length ? { Next: names[i + 1] } : { End: true }) }]),
    ),
  };
};
const CALL = chain({ Call: task(INVOKE, { Parameters: { FunctionName: "price", "Payload.$": "$" } }) });
const CALLBACK = chain({
  Approve: task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", {
    Parameters: { QueueUrl: "q", "MessageBody.$": "$$.Task.Token" },
    HeartbeatSeconds: 600,
  }),
});

describe("tasks", { skip }, () => {
  const { visit } = visits();
  const answersFor = (page, name) => page.getByLabel(`What answers for ${name}`, { exact: true });
  const again = async (visitor, page) => {
    await page.keyboard.press("ControlOrMeta+Shift+Enter");
    await page.locator(".result").waitFor();
    return visitor.output();
  };
  const dialog = (page, name) => page.getByRole("dialog", { name });

  visit("wraps a fixed result or takes it as the whole response, and explains its choice", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: CALL });
    await visitor.tab("Mocks");
    await answersFor(page, "Call").selectOption("result");
    const result = page.getByLabel("Result of Call (JSON)");
    await result.fill('{"Payload": 5}');
    await page.getByText("put into Payload automatically").waitFor();
    await page.getByLabel("This is the service's whole response").check();
    await page.getByText("put into Payload automatically").waitFor({ state: "detached" });
    await visitor.run();
    await eventually(() => visitor.output(), { Payload: 5 });
    await page.getByLabel("Result of Call (JSON)").fill('{"StatusCode": 200}');
    await page.getByText("has the function's result in Payload, which is missing").waitFor();
    await page.getByLabel("This is the service's whole response").uncheck();
    assert.deepEqual((await again(visitor, page)).Payload, { StatusCode: 200 });
    await page.getByLabel("Result of Call (JSON)").fill("{nothing");
    await page.locator(".field-problem").filter({ hasText: "JSON" }).waitFor();
    await page.getByLabel("Result of Call (JSON)").fill(JSON.stringify("x".repeat(300_000)));
    await page.getByText("more than the limit of 256 KiB").waitFor();
    await eventually(() => visitor.violations(), []);
  });

  visit(
    "applies rules to a resource, a pattern and all the rest; a state's own mock takes precedence",
    { reusePage: true },
    async (visitor, page) => {
      const two = chain({
        Read: task("arn:aws:states:::dynamodb:getItem", { Parameters: {}, ResultPath: "$.read" }),
        Tell: task("arn:aws:states:::sns:publish", { Parameters: {}, ResultPath: "$.told" }),
      });
      await visitor.open({ definition: two, input: {} });
      await visitor.tab("Mocks");
      const rule = async (name, mode, result) => {
        await page.getByLabel("Resource, function or pattern").fill(name);
        await page.getByRole("button", { name: "Add a rule" }).click();
        await answersFor(page, name).selectOption(mode);
        if (result !== undefined) await page.getByLabel(`Result of ${name} (JSON)`).fill(result);
      };
      await rule("*", "result", '"anything"');
      await rule("dynamodb:*", "result", '"a row"');
      await page.getByText("for Read", { exact: true }).waitFor();
      await visitor.run();
      await eventually(() => visitor.output(), { read: "a row", told: "anything" });
      await eventually(() => page.locator('[data-node="/States/Tell"]').getAttribute("aria-label"), /mocked/);
      await answersFor(page, "Read").selectOption("result");
      await page.getByLabel("Result of Read (JSON)").fill('"mine"');
      assert.deepEqual(await again(visitor, page), { read: "mine", told: "anything" });
      // Tasks that are set to "handler" call the handler, whatever the rules say.
      await answersFor(page, "Tell").selectOption("handler");
      await page.keyboard.press("ControlOrMeta+Shift+Enter");
      await page.getByRole("form", { name: "Answer of Tell" }).getByRole("button", { name: "Answer", exact: true }).click();
      await until(async () => assert.ok("MessageId" in (await visitor.output()).told, "filled in with an example of the service"));
      await page.getByRole("button", { name: "Remove the rule *" }).click();
      await eventually(() => visitor.violations(), []);
    },
  );

  visit(
    "runs a task's JavaScript in the sandbox, also if it changes while the run is paused",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({ definition: GREETING, input: { name: "Ada" } });
      await visitor.tab("Mocks");
      await answersFor(page, "Greet").selectOption("javascript");
      const code = page.getByLabel("JavaScript for Greet");
      const write = async (text) => {
        await code.fill(text);
        await code.blur();
      };
      await write(
        "async (input, task) => { await task.sleep(90_000); console.log(typeof document, typeof fetch); return { hello: input.name, attempt: task.attempt }; }",
      );
      await visitor.run();
      await eventually(() => visitor.output(), { hello: "Ada", attempt: 0 });
      await page
        .getByText("1 min 30 s of virtual time")
        .or(page.getByText("90 s of virtual time"))
        .or(page.getByText(/1 ?m.* of virtual time/))
        .first()
        .waitFor();
      await write("() => {");
      await page.keyboard.press("ControlOrMeta+Shift+Enter");
      await page
        .locator(".result .failure-cause")
        .filter({ hasText: /The mock of Greet is not a function. SyntaxError/ })
        .waitFor();
      await page.locator(".mocks .field-problem").filter({ hasText: "SyntaxError" }).waitFor();
      await write("() => { throw new TaskError('Shy', 'will not speak'); }");
      await page.keyboard.press("F10");
      await page
        .locator(".status-bar, footer, [role=status]")
        .filter({ hasText: /Paused/ })
        .first()
        .waitFor();
      await write("() => 'changed on the way'");
      // It applies at once: the run continues when the sandbox has read the code.
      await page.keyboard.press("F8");
      await eventually(() => visitor.output(), "changed on the way");
      // It also works while another run waits for the sandbox.
      await write("() => 'for the next run'");
      await page.keyboard.press("ControlOrMeta+Shift+Enter");
      await page.locator(".result", { hasText: "for the next run" }).waitFor();
      await page.keyboard.press("F10");
      await page.locator(".pause-where", { hasText: "Greet" }).first().waitFor();
      for (const text of ["first", "second", "last"]) await write(`() => '${text} of three'`);
      await page.keyboard.press("F8");
      await page.locator(".result", { hasText: "last of three" }).waitFor();
    },
  );

  visit("answers with a script by attempt, item and call, or with a recording", { reusePage: true }, async (visitor, page) => {
    const definition = chain({
      Greet: { ...GREETING.States.Greet, Next: undefined, Retry: [{ ErrorEquals: ["Shy"], IntervalSeconds: 5 }] },
    });
    const { history: events } = simulate(
      definition,
      { name: "Ada" },
      { Greet: [{ error: "Shy", after: 700 }, { output: { hello: "Ada" } }] },
    );
    await visitor.open({ definition });
    await visitor.importText({ events });
    await page.getByRole("region", { name: "Recorded execution" }).getByRole("button", { name: "Debug with its answers" }).click();
    await page.locator(".pause-where").first().waitFor();
    await visitor.tab("Mocks");
    await answersFor(page, "Greet").selectOption("recorded");
    await page.getByText("2 answers of the recorded execution").waitFor();
    await page.keyboard.press("F8");
    await eventually(() => visitor.output(), { hello: "Ada" });
    // A mock takes precedence over the recording.
    await answersFor(page, "Greet").selectOption("script");
    const script = page.getByRole("list", { name: "Script of Greet" });
    await script.getByLabel("Error").first().fill("Shy");
    await script.getByLabel("Error").first().blur();
    await script.getByLabel("Result (JSON)").fill('"third"');
    await script.getByLabel("Result (JSON)").blur();
    await script.getByLabel("attempt").first().fill("");
    await script.getByLabel("call").first().fill("0-1");
    await script.getByLabel("call").first().blur();
    assert.equal(await again(visitor, page), "third");
    await eventually(() => visitor.state("Greet").getAttribute("aria-label"), /2 failed attempts/);
  });

  const CONFIG = {
    StateMachines: { Prices: { TestCases: { Busy: { Call: "AtThird" }, Plain: { Call: "AtOnce" } } } },
    MockedResponses: {
      AtOnce: { 0: { Return: { StatusCode: 200, Payload: { price: 1 } } } },
      AtThird: {
        "0-1": { Throw: { Error: "Lambda.TooManyRequestsException", Cause: "slow down" } },
        2: { Return: { StatusCode: 200, Payload: { price: 3 } } },
      },
    },
  };

  visit("imports a test case of a MockConfigFile.json, and exports one", { reusePage: true }, async (visitor, page) => {
    const definition = structuredClone(CALL);
    definition.States.Call.Retry = [{ ErrorEquals: ["States.TaskFailed"], IntervalSeconds: 1, MaxAttempts: 3 }];
    await visitor.open({ definition });
    await visitor.tab("Mocks");
    const importFile = async (text) => {
      await page.getByRole("button", { name: "Mocks of a file" }).click();
      await dialog(page, "Mocks of a file").getByLabel("Text").fill(text);
    };
    await importFile(JSON.stringify(CONFIG));
    await dialog(page, "Mocks of a file")
      .getByLabel(/Prices › Plain/)
      .check();
    await eventually(() => visitor.violations(), []);
    await dialog(page, "Mocks of a file").getByRole("button", { name: "Use 1 mock" }).click();
    await visitor.run();
    await eventually(async () => (await visitor.output()).Payload, { price: 1 });
    await importFile(JSON.stringify(CONFIG));
    await dialog(page, "Mocks of a file").getByRole("button", { name: "Use 1 mock" }).click();
    assert.deepEqual((await again(visitor, page)).Payload, { price: 3 });
    const given = JSON.parse((await visitor.download(page.getByRole("button", { name: "MockConfigFile.json" }))).bytes);
    assert.deepEqual(given.MockedResponses.CallResponses, CONFIG.MockedResponses.AtThird);
    assert.deepEqual(Object.values(given.StateMachines)[0].TestCases, { Mocked: { Call: "CallResponses" } });
    for (const [text, why] of [
      ["{", "not JSON"],
      ['{"StateMachines":{"A":{"TestCases":{"B":{"Call":"None"}}}}}', 'no mocked response "None"'],
      ["{}", "neither a MockConfigFile.json"],
    ]) {
      await importFile(text);
      await dialog(page, "Mocks of a file").getByText(why).waitFor();
      await page.keyboard.press("Escape");
    }
  });

  visit("imports a mock of TestState, and exports it", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: CALL });
    await visitor.tab("Mocks");
    await page.getByRole("button", { name: "Mocks of a file" }).click();
    await dialog(page, "Mocks of a file")
      .getByLabel("Text")
      .fill(JSON.stringify({ mock: { result: JSON.stringify({ Payload: 9 }) } }));
    await dialog(page, "Mocks of a file").getByRole("button", { name: "Use 1 mock" }).click();
    await visitor.run();
    await eventually(() => visitor.output(), { Payload: 9 });
    await page.getByRole("button", { name: "Copy for TestState" }).click();
    await page.locator(".toast", { hasText: "Mock for TestState copied." }).waitFor();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assert.deepEqual(JSON.parse(copied.result), { Payload: 9 });
  });

  visit(
    "lists several waiting tasks, the oldest first, and answers them by keys, presets and after a delay",
    { reusePage: true },
    async (visitor, page) => {
      const branch = (name, fields) => ({
        StartAt: name,
        States: { [name]: { ...task(`arn:aws:lambda:us-east-1:123456789012:function:${name}`, fields), End: true } },
      });
      await visitor.open({
        definition: chain({
          Both: {
            Type: "Parallel",
            Branches: [branch("First", {}), branch("Second", { Retry: [{ ErrorEquals: ["Lambda.TooManyRequestsException"] }] })],
          },
        }),
        input: { n: 1 },
      });
      await visitor.run();
      const cards = page.locator("form.answer");
      await cards.nth(1).waitFor();
      await eventually(() => cards.locator("header .strong").allInnerTexts(), ["First", "Second"]);
      await page.getByRole("tab", { name: /^Waiting tasks 2/ }).waitFor();
      await page.getByRole("group", { name: /2 tasks waiting/ }).focus();
      await eventually(() => visitor.violations(), []);
      await page.keyboard.press("2");
      await eventually(() => page.evaluate(() => document.activeElement.closest("form").getAttribute("aria-label")), "Answer of Second");
      await page.keyboard.type("2 is typed, not a key");
      await cards.nth(1).getByRole("button", { name: "Fail", exact: true }).click();
      const errors = cards.nth(1).getByLabel("Error", { exact: true });
      await eventually(
        () => errors.locator("option").allInnerTexts(),
        ["States.TaskFailed", "States.Timeout", "Lambda.TooManyRequestsException", "Lambda.ServiceException", "Lambda.Unknown", "Other…"],
      );
      await errors.selectOption("Lambda.TooManyRequestsException");
      await eventually(() => cards.nth(1).getByLabel("Cause").inputValue(), "Rate Exceeded.");
      await cards.nth(1).getByRole("button", { name: "Fail the task" }).click();
      // The first task is still the oldest; the second one is retried after its delay, once the clock advances.
      const first = page.getByRole("form", { name: "Answer of First" });
      await first.getByRole("button", { name: "The input" }).click();
      await eventually(() => first.getByLabel("Result (JSON)").inputValue(), '{\n  "n": 1\n}');
      await first.getByRole("button", { name: "An example" }).click();
      await eventually(() => first.getByLabel("Result (JSON)").inputValue(), '{\n  "ok": true\n}');
      await first.getByLabel(/^Wait/).fill("30");
      await first.getByRole("button", { name: "Answer in 30 s" }).click();
      const second = page.getByRole("form", { name: "Answer of Second" });
      await second.getByText("attempt 2").waitFor();
      await second.getByLabel("Result (JSON)").fill('"done"');
      await second.getByLabel("Always answer like this for Second").check();
      await second.getByRole("button", { name: "Answer", exact: true }).click();
      await eventually(() => visitor.output(), [{ ok: true }, "done"]);
      await visitor.tab("Mocks");
      await eventually(() => answersFor(page, "Second").inputValue(), "result");
    },
  );

  visit("accepts an answer from whoever has the task token", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: CALLBACK });
    await visitor.run();
    const card = page.getByRole("form", { name: "Answer of Approve" });
    const token = await card.locator(".task-token code").innerText();
    await page.getByText("Answer by token").click();
    const inbox = page.locator(".inbox");
    await inbox.getByLabel("Token").fill("made up");
    await inbox.getByRole("button", { name: "Send" }).click();
    await inbox.getByText("No task is waiting for this token.").waitFor();
    await inbox.getByLabel("Token").fill(token);
    await inbox.getByLabel("Send").selectOption("heartbeat");
    await inbox.getByRole("button", { name: "Send" }).click();
    await page.locator(".toast", { hasText: "Heartbeat sent." }).waitFor();
    await inbox.getByLabel("Send").selectOption("succeed");
    await inbox.getByLabel("Output (JSON)").fill("{");
    await inbox.getByRole("button", { name: "Send" }).click();
    await inbox.getByText("The output is not JSON").waitFor();
    await inbox.getByLabel("Output (JSON)").fill('{"approved": "by token"}');
    await eventually(() => visitor.violations(), []);
    await inbox.getByRole("button", { name: "Send" }).click();
    await eventually(() => visitor.output(), { approved: "by token" });
    await page.keyboard.press("ControlOrMeta+Shift+Enter");
    await card.waitFor();
    await page.getByText("Answer by token").click();
    await inbox.getByLabel("Token").fill(await card.locator(".task-token code").innerText());
    await inbox.getByLabel("Send").selectOption("fail");
    await inbox.getByLabel("Error").fill("Refused");
    await inbox.getByRole("button", { name: "Send" }).click();
    await page.locator(".result .failure-name", { hasText: "Refused" }).waitFor();
  });

  visit("hands out an activity's task to a worker, and takes its answer", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: chain({ Label: task("arn:aws:states:us-east-1:123456789012:activity:label") }), input: { box: 1 } });
    await visitor.run();
    const card = page.getByRole("form", { name: "Answer of Label" });
    await card.getByText("is waiting for a worker").waitFor();
    await card.getByLabel("Worker").fill("hand");
    await card.getByRole("button", { name: "Take the task" }).click();
    await card.getByText("is waiting for your answer").waitFor();
    await card.getByLabel("Result (JSON)").fill('"L1"');
    await card.getByRole("button", { name: "Answer", exact: true }).click();
    await eventually(() => visitor.output(), "L1");
    await visitor.tab("Events");
    await page.locator(".event-row", { hasText: "ActivityStarted" }).click();
    await page.locator(".j-string", { hasText: "hand" }).waitFor();
  });

  visit(
    "starts another registered machine from a task, and asks for the results of that machine's tasks",
    { reusePage: true },
    async (visitor, page) => {
      const parent = chain({
        Start: task("arn:aws:states:::states:startExecution.sync:2", {
          Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Pricing", "Input.$": "$" },
          OutputPath: "$.Output",
        }),
      });
      const child = chain({ Pause: { Type: "Wait", Seconds: 60 }, Price: task("arn:aws:lambda:us-east-1:123456789012:function:price") });
      await visitor.open({ definition: parent, input: { item: "book" } });
      await visitor.tab("Mocks");
      await page.getByText("Start would start one.").waitFor();
      await page.getByRole("button", { name: "Add a machine" }).click();
      await page.getByLabel("Name or ARN of the machine").fill("Pricing");
      await page.getByLabel("Name or ARN of the machine").blur();
      const definition = page.getByLabel("Definition of Pricing (JSON)");
      await definition.fill('{"StartAt": "Nowhere", "States": {}}');
      await definition.blur();
      await page.locator(".machine .field-problem").filter({ hasText: "no state" }).waitFor();
      await definition.fill(JSON.stringify(child));
      await definition.blur();
      await page.locator(".machine .field-problem").waitFor({ state: "hidden" });
      await visitor.run();
      const card = page.getByRole("form", { name: "Answer of Price" });
      await card.getByText(/is waiting for your answer · in /).waitFor();
      await eventually(() => card.locator('pre[aria-label="Task input"]').innerText(), /book/);
      await card.getByLabel("Result (JSON)").fill("12");
      await card.getByRole("button", { name: "Answer", exact: true }).click();
      await eventually(() => visitor.output(), 12);
      const started = page.getByRole("list", { name: "Executions started by tasks" });
      await started.getByText(/succeeded/).click();
      await started.locator('pre[aria-label^="Output of"]', { hasText: "12" }).waitFor();
      await eventually(() => visitor.violations(), []);
      const history = JSON.parse((await visitor.download(started.getByRole("button", { name: "Save its history" }))).bytes);
      assert.equal(history.events.at(-1).type, "ExecutionSucceeded");
    },
  );

  visit("disables the JavaScript of a link's mock until the user has reviewed it", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: GREETING, input: { name: "Ada" } });
    await visitor.tab("Mocks");
    await answersFor(page, "Greet").selectOption("javascript");
    await page.getByLabel("JavaScript for Greet").fill("({ name }) => `Hello ${name}`");
    await page.getByLabel("JavaScript for Greet").blur();
    await page.getByRole("button", { name: "Share" }).click();
    await page.waitForFunction(() => document.querySelector("dialog textarea")?.value.includes("#v1."));
    await dialog(page, "Share").getByLabel("Mocks and machines (1)").waitFor();
    const link = await page.getByRole("textbox", { name: "Link" }).inputValue();
    await page.keyboard.press("Escape");
    await visitor.importText(link);
    await page.locator(".toast", { hasText: "In it: definition, input, 1 mock, code (disabled" }).waitFor();
    await visitor.tab("Mocks");
    await page.getByText("Disabled: this code came with a link").waitFor();
    await eventually(() => visitor.violations(), []);
    await visitor.run();
    await dialog(page, "Run this link's code?").getByText("The code of mocks").waitFor();
    await dialog(page, "Run this link's code?").getByRole("button", { name: "Look at it first" }).click();
    await eventually(() => page.locator(".event-row").count(), 0, "nothing has run");
    await page.getByRole("button", { name: "Enable the code" }).click();
    await visitor.run();
    await eventually(() => visitor.output(), "Hello Ada");
  });

  visit("mocks every task at once, with results that lead to the end", { reusePage: true }, async (visitor, page) => {
    const lambda = "arn:aws:lambda:us-east-1:123456789012:function:f";
    await visitor.open({
      definition: {
        StartAt: "Begin",
        States: {
          Begin: { Type: "Task", Resource: lambda, ResultPath: "$.job", Next: "Poll" },
          Poll: {
            Type: "Task",
            Resource: "arn:aws:states:::lambda:invoke",
            Parameters: { FunctionName: "poll", "Payload.$": "$.job.id" },
            ResultSelector: { "status.$": "$.Payload.status", "rows.$": "$.Payload.rows" },
            ResultPath: "$.poll",
            Next: "Ready?",
          },
          "Ready?": {
            Type: "Choice",
            Choices: [
              { Variable: "$.poll.status", StringEquals: "FAILED", Next: "Failed" },
              { Variable: "$.poll.status", StringEquals: "SUCCEEDED", Next: "Rows" },
            ],
            Default: "Nap",
          },
          Nap: { Type: "Wait", Seconds: 60, Next: "Poll" },
          Rows: {
            Type: "Map",
            ItemsPath: "$.poll.rows",
            ItemProcessor: {
              StartAt: "Row",
              States: {
                Row: {
                  Type: "Task",
                  Resource: lambda,
                  Parameters: { "key.$": "$.key" },
                  ResultSelector: { "sum.$": "States.MathAdd($.amount, 1)" },
                  End: true,
                },
              },
            },
            End: true,
          },
          Failed: { Type: "Fail" },
        },
      },
      tasks: "export default { Begin: () => ({ id: 1 }) };",
    });
    await visitor.tab("Mocks");
    const chosen = (state) =>
      page.getByLabel(`What answers for ${state}`, { exact: true }).evaluate((select) => select.selectedOptions[0].textContent);
    await eventually(() => chosen("Begin"), "Handler");
    await eventually(() => chosen("Poll"), "No handler");
    const button = page.getByRole("button", { name: "Mock every task" });
    await button.click();
    await eventually(() => Promise.all(["Begin", "Poll", "Row"].map(chosen)), ["Fixed result", "Fixed result", "Fixed result"]);
    await eventually(() => button.isDisabled(), true);
    await eventually(async () => JSON.parse(await page.getByLabel("Result of Poll (JSON)").inputValue()), {
      status: "SUCCEEDED",
      rows: [{ key: "key" }],
    });
    await eventually(() => visitor.violations(), []);
    if (process.env.STEPGLASS_SHOTS) await page.screenshot({ path: `${process.env.STEPGLASS_SHOTS}/mock-every.png` });
    await visitor.run();
    await eventually(() => visitor.output(), [{ sum: 2 }]);
  });

  visit(
    "checks the result of a mock against AWS's model of the service after the user has opened the model",
    { reusePage: true },
    async (visitor, page) => {
      const [sent, other] = ["arn:aws:states:::sqs:sendMessage", "arn:aws:states:::sns:publish"];
      await visitor.open({ definition: chain({ Send: task(sent, { Parameters: { QueueUrl: "q" } }), Tell: task(other) }) });
      await visitor.tab("Mocks");
      for (const state of ["Send", "Tell"]) {
        await answersFor(page, state).selectOption("result");
        await page.getByLabel(`Result of ${state} (JSON)`).fill('{"MessageId": 7}');
      }
      const remarks = () => page.locator(".mock-remark").allInnerTexts();
      await eventually(remarks, []);
      const model = {
        metadata: { serviceId: "SQS" },
        operations: { SendMessage: { output: { shape: "Sent" } } },
        shapes: { Sent: { type: "structure", members: { MessageId: { type: "string", min: 2 } } } },
      };
      await openFromMenu(page, "Import");
      // The format of botocore: compressed.
      const file = { name: "service-2.json.gz", mimeType: "application/gzip", buffer: gzipSync(JSON.stringify(model)) };
      await page.getByRole("dialog", { name: "Import" }).locator('input[type="file"]').setInputFiles(file);
      const refusal = (problem) => [`SQS cannot return this mock: Field 'MessageId' ${problem}. TestState refuses it.`];
      await eventually(remarks, refusal("must be a string"));
      await page.getByLabel("Result of Send (JSON)").fill('{"MessageId": "1"}');
      await eventually(remarks, refusal("is smaller than the minimum length"));
      await eventually(() => visitor.violations(), []);
      if (process.env.STEPGLASS_SHOTS) await page.screenshot({ path: `${process.env.STEPGLASS_SHOTS}/mock-refused.png` });
      await page.getByLabel("Result of Send (JSON)").fill('{"MessageId": "12"}');
      await eventually(remarks, []);
    },
  );
});
