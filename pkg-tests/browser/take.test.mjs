// Import and export: what visitors bring to the page and take from it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { simulate } from "stepglass";
import { expectRun, testMachine } from "stepglass/testing";
import { gallery } from "../api/examples.mjs";
import { skip } from "../browser.mjs";
import { runTest } from "./exported.mjs";
import { GREETING, eventually, openFromMenu, shared, until, visits } from "./playground.mjs";

describe("import and export", { skip }, () => {
  const { site, visit } = visits();
  const dialog = (page, name) => page.getByRole("dialog", { name });

  visit("finds every example by feature and by word, with its drawing", { reusePage: "Order processing" }, async (visitor, page) => {
    const examples = gallery();
    await page.getByTitle("Examples and recent drafts").click();
    const cards = page.locator(".gallery li");
    await cards.first().waitFor();
    await eventually(() => cards.count(), examples.length + 1, "and an empty one");
    await eventually(
      async () => (await cards.locator(".gallery-title").allInnerTexts()).map((title) => title.trim()).sort(),
      [...examples.map(({ title }) => title), "Empty"].sort(),
    );
    await page.locator(".gallery-drawing").last().scrollIntoViewIfNeeded();
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".gallery-drawing")].some((image) => image.complete && image.naturalWidth > 0),
    );
    await eventually(() => visitor.violations(), []);
    await page.getByRole("button", { name: "Catch", exact: true }).click();
    await eventually(() => cards.count(), examples.filter(({ features }) => features.includes("Catch")).length);
    await page.getByRole("searchbox", { name: "Search the examples" }).fill("compensation");
    await eventually(() => page.locator(".gallery-title").allInnerTexts(), ["Saga: undo what was done"]);
    await cards.getByRole("button").click();
    await visitor.state("CancelFlight").waitFor();
  });

  visit("opens a definition from a selected or dropped file", { reusePage: "Order processing" }, async (visitor, page) => {
    await openFromMenu(page, "Import");
    await dialog(page, "Import")
      .locator('input[type="file"]')
      .setInputFiles({
        name: "hello.asl.yaml",
        mimeType: "application/yaml",
        buffer: Buffer.from("StartAt: Hello\nStates:\n  Hello:\n    Type: Succeed\n"),
      });
    await visitor.state("Hello").waitFor();
    await eventually(() => page.title(), /^hello/);
    await page.evaluate((text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], "dropped.asl.json", { type: "application/json" }));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }, JSON.stringify(GREETING));
    await visitor.state("Greet").waitFor();
    await eventually(() => page.title(), /^dropped/);
  });

  visit("says why a text cannot be opened", { reusePage: "Order processing" }, async (visitor, page) => {
    for (const [text, why] of [
      ["hello there", /contains no definition/],
      ["[1, 2]", /contains no definition/],
      ["#v9.abc", /version 9/],
      ['{"kind": "stepglass/session/7"}', /version 7/],
    ]) {
      await openFromMenu(page, "Import");
      await page.getByLabel("Text", { exact: true }).fill(text);
      await page.getByRole("button", { name: "Open the text" }).click();
      await dialog(page, "Import").getByText(why).waitFor();
      await page.keyboard.press("Escape");
    }
  });

  visit("opens a machine of a SAM template, with its placeholders filled or kept", { reusePage: true }, async (visitor, page) => {
    const template = `
Transform: AWS::Serverless-2016-10-31
Parameters:
  Stage: { Type: String, Default: test }
Resources:
  Table: { Type: AWS::DynamoDB::Table }
  Small:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition: { StartAt: A, States: { A: { Type: Succeed } } }
  Orders:
    Type: AWS::Serverless::StateMachine
    Properties:
      DefinitionSubstitutions:
        ChargeArn: !GetAtt Charge.Arn
      Definition:
        Comment: !Sub "Orders of \${Stage}"
        StartAt: Charge
        States:
          Charge: { Type: Task, Resource: "\${ChargeArn}", Next: Store }
          Store:
            Type: Task
            Resource: !Sub arn:\${AWS::Partition}:states:::dynamodb:putItem
            Parameters: { TableName: !Ref Table, Item: {} }
            End: true
`;
    await visitor.importText(template);
    const asked = dialog(page, "Import a template");
    await asked.getByLabel("Orders").check();
    await eventually(() => visitor.violations(), []);
    await eventually(() => asked.getByLabel("${ChargeArn}").inputValue(), "arn:aws:lambda:us-east-1:123456789012:function:Charge");
    await eventually(() => asked.getByLabel("${Stage}").inputValue(), "test");
    await eventually(() => asked.getByLabel("${Table}").inputValue(), "Table");
    await asked.getByLabel("${Table}").fill("");
    await asked.getByRole("button", { name: "Open Orders" }).click();
    await visitor.state("Store").waitFor();
    const text = await visitor.editor("Definition").innerText();
    for (const part of ["Orders of test", "function:Charge", "arn:aws:states:::dynamodb:putItem", "${Table}"])
      assert.ok(text.includes(part), part);
  });

  visit("opens a machine of a synthesized CDK template", { reusePage: true }, async (visitor, page) => {
    const parts = [
      '{"StartAt":"Invoke","States":{"Invoke":{"Type":"Task","End":true,"Resource":"arn:',
      { Ref: "AWS::Partition" },
      ':states:::lambda:invoke","Parameters":{"FunctionName":"',
      { "Fn::GetAtt": ["Fn9270", "Arn"] },
      '","Payload.$":"$"}}}}',
    ];
    await visitor.importText({
      Resources: { Machine: { Type: "AWS::StepFunctions::StateMachine", Properties: { DefinitionString: { "Fn::Join": ["", parts] } } } },
    });
    await dialog(page, "Import a template").getByRole("button", { name: "Open Machine" }).click();
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    await visitor.state("Invoke").waitFor();
  });

  visit("names the file that contains a template's definition", { reusePage: true }, async (visitor, page) => {
    await visitor.importText({
      Resources: { Machine: { Type: "AWS::Serverless::StateMachine", Properties: { DefinitionUri: "machines/order.asl.json" } } },
    });
    await dialog(page, "Import a template").getByText("machines/order.asl.json").waitFor();
  });

  visit(
    "shows an execution of AWS on the graph, and says so if it belongs to another machine",
    { reusePage: true },
    async (visitor, page) => {
      await visitor.open({ definition: GREETING });
      const { history } = simulate(GREETING, { name: "Ada" }, { Greet: { error: "Shy", cause: "will not speak" } });
      // The format of the AWS command line: timestamps in seconds instead of texts.
      const events = history.map((event) => ({ ...event, timestamp: Date.parse(event.timestamp) / 1000 }));
      await visitor.importText({ events });
      await eventually(() => visitor.result().then((result) => result.innerText()), /FAILED[\s\S]*Shy\s+will not speak/);
      await eventually(() => visitor.state("Greet").getAttribute("aria-label"), /, failed with Shy, /);
      await visitor.tab("Events");
      await page.getByRole("listbox", { name: `History, ${events.length} events` }).waitFor();

      // A history of an older definition is shown with a notice.
      const changed = {
        StartAt: "Greet",
        States: { Greet: { ...GREETING.States.Greet, Next: "Finished" }, Finished: { Type: "Succeed" } },
      };
      const done = simulate(GREETING, { name: "Ada" }, { Greet: { output: {} } }).history;
      await visitor.open({ definition: changed });
      await visitor.state("Finished").waitFor();
      await visitor.importText({ events: done });
      await page.getByRole("alert").filter({ hasText: "Done" }).waitFor();
      await visitor.state("Finished").waitFor();
      // A history of another machine draws its own graph.
      await visitor.open({ definition: { StartAt: "Other", States: { Other: { Type: "Succeed" } } } });
      await visitor.state("Other").waitFor();
      await visitor.importText({ events });
      await visitor.state("Greet").waitFor();
      await eventually(() => page.getByRole("alert").filter({ hasText: "definition" }).count(), 0);
      await visitor.importText({ events: events.slice(1) });
      await dialog(page, "Import").getByText("event 1 is missing").waitFor();
    },
  );

  visit(
    "replays an execution of AWS, says where it differs, and debugs it with the recorded results",
    { reusePage: true },
    async (visitor, page) => {
      const machine = structuredClone(GREETING);
      machine.States.Greet.Retry = [{ ErrorEquals: ["Shy"], IntervalSeconds: 5, MaxAttempts: 1 }];
      const { history: events } = simulate(
        machine,
        { name: "Ada" },
        { Greet: [{ error: "Shy", after: 700 }, { output: { hello: "Ada" } }] },
      );
      await visitor.open({ definition: machine });
      await visitor.importText({ events });
      const strip = page.getByRole("region", { name: "Recorded execution" });
      await strip.getByText(/matches: \d+ events compared/).waitFor();
      await eventually(() => visitor.violations(), []);
      // The run is not started before its pause, because continuing at that moment would pause it.
      await page.evaluate(() => {
        globalThis.ran = false;
        new MutationObserver(
          () =>
            (globalThis.ran ||= [...document.querySelectorAll(".debug-bar button")].some(
              (button) => button.textContent.trim() === "Pause",
            )),
        ).observe(document.body, { childList: true, subtree: true, characterData: true });
      });
      await strip.getByRole("button", { name: "Debug with its answers" }).click();
      await strip.getByText(/Tasks answer as they did/).waitFor();
      await page.locator(".pause-where", { hasText: "before the first state" }).waitFor();
      assert.equal(await page.evaluate(() => globalThis.ran), false);
      await page.keyboard.press("F8");
      await eventually(() => visitor.output(), { hello: "Ada" });
      await eventually(() => visitor.state("Greet").getAttribute("aria-label"), /succeeded, 1 failed attempt/);
      await page.locator(".result").getByText("5.7 s of virtual time").waitFor();

      // The same history compared with a definition that has changed since.
      machine.States.Greet.Next = "Gone";
      machine.States.Gone = { Type: "Fail", Error: "Gone" };
      delete machine.States.Done;
      machine.States.Gone.Comment = "Done is no more";
      await visitor.open({
        definition: {
          ...machine,
          States: {
            ...machine.States,
            Done: { Type: "Succeed" },
            Greet: { ...machine.States.Greet, Catch: [{ ErrorEquals: ["Shy"], Next: "Done" }] },
          },
        },
      });
      await visitor.importText({ events });
      await strip.getByText(/it diverges/).waitFor();
      await strip.getByRole("button", { name: /^Show event \d+/ }).click();
      await page.locator(".event-row.chosen").waitFor();
    },
  );

  test("opens a running execution of its own server, and of no other server", async () => {
    const { history } = simulate(GREETING, { name: "Ada" }, { Greet: { output: "Hello" } });
    const document = {
      stepglass: "execution/1",
      name: "seven",
      definition: JSON.stringify(GREETING),
      status: "RUNNING",
      input: '{"name":"Ada"}',
      events: history.slice(0, 4),
      live: "/debugger/api/live",
    };
    const lines = [
      ...history.slice(4).map((event) => `id: ${event.id}\nevent: history\ndata: ${JSON.stringify(event)}\n\n`),
      'event: end\ndata: {"status":"SUCCEEDED","output":"\\"Hello\\""}\n\n',
    ];
    let asked;
    const visitor = await site.visit({
      hash: `#import=${encodeURIComponent("/debugger/api/executions/seven")}`,
      before: async (page) => {
        await page.route("**/debugger/api/executions/seven", (route) => route.fulfill({ json: document }));
        await page.route("**/debugger/api/live**", (route) => {
          asked = new URL(route.request().url()).searchParams.get("after");
          return route.fulfill({ contentType: "text/event-stream", body: lines.join("") });
        });
      },
    });
    await visitor.ready();
    await eventually(() => visitor.result().then((result) => result.innerText()), /SUCCEEDED/);
    await eventually(() => visitor.state("Greet").getAttribute("aria-label"), /succeeded/);
    await eventually(() => asked, "4");
    await visitor.page.evaluate(() => (location.hash = "#import=https%3A%2F%2Felsewhere.invalid%2Fx"));
    await visitor.page.getByRole("alert").filter({ hasText: "own server only" }).waitFor();
    await visitor.leave();
  });

  visit("opens a dropped file of stepglass fetch with its definition, and forks it with another", {}, async (visitor, page) => {
    const { history } = simulate(GREETING, { name: "Ada" }, { Greet: { error: "Shy", cause: "no word" } });
    const run = {
      format: "stepglass-execution",
      version: 1,
      execution: { executionArn: "arn:aws:states:eu-west-1:123456789012:execution:Greetings:ada", status: "FAILED" },
      stateMachine: { definition: JSON.stringify(GREETING) },
      history,
    };
    const bytes = [...gzipSync(JSON.stringify(run))];
    await page.evaluate((bytes) => {
      const files = new DataTransfer();
      files.items.add(new File([new Uint8Array(bytes)], "ada.sfnrun"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
    }, bytes);
    await visitor.state("Greet").waitFor();
    await eventually(() => visitor.result().then((result) => result.innerText()), /FAILED[\s\S]*Shy/);
    const strip = page.getByRole("region", { name: "Recorded execution" });
    await strip.getByText(/Recorded execution ada\..*matches: \d+ events compared/s).waitFor();
    const fixed = structuredClone(GREETING);
    fixed.States.Greet.Catch = [{ ErrorEquals: ["Shy"], Next: "Done" }];
    await visitor.write("Definition", JSON.stringify(fixed, null, 2));
    await strip.getByRole("button", { name: "Debug with its answers" }).click();
    await page.locator(".pause-where", { hasText: "before the first state" }).waitFor();
    await page.keyboard.press("F8");
    await eventually(() => visitor.result().then((result) => result.innerText()), /SUCCEEDED/);
  });

  visit("shows the data flow of a recorded execution, and underlines what failed in a field", {}, async (visitor, page) => {
    const definition = {
      StartAt: "Total",
      States: { Total: { Type: "Pass", Parameters: { "sum.$": "States.MathAdd($.price, $.tip)" }, End: true } },
    };
    const { history } = simulate(definition, { price: 5 });
    // The file is compressed, as `stepglass fetch` writes it.
    const packed = gzipSync(
      JSON.stringify({
        format: "stepglass-execution",
        version: 1,
        execution: { executionArn: "arn:aws:states:eu-west-1:123456789012:execution:Totals:total", status: "FAILED" },
        stateMachine: { definition: JSON.stringify(definition) },
        history,
      }),
    );
    await page.evaluate(
      (bytes) => {
        const files = new DataTransfer();
        files.items.add(new File([Uint8Array.from(bytes)], "total.sfnrun"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
      },
      [...packed],
    );
    // The failing part is marked in the definition.
    await eventually(() => visitor.editor("Definition").locator(".sg-failing").allInnerTexts(), [".tip"]);
    await visitor.state("Total").click();
    await page.getByText("The replay has computed this data").waitFor();
    await visitor.choose(page.getByRole("radio", { name: /^Error/ }));
    const error = page.getByRole("group", { name: "Error", exact: true });
    await eventually(() => error.innerText(), /States\.Runtime[\s\S]*Parameters\.sum\.\$/);
    await eventually(() => error.locator(".underlined u").innerText(), ".tip");
    await eventually(() => page.getByRole("button", { name: "Go to this moment" }).count(), 0);
  });

  visit("shows a recorded execution as a time line, with a lane for each branch, and its attempts", {}, async (visitor, page) => {
    const work = { Type: "Task", Resource: "arn:aws:lambda:eu-west-1:123456789012:function:work", End: true };
    const definition = {
      StartAt: "Both",
      States: {
        Both: {
          Type: "Parallel",
          Branches: [
            { StartAt: "Slow", States: { Slow: work } },
            { StartAt: "Again", States: { Again: { ...work, Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 5 }] } } },
          ],
          End: true,
        },
      },
    };
    const { history: events } = simulate(
      definition,
      {},
      { Slow: { output: {}, after: 3000 }, Again: [{ error: "Busy", after: 500 }, { output: {} }] },
    );
    await visitor.open({ definition });
    await visitor.importText({ events });
    await visitor.tab("Timeline");
    const lane = (name) => page.getByRole("group", { name, exact: true }).getByRole("button");
    const labels = async (name) => lane(name).evaluateAll((bars) => bars.map((bar) => bar.getAttribute("aria-label")));
    await eventually(() => labels("Execution"), ["Both, 5.5 s"]);
    await eventually(() => labels("Both branch 1"), ["Slow, task, 3.0 s"]);
    await eventually(
      () => labels("Both branch 2"),
      [
        "Again, failed attempt, 500 ms, on the critical path",
        "Again, back-off before the next attempt, 5.0 s, on the critical path",
        "Again, task, 0 ms, on the critical path",
      ],
    );
  });

  visit("exports pictures, texts, the history, and the run as a test", { reusePage: "Order processing" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    await page.getByRole("button", { name: "Export" }).click();
    const asked = dialog(page, "Export");
    await eventually(() => visitor.violations(), []);
    const button = (name) => asked.getByRole("button", { name, exact: true });

    const svg = (await visitor.download(button("SVG"))).bytes.toString();
    assert.match(svg, /^<svg [\s\S]*ChargeCard/);
    await asked.getByLabel("Include the run's colours").uncheck();
    const plain = (await visitor.download(button("SVG"))).bytes.toString();
    assert.notEqual(plain, svg, "the run's colours are drawn");
    const sizes = [];
    for (const scale of ["1", "2"]) {
      await asked.getByLabel("PNG scale").selectOption(scale);
      const { name, bytes } = await visitor.download(button("PNG"));
      assert.equal(name, "Order processing.png");
      assert.equal(bytes.toString("latin1", 1, 4), "PNG");
      sizes.push(bytes.readUInt32BE(16));
    }
    assert.ok(Math.abs(sizes[1] - 2 * sizes[0]) <= 2, sizes.join());
    assert.match((await visitor.download(button("Mermaid file"))).bytes.toString(), /^stateDiagram-v2/m);

    assert.equal(JSON.parse((await visitor.download(button("JSON"))).bytes).StartAt, "CheckStock");
    assert.match((await visitor.download(button("YAML"))).bytes.toString(), /^StartAt: CheckStock$/m);
    const { events } = JSON.parse((await visitor.download(button("History, as AWS has it"))).bytes);
    assert.deepEqual([events.length, events[0].type], [47, "ExecutionStarted"]);

    const mocks = JSON.parse((await visitor.download(button("MockConfigFile.json"))).bytes);
    assert.deepEqual(mocks.MockedResponses.ChargeCardResponses["0-1"], { Throw: { Error: "GatewayBusy", Cause: "Try again later" } });
    assert.equal(mocks.StateMachines["Order-processing"].TestCases.RecordedRun.ChargeCard, "ChargeCardResponses");

    const file = await visitor.download(button("Test file"));
    assert.equal(file.name, "order-processing.test.mjs");
    assert.match(runTest(file.bytes), /pass 1\b/);
    // The exported test fails if its expectation is wrong.
    assert.throws(() => runTest(file.bytes.toString().replaceAll('throws("GatewayBusy"', 'throws("Broken"')));
    await asked.getByLabel("Test for").selectOption("vitest");
    const vitest = await visitor.download(button("Test file"));
    assert.match(runTest(vitest.bytes, "vitest"), /1 passed/);
    assert.throws(() => runTest(vitest.bytes.toString().replaceAll('throws("GatewayBusy"', 'throws("Broken"'), "vitest"));
    await button("Copy as test").click();
    await page.locator(".toast", { hasText: "copied" }).waitFor();
    await eventually(() => page.evaluate(() => navigator.clipboard.readText()), vitest.bytes.toString());

    // The mock file works with the test kit, too.
    const definition = JSON.parse((await visitor.download(button("JSON"))).bytes);
    const machine = testMachine(definition, { mockConfig: mocks });
    expectRun(
      await machine.test("RecordedRun", JSON.parse(events[0].executionStartedEventDetails.input), {
        name: /mocks, name: "(.*)"/.exec(file.bytes)[1],
      }),
    )
      .succeeded(JSON.parse(events.at(-1).executionSucceededEventDetails.output))
      .retried("ChargeCard", 2);
  });

  // The exports of every example are in pkg-tests/api/exported-runs.test.mjs.
  visit("exports a test that passes, and a mock file that gives the same run", { reusePage: true }, async (visitor, page) => {
    const chosen = ["A person decides", "Retry, back-off, catch", "Map over items"];
    const asked = dialog(page, "Export");
    const saved = async (name) => (await visitor.download(asked.getByRole("button", { name, exact: true }))).bytes.toString();
    const tests = [];
    for (const { title, inputs, features } of gallery().filter((example) => chosen.includes(example.title))) {
      await visitor.example(title);
      await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
      await visitor.run();
      const answer = page
        .getByRole("form", { name: /^Answer of/ })
        .getByRole("button", { name: "Answer", exact: true })
        .first();
      if (inputs[0].answers) await answer.click();
      const { status, error: failure, output: promised } = inputs[0].result;
      // Results that contain the time of the run are not compared.
      const own =
        inputs[0].answers ||
        /waitForTaskToken|seed/.test(JSON.stringify(features)) ||
        (promised !== undefined && /\d{4}-\d\d-\d\d/.test(JSON.stringify(promised)));
      if (own) await visitor.result();
      else
        await eventually(
          () => visitor.result().then((result) => result.innerText()),
          new RegExp(`${status}${failure ? `[\\s\\S]*${failure}` : ""}`),
          title,
        );
      await page.getByRole("button", { name: "Export" }).click();
      tests.push(await saved("Test file"));
      const { events } = JSON.parse(await saved("History, as AWS has it"));
      const [mockConfig, definition] = [JSON.parse(await saved("MockConfigFile.json")), JSON.parse(await saved("JSON"))];
      await page.keyboard.press("Escape");
      await asked.waitFor({ state: "detached" });
      const [, name] = /mocks, name: "(.*)"/.exec(tests.at(-1));
      const run = await testMachine(definition, { mockConfig, startTime: Date.parse(events[0].timestamp) }).test(
        "RecordedRun",
        JSON.parse(events[0].executionStartedEventDetails.input),
        { name },
      );
      const end = events.at(-1);
      const { output, error } = end.executionSucceededEventDetails ?? end.executionFailedEventDetails;
      assert.deepEqual(
        [`Execution${run.status}`.toUpperCase(), run.output, run.error],
        [end.type.toUpperCase(), output && JSON.parse(output), error],
        title,
      );
    }
    assert.equal(tests.length, chosen.length);
    assert.match(runTest(tests), new RegExp(`pass ${tests.length}\\b`));
  });

  visit("exports a test with the run's name, ARN, type, limits and seed, also for a fork", { reusePage: true }, async (visitor, page) => {
    const names = { "id.$": "$$.Execution.Id", "name.$": "$$.Execution.Name", "uuid.$": "States.UUID()" };
    await visitor.open({
      definition: {
        StartAt: "Grow",
        States: {
          Grow: { Type: "Task", Resource: GREETING.States.Greet.Resource, ResultPath: "$.grown", Next: "Names" },
          Names: { Type: "Pass", Parameters: names, ResultPath: "$.names", End: true },
        },
      },
      tasks: "export default { Greet: () => 'x'.repeat(300_000) };",
    });
    await visitor.tab("Config");
    const pane = page.getByRole("region", { name: "Config" });
    await pane.getByLabel("Name", { exact: true }).fill("order-17");
    await pane.getByLabel(/^ARN/).fill("arn:aws:states:eu-west-1:1:execution:m:order-17");
    await pane.getByLabel(/^Seed/).fill("7");
    await pane.getByLabel(/^Type/).selectOption("EXPRESS");
    await pane.getByLabel(/Limit payloads to 256 KiB/).uncheck();
    await visitor.run();
    await visitor.result();
    const exported = async () => {
      await page.getByRole("button", { name: "Export" }).click();
      const { bytes } = await visitor.download(page.getByRole("button", { name: "Test file" }));
      await page.keyboard.press("Escape");
      await dialog(page, "Export").waitFor({ state: "detached" });
      return bytes.toString();
    };
    const first = await exported();
    // The settings of Config apply to the next run.
    await visitor.tab("Runs");
    await page.getByLabel("Event shown").fill("2");
    await page.getByRole("button", { name: "Fork at event 2" }).click();
    await page.getByRole("treeitem", { level: 2 }).first().waitFor();
    await pane.getByLabel(/^Seed/).fill("8");
    await pane.getByLabel("Name", { exact: true }).fill("another");
    await page.keyboard.press("Shift+F8");
    await visitor.result();
    assert.match(runTest([first, await exported()]), /pass 2\b/);
  });

  visit("exports a failed run with branches as a test", { reusePage: true }, async (visitor, page) => {
    await visitor.example("Parallel branches");
    await visitor.state("BookTrip").waitFor();
    await visitor.run();
    await visitor.result();
    await page.getByRole("button", { name: "Export" }).click();
    const { bytes } = await visitor.download(page.getByRole("button", { name: "Test file" }));
    assert.match(runTest(bytes), /pass 1\b/);
  });

  visit("saves a session, and opens it unchanged", { reusePage: true }, async (visitor, page) => {
    await visitor.example("Choice routing");
    await visitor.state("Route").click();
    await page.getByRole("button", { name: "Export" }).click();
    const { name, bytes } = await visitor.download(page.getByRole("button", { name: "Session file" }));
    assert.equal(name, "Choice routing.asldbg.json");
    await page.keyboard.press("Escape");
    await visitor.example("Hello");
    await visitor.importText(bytes.toString(), "Choice routing");
    await page.locator('[data-node="/States/Route"][aria-pressed="true"]').waitFor();
    await visitor.tab("Input");
    await page.getByLabel("Input to run with").waitFor();
    await eventually(
      async () => (await page.getByLabel("Input to run with").locator("option").allInnerTexts()).map((text) => text.trim()),
      ["Light and express", "Heavy", "To an island", "No address"],
    );
  });

  visit("saves runs with forks, mocks, breakpoints and inputs in a session file", { reusePage: true }, async (visitor, page) => {
    await visitor.open({
      definition: GREETING,
      input: { name: "Ada" },
      tasks: "export default { Greet: ({ name }) => `Hello ${name}` };",
    });
    await visitor.state("Done").click();
    await page.keyboard.press("F9");
    await visitor.run();
    await page.locator('[data-node="/States/Done"][aria-label*="paused"]').waitFor();
    // A fork in which the greeting comes from a mock.
    await visitor.tab("Mocks");
    await page.getByLabel("What answers for Greet", { exact: true }).selectOption("result");
    await page.getByLabel("Result of Greet (JSON)").fill('"mocked"');
    await visitor.tab("Runs");
    await page.getByLabel("Event shown").fill("2");
    await page.getByRole("button", { name: "Fork at event 2" }).click();
    await page.getByRole("treeitem", { level: 2 }).first().waitFor();
    await page.keyboard.press("Shift+F8");
    await eventually(() => visitor.output(), "mocked");
    await page.getByRole("button", { name: "Export" }).click();
    const { bytes } = await visitor.download(page.getByRole("button", { name: "Session file" }));
    await page.keyboard.press("Escape");

    await visitor.example("Hello");
    await visitor.importText(bytes.toString(), "Greet, Done");
    // The code comes from somebody else, so the runs are shown after the user agrees, and nothing has run before.
    await dialog(page, "Run this link's code?").getByRole("button", { name: "Run it" }).click();
    await visitor.tab("Runs");
    const runs = page.getByRole("tree", { name: "Runs" });
    await runs.getByText(/^Run 2$/).waitFor();
    await eventually(() => runs.locator(".run-row b").allInnerTexts(), ["Run 1", "Run 2"]);
    await visitor.tab("Result");
    await eventually(() => visitor.output(), "mocked");
    await visitor.tab("Mocks");
    await eventually(() => page.getByLabel("Result of Greet (JSON)").inputValue(), '"mocked"');
    await visitor.tab("Breakpoints 1");
    await visitor.tab("Runs");
    await runs.getByText(/^Run 1$/).click();
    await page.getByRole("button", { name: "Return to live" }).click();
    await page.locator('[data-node="/States/Done"][aria-label*="paused"]').waitFor();
    await page.keyboard.press("F8");
    await eventually(() => visitor.output(), "Hello Ada", "the first run goes on from where it was paused");

    // A damaged run is refused with a notice; everything else in the file is opened.
    await visitor.importText(
      bytes
        .toString()
        .replace('"patch"', '"patches"')
        .replace(/"facts":\[/, '"facts":[["nothing",0],'),
      "Greet, Done",
    );
    await dialog(page, "Run this link's code?").getByRole("button", { name: "Run it" }).click();
    await page
      .getByRole("alert")
      .filter({ hasText: /Not started/ })
      .waitFor();
  });

  const linkOf = async (page) => {
    await page.getByRole("button", { name: "Share" }).click();
    await page.waitForFunction(() => document.querySelector("dialog textarea")?.value.includes("#v1."));
    return page.getByRole("textbox", { name: "Link" }).inputValue();
  };

  visit("shares by a link, whose code runs only after the user agrees", { reusePage: true }, async (visitor, page) => {
    await visitor.open({
      definition: GREETING,
      input: { name: "Ada" },
      tasks: "export default { Greet: ({ name }) => ({ hello: name }) };",
    });
    const link = await linkOf(page);
    assert.ok(link.length < 700, `${link.length} characters`);

    const other = await site.visit({ hash: link.slice(link.indexOf("#")) });
    await other.ready();
    await eventually(() => other.page.locator(".event-row").count(), 0, "nothing runs by itself");
    await other.run();
    const question = other.page.getByRole("dialog", { name: "Run this link's code?" });
    await question.waitFor();
    await question.getByRole("button", { name: "Run it" }).click();
    await eventually(() => other.output(), { hello: "Ada" });
    await other.leave();

    const cut = await site.visit({ hash: link.slice(link.indexOf("#"), -40) });
    await cut.page.getByRole("alert").filter({ hasText: "damaged" }).waitFor();
    await cut.ready();
    await cut.leave();
  });

  visit("leaves unselected parts out of a link, and shows its length", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: GREETING, input: { secret: "a secret" }, tasks: "export default {};" });
    await visitor.tab("Mocks");
    await page.getByLabel("What answers for Greet", { exact: true }).selectOption("echo");
    await visitor.state("Greet").click();
    await page.keyboard.press("F9");
    const whole = await linkOf(page);
    const asked = dialog(page, "Share");
    await asked.getByLabel("Input", { exact: true }).uncheck();
    await asked.getByLabel("Task handlers").uncheck();
    await asked.getByLabel("Mocks and machines (1)").uncheck();
    await asked.getByLabel("Breakpoints (1)").uncheck();
    await asked.getByLabel("Position: Greet").check();
    const part = await shared(
      page,
      ({ i = "", k = "", m, b, p }) => i === "" && k === "" && m === undefined && b === undefined && p === "Greet",
    );
    await asked.getByText(`${part.length} characters`).waitFor();
    const other = await site.visit({ hash: part.slice(part.indexOf("#")) });
    await other.ready();
    await other.page.locator('[data-node="/States/Greet"][aria-pressed="true"]').waitFor();
    await other.tab("Input");
    await until(async () => assert.doesNotMatch(await other.editor("Input").innerText(), /secret/));
    await other.tab("Mocks");
    await eventually(() => other.page.getByLabel("What answers for Greet", { exact: true }).inputValue(), "");
    await eventually(() => other.page.getByRole("tab", { name: "Breakpoints 1" }).count(), 0);
    await other.leave();

    // The complete link contains them.
    const all = await site.visit({ hash: whole.slice(whole.indexOf("#")) });
    await all.ready();
    await all.tab("Mocks");
    await eventually(() => all.page.getByLabel("What answers for Greet", { exact: true }).inputValue(), "echo");
    await all.tab("Breakpoints 1");
    await all.leave();
  });

  test("keeps the current draft when a link is opened, and refuses a link of another version or one that is too large", async () => {
    const visitor = await site.visit();
    await visitor.ready();
    const { page } = visitor;
    await visitor.open({ definition: { Comment: "my draft", ...GREETING } });
    await visitor.waitForDraft("my draft");
    const pack = (value) =>
      page.evaluate(async (text) => {
        const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
        const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
        return btoa(String.fromCharCode(...bytes))
          .replaceAll("+", "-")
          .replaceAll("/", "_")
          .replaceAll("=", "");
      }, JSON.stringify(value));
    const open = (hash) => page.evaluate((to) => (location.hash = to), hash);
    await open("#v9.abc");
    await page.getByRole("alert").filter({ hasText: "version 9" }).waitFor();
    await open(`#v1.${await pack({ d: " ".repeat(3_000_000) })}`);
    await page.getByRole("alert").filter({ hasText: "2 MB" }).waitFor();
    await visitor.state("Greet").waitFor();

    const fresh = `#v1.${await pack({ t: "From a link", d: JSON.stringify({ StartAt: "L", States: { L: { Type: "Succeed" } } }) })}`;
    await page.goto("about:blank");
    await page.goto(site.url + fresh);
    await visitor.ready();
    await visitor.state("L").waitFor();
    await page.getByTitle("Examples and recent drafts").click();
    await page.locator(".recent button", { hasText: "my draft" }).first().click();
    await visitor.state("Greet").waitFor();
    await visitor.leave();
  });

  test("keeps the last 50 drafts, and no more than 4 MB of them", async () => {
    for (const [size, kept] of [
      [1_000, 50],
      [150_000, 27],
    ]) {
      const before = (page) =>
        page.addInitScript((length) => {
          if (localStorage.length > 0) return;
          for (let i = 0; i < (length > 1_000 ? 28 : 55); i++) {
            const definition = JSON.stringify({ Comment: "x".repeat(length), StartAt: "Greet", States: { Greet: { Type: "Succeed" } } });
            localStorage.setItem(
              `stepglass.draft.old${i}`,
              JSON.stringify({
                at: 1_000 + i,
                turn: 1,
                trusted: true,
                t: `Draft ${i}`,
                f: "json",
                d: definition,
                i: "{}",
                k: "",
                c: "skip",
                s: 1,
              }),
            );
          }
        }, size);
      const visitor = await site.visit({ before });
      await visitor.ready();
      const { page } = visitor;
      await visitor.open({ definition: { ...GREETING, Comment: "the newest" } });
      await visitor.waitForDraft("the newest");
      await visitor.example("Hello");
      const all = () =>
        page.evaluate(() =>
          Object.entries(localStorage)
            .filter(([key]) => key.startsWith("stepglass.draft."))
            .map(([, text]) => text),
        );
      await eventually(async () => (await all()).length, kept, `of ${size} characters`);
      assert.ok((await all()).reduce((sum, text) => sum + text.length, 0) <= 4_000_000);
      await page.getByTitle("Examples and recent drafts").click();
      await page.getByRole("button", { name: `Show all ${kept} drafts` }).click();
      await eventually(() => page.locator(".recent li").count(), kept);
      await eventually(() => page.locator(".recent button.link").first().innerText(), "the newest");
      await page.locator(".recent button.link").nth(1).click();
      await visitor.state("Greet").waitFor();
      await visitor.leave();
    }
  });

  visit("deletes everything, including drafts, on request", { reusePage: true }, async (visitor, page) => {
    await visitor.open({ definition: { ...GREETING, Comment: "first" } });
    await visitor.open({ definition: { ...GREETING, Comment: "second" } });
    await visitor.waitForDraft("first");
    await visitor.waitForDraft("second");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Clear everything saved in this browser" }).click();
    const keys = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("stepglass.")));
    await eventually(() => keys(), []);
    await page.keyboard.press("Escape");
    await page.getByTitle("Examples and recent drafts").click();
    await eventually(() => page.locator(".recent").count(), 0);
    await page.locator(".gallery button", { hasText: "Hello" }).first().click();
    await page.locator(".document", { hasText: "Hello" }).waitFor();
    await eventually(async () => (await keys()).filter((key) => /draft/.test(key)), [], "and keeps none of it again");
  });
});
