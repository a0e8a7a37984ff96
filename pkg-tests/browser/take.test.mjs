// What visitors bring to the page and take from it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { simulate } from "stepglass";
import { expectRun, testMachine } from "stepglass/testing";
import { gallery } from "../api/examples.mjs";
import { skip } from "../browser.mjs";
import { runTest } from "./exported.mjs";
import { GREETING, comes, shared, until, visits } from "./playground.mjs";

describe("bring and take", { skip }, () => {
  const { site, visit } = visits();
  const dialog = (page, name) => page.getByRole("dialog", { name });

  visit(
    "the gallery has every example with its drawing, found by feature and by word",
    { staying: "Order processing" },
    async (visitor, page) => {
      const examples = gallery();
      await page.getByTitle("Examples and recent drafts").click();
      const cards = page.locator(".gallery li");
      await cards.first().waitFor();
      await comes(() => cards.count(), examples.length + 1, "and an empty one");
      await comes(
        async () => (await cards.locator(".gallery-title").allInnerTexts()).map((title) => title.trim()).sort(),
        [...examples.map(({ title }) => title), "Empty"].sort(),
      );
      await page.locator(".gallery-drawing").last().scrollIntoViewIfNeeded();
      await page.waitForFunction(() =>
        [...document.querySelectorAll(".gallery-drawing")].some((image) => image.complete && image.naturalWidth > 0),
      );
      await comes(() => visitor.violations(), []);
      await page.getByRole("button", { name: "Catch", exact: true }).click();
      await comes(() => cards.count(), examples.filter(({ features }) => features.includes("Catch")).length);
      await page.getByRole("searchbox", { name: "Search the examples" }).fill("compensation");
      await comes(() => page.locator(".gallery-title").allInnerTexts(), ["Saga: undo what was done"]);
      await cards.getByRole("button").click();
      await visitor.state("CancelFlight").waitFor();
    },
  );

  visit(
    "opens a definition from a file that is chosen, and one that is dropped",
    { staying: "Order processing" },
    async (visitor, page) => {
      await page.getByRole("button", { name: "Import" }).click();
      await dialog(page, "Import")
        .locator('input[type="file"]')
        .setInputFiles({
          name: "hello.asl.yaml",
          mimeType: "application/yaml",
          buffer: Buffer.from("StartAt: Hello\nStates:\n  Hello:\n    Type: Succeed\n"),
        });
      await visitor.state("Hello").waitFor();
      await comes(() => page.title(), /^hello/);
      await page.evaluate((text) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], "dropped.asl.json", { type: "application/json" }));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      }, JSON.stringify(GREETING));
      await visitor.state("Greet").waitFor();
      await comes(() => page.title(), /^dropped/);
    },
  );

  visit("says why a text cannot be opened", { staying: "Order processing" }, async (visitor, page) => {
    for (const [text, why] of [
      ["hello there", /contains no definition/],
      ["[1, 2]", /contains no definition/],
      ["#v9.abc", /version 9/],
      ['{"kind": "stepglass/session/7"}', /version 7/],
    ]) {
      await page.getByRole("button", { name: "Import" }).click();
      await page.getByLabel("Text", { exact: true }).fill(text);
      await page.getByRole("button", { name: "Open the text" }).click();
      await dialog(page, "Import").getByText(why).waitFor();
      await page.keyboard.press("Escape");
    }
  });

  visit("opens a machine of a SAM template, with its placeholders filled or kept", { staying: true }, async (visitor, page) => {
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
    await visitor.bring(template);
    const asked = dialog(page, "Import a template");
    await asked.getByLabel("Orders").check();
    await comes(() => visitor.violations(), []);
    await comes(() => asked.getByLabel("${ChargeArn}").inputValue(), "arn:aws:lambda:us-east-1:123456789012:function:Charge");
    await comes(() => asked.getByLabel("${Stage}").inputValue(), "test");
    await comes(() => asked.getByLabel("${Table}").inputValue(), "Table");
    await asked.getByLabel("${Table}").fill("");
    await asked.getByRole("button", { name: "Open Orders" }).click();
    await visitor.state("Store").waitFor();
    const text = await visitor.editor("Definition").innerText();
    for (const part of ["Orders of test", "function:Charge", "arn:aws:states:::dynamodb:putItem", "${Table}"])
      assert.ok(text.includes(part), part);
  });

  visit("opens a machine of a synthesized CDK template", { staying: true }, async (visitor, page) => {
    const parts = [
      '{"StartAt":"Invoke","States":{"Invoke":{"Type":"Task","End":true,"Resource":"arn:',
      { Ref: "AWS::Partition" },
      ':states:::lambda:invoke","Parameters":{"FunctionName":"',
      { "Fn::GetAtt": ["Fn9270", "Arn"] },
      '","Payload.$":"$"}}}}',
    ];
    await visitor.bring({
      Resources: { Machine: { Type: "AWS::StepFunctions::StateMachine", Properties: { DefinitionString: { "Fn::Join": ["", parts] } } } },
    });
    await dialog(page, "Import a template").getByRole("button", { name: "Open Machine" }).click();
    await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
    await visitor.state("Invoke").waitFor();
  });

  visit("names the file that a template's definition is in", { staying: true }, async (visitor, page) => {
    await visitor.bring({
      Resources: { Machine: { Type: "AWS::Serverless::StateMachine", Properties: { DefinitionUri: "machines/order.asl.json" } } },
    });
    await dialog(page, "Import a template").getByText("machines/order.asl.json").waitFor();
  });

  visit("shows an execution of AWS on the graph, and says so when it is of another machine", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: GREETING });
    const { history } = simulate(GREETING, { name: "Ada" }, { Greet: { error: "Shy", cause: "will not speak" } });
    // As the AWS command prints it: seconds instead of texts.
    const events = history.map((event) => ({ ...event, timestamp: Date.parse(event.timestamp) / 1000 }));
    await visitor.bring({ events });
    await comes(() => visitor.result().then((result) => result.innerText()), /FAILED[\s\S]*Shy\s+will not speak/);
    await comes(() => visitor.state("Greet").getAttribute("aria-label"), /, failed with Shy, /);
    await visitor.tab("Events");
    await page.getByRole("listbox", { name: `History, ${events.length} events` }).waitFor();

    // Of a machine that has changed since it is shown, with a word.
    const changed = { StartAt: "Greet", States: { Greet: { ...GREETING.States.Greet, Next: "Finished" }, Finished: { Type: "Succeed" } } };
    const done = simulate(GREETING, { name: "Ada" }, { Greet: { output: {} } }).history;
    await visitor.open({ definition: changed });
    await visitor.state("Finished").waitFor();
    await visitor.bring({ events: done });
    await page.getByRole("alert").filter({ hasText: "Done" }).waitFor();
    await visitor.state("Finished").waitFor();
    // Another machine's draws its own.
    await visitor.open({ definition: { StartAt: "Other", States: { Other: { Type: "Succeed" } } } });
    await visitor.state("Other").waitFor();
    await visitor.bring({ events });
    await visitor.state("Greet").waitFor();
    await comes(() => page.getByRole("alert").filter({ hasText: "definition" }).count(), 0);
    await visitor.bring({ events: events.slice(1) });
    await dialog(page, "Import").getByText("event 1 is missing").waitFor();
  });

  visit(
    "replays an execution of AWS: does the same or says where not, and runs under the debugger with its recorded answers",
    { staying: true },
    async (visitor, page) => {
      const machine = structuredClone(GREETING);
      machine.States.Greet.Retry = [{ ErrorEquals: ["Shy"], IntervalSeconds: 5, MaxAttempts: 1 }];
      const { history: events } = simulate(
        machine,
        { name: "Ada" },
        { Greet: [{ error: "Shy", after: 700 }, { output: { hello: "Ada" } }] },
      );
      await visitor.open({ definition: machine });
      await visitor.bring({ events });
      const strip = page.getByRole("region", { name: "Recorded execution" });
      await strip.getByText(/matches: \d+ events compared/).waitFor();
      await comes(() => visitor.violations(), []);
      // It does not run before its pause: who continues just then would pause it.
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
      await comes(() => visitor.output(), { hello: "Ada" });
      await comes(() => visitor.state("Greet").getAttribute("aria-label"), /succeeded, 1 failed attempt/);
      await page.locator(".result").getByText("5.7 s of virtual time").waitFor();

      // The same history against a definition that has been changed since.
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
      await visitor.bring({ events });
      await strip.getByText(/it diverges/).waitFor();
      await strip.getByRole("button", { name: /^Show event \d+/ }).click();
      await page.locator(".event-row.chosen").waitFor();
    },
  );

  test("opens an execution of its own server as it runs, and none of another", async () => {
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
    await comes(() => visitor.result().then((result) => result.innerText()), /SUCCEEDED/);
    await comes(() => visitor.state("Greet").getAttribute("aria-label"), /succeeded/);
    await comes(() => asked, "4");
    await visitor.page.evaluate(() => (location.hash = "#import=https%3A%2F%2Felsewhere.invalid%2Fx"));
    await visitor.page.getByRole("alert").filter({ hasText: "own server only" }).waitFor();
    await visitor.leave();
  });

  visit("a dropped file of stepglass fetch opens with its definition, and can be forked with another", {}, async (visitor, page) => {
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
    await comes(() => visitor.result().then((result) => result.innerText()), /FAILED[\s\S]*Shy/);
    const strip = page.getByRole("region", { name: "Recorded execution" });
    await strip.getByText(/Recorded execution ada\..*matches: \d+ events compared/s).waitFor();
    const fixed = structuredClone(GREETING);
    fixed.States.Greet.Catch = [{ ErrorEquals: ["Shy"], Next: "Done" }];
    await visitor.write("Definition", JSON.stringify(fixed, null, 2));
    await strip.getByRole("button", { name: "Debug with its answers" }).click();
    await page.locator(".pause-where", { hasText: "before the first state" }).waitFor();
    await page.keyboard.press("F8");
    await comes(() => visitor.result().then((result) => result.innerText()), /SUCCEEDED/);
  });

  visit("takes pictures, texts, the history and the run as a test", { staying: "Order processing" }, async (visitor, page) => {
    await visitor.run();
    await visitor.result();
    await page.getByRole("button", { name: "Export" }).click();
    const asked = dialog(page, "Export");
    await comes(() => visitor.violations(), []);
    const button = (name) => asked.getByRole("button", { name, exact: true });

    const svg = (await visitor.saved(button("SVG"))).bytes.toString();
    assert.match(svg, /^<svg [\s\S]*ChargeCard/);
    await asked.getByLabel("Include the run's colours").uncheck();
    const plain = (await visitor.saved(button("SVG"))).bytes.toString();
    assert.notEqual(plain, svg, "the run's colours are drawn");
    const sizes = [];
    for (const scale of ["1", "2"]) {
      await asked.getByLabel("PNG scale").selectOption(scale);
      const { name, bytes } = await visitor.saved(button("PNG"));
      assert.equal(name, "Order processing.png");
      assert.equal(bytes.toString("latin1", 1, 4), "PNG");
      sizes.push(bytes.readUInt32BE(16));
    }
    assert.ok(Math.abs(sizes[1] - 2 * sizes[0]) <= 2, sizes.join());
    assert.match((await visitor.saved(button("Mermaid file"))).bytes.toString(), /^stateDiagram-v2/m);

    assert.equal(JSON.parse((await visitor.saved(button("JSON"))).bytes).StartAt, "CheckStock");
    assert.match((await visitor.saved(button("YAML"))).bytes.toString(), /^StartAt: CheckStock$/m);
    const { events } = JSON.parse((await visitor.saved(button("History, as AWS has it"))).bytes);
    assert.deepEqual([events.length, events[0].type], [47, "ExecutionStarted"]);

    const mocks = JSON.parse((await visitor.saved(button("MockConfigFile.json"))).bytes);
    assert.deepEqual(mocks.MockedResponses.ChargeCardResponses["0-1"], { Throw: { Error: "GatewayBusy", Cause: "Try again later" } });
    assert.equal(mocks.StateMachines["Order-processing"].TestCases.RecordedRun.ChargeCard, "ChargeCardResponses");

    const file = await visitor.saved(button("Test file"));
    assert.equal(file.name, "order-processing.test.mjs");
    assert.match(runTest(file.bytes), /pass 1\b/);
    // A test that cannot fail would be none.
    assert.throws(() => runTest(file.bytes.toString().replaceAll('throws("GatewayBusy"', 'throws("Broken"')));
    await asked.getByLabel("Test for").selectOption("vitest");
    const vitest = await visitor.saved(button("Test file"));
    assert.match(runTest(vitest.bytes, "vitest"), /1 passed/);
    assert.throws(() => runTest(vitest.bytes.toString().replaceAll('throws("GatewayBusy"', 'throws("Broken"'), "vitest"));
    await button("Copy as test").click();
    await page.locator(".toast", { hasText: "copied" }).waitFor();
    await comes(() => page.evaluate(() => navigator.clipboard.readText()), vitest.bytes.toString());

    // The mock file goes with the test kit, too.
    const definition = JSON.parse((await visitor.saved(button("JSON"))).bytes);
    const machine = testMachine(definition, { mockConfig: mocks });
    expectRun(
      await machine.test("RecordedRun", JSON.parse(events[0].executionStartedEventDetails.input), {
        name: /mocks, name: "(.*)"/.exec(file.bytes)[1],
      }),
    )
      .succeeded(JSON.parse(events.at(-1).executionSucceededEventDetails.output))
      .retried("ChargeCard", 2);
  });

  test("every example runs to what it promises, its run is a test that passes, and its mock file gives the same run", async () => {
    const visitor = await site.visit();
    await visitor.ready();
    const { page } = visitor;
    const asked = dialog(page, "Export");
    const saved = async (name) => (await visitor.saved(asked.getByRole("button", { name, exact: true }))).bytes.toString();
    const tests = [];
    for (const { title, fixed, inputs, features } of gallery()) {
      if (fixed) continue;
      await visitor.example(title);
      await page.locator(".problems-head", { hasText: "No problems" }).waitFor();
      await visitor.run();
      const answer = page
        .getByRole("form", { name: /^Answer of/ })
        .getByRole("button", { name: "Answer", exact: true })
        .first();
      if (inputs[0].answers) await answer.click();
      const { status, error: failure, output: promised } = inputs[0].result;
      // What has the time of the run in it is not promised.
      const own =
        inputs[0].answers ||
        /waitForTaskToken|seed/.test(JSON.stringify(features)) ||
        (promised !== undefined && /\d{4}-\d\d-\d\d/.test(JSON.stringify(promised)));
      if (own) await visitor.result();
      else
        await comes(
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
    await visitor.leave();
    assert.match(runTest(tests), new RegExp(`pass ${tests.length}\\b`));
  });

  visit(
    "a test begins as the run did: its name, ARN, type, limits and seed, also that of a fork",
    { staying: true },
    async (visitor, page) => {
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
        const { bytes } = await visitor.saved(page.getByRole("button", { name: "Test file" }));
        await page.keyboard.press("Escape");
        await dialog(page, "Export").waitFor({ state: "detached" });
        return bytes.toString();
      };
      const first = await exported();
      // What stands in Config is of the next run.
      await visitor.tab("Runs");
      await page.getByLabel("Event shown").fill("2");
      await page.getByRole("button", { name: "Fork at event 2" }).click();
      await page.getByRole("treeitem", { level: 2 }).first().waitFor();
      await pane.getByLabel(/^Seed/).fill("8");
      await pane.getByLabel("Name", { exact: true }).fill("another");
      await page.keyboard.press("Shift+F8");
      await visitor.result();
      assert.match(runTest([first, await exported()]), /pass 2\b/);
    },
  );

  visit("a failed run with branches is a test, too", { staying: true }, async (visitor, page) => {
    await visitor.example("Parallel branches");
    await visitor.state("BookTrip").waitFor();
    await visitor.run();
    await visitor.result();
    await page.getByRole("button", { name: "Export" }).click();
    const { bytes } = await visitor.saved(page.getByRole("button", { name: "Test file" }));
    assert.match(runTest(bytes), /pass 1\b/);
  });

  visit("saves a session whole and opens it again", { staying: true }, async (visitor, page) => {
    await visitor.example("Choice routing");
    await visitor.state("Route").click();
    await page.getByRole("button", { name: "Export" }).click();
    const { name, bytes } = await visitor.saved(page.getByRole("button", { name: "Session file" }));
    assert.equal(name, "Choice routing.asldbg.json");
    await page.keyboard.press("Escape");
    await visitor.example("Hello");
    await visitor.bring(bytes.toString(), "Choice routing");
    await page.locator('[data-node="/States/Route"][aria-pressed="true"]').waitFor();
    await visitor.tab("Input");
    await page.getByLabel("Input to run with").waitFor();
    await comes(
      async () => (await page.getByLabel("Input to run with").locator("option").allInnerTexts()).map((text) => text.trim()),
      ["Light and express", "Heavy", "To an island", "No address"],
    );
  });

  visit(
    "a session file has the runs with their forks, the mocks, the breakpoints and the inputs",
    { staying: true },
    async (visitor, page) => {
      await visitor.open({
        definition: GREETING,
        input: { name: "Ada" },
        tasks: "export default { Greet: ({ name }) => `Hello ${name}` };",
      });
      await visitor.state("Done").click();
      await page.keyboard.press("F9");
      await visitor.run();
      await page.locator('[data-node="/States/Done"][aria-label*="paused"]').waitFor();
      // A fork, in which the greeting is made by another.
      await visitor.tab("Mocks");
      await page.getByLabel("What answers for Greet", { exact: true }).selectOption("result");
      await page.getByLabel("Result of Greet (JSON)").fill('"mocked"');
      await visitor.tab("Runs");
      await page.getByLabel("Event shown").fill("2");
      await page.getByRole("button", { name: "Fork at event 2" }).click();
      await page.getByRole("treeitem", { level: 2 }).first().waitFor();
      await page.keyboard.press("Shift+F8");
      await comes(() => visitor.output(), "mocked");
      await page.getByRole("button", { name: "Export" }).click();
      const { bytes } = await visitor.saved(page.getByRole("button", { name: "Session file" }));
      await page.keyboard.press("Escape");

      await visitor.example("Hello");
      await visitor.bring(bytes.toString(), "Greet, Done");
      // The code is somebody's: the runs are shown when it has been looked at, and nothing has run by itself.
      await dialog(page, "Run this link's code?").getByRole("button", { name: "Run it" }).click();
      await visitor.tab("Runs");
      const runs = page.getByRole("tree", { name: "Runs" });
      await runs.getByText(/^Run 2$/).waitFor();
      await comes(() => runs.locator(".run-row b").allInnerTexts(), ["Run 1", "Run 2"]);
      await visitor.tab("Result");
      await comes(() => visitor.output(), "mocked");
      await visitor.tab("Mocks");
      await comes(() => page.getByLabel("Result of Greet (JSON)").inputValue(), '"mocked"');
      await visitor.tab("Breakpoints 1");
      await visitor.tab("Runs");
      await runs.getByText(/^Run 1$/).click();
      await page.getByRole("button", { name: "Return to live" }).click();
      await page.locator('[data-node="/States/Done"][aria-label*="paused"]').waitFor();
      await page.keyboard.press("F8");
      await comes(() => visitor.output(), "Hello Ada", "the first run goes on from where it was paused");

      // One that is damaged is refused with a word; what else is in the file is there.
      await visitor.bring(
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
    },
  );

  const linkOf = async (page) => {
    await page.getByRole("button", { name: "Share" }).click();
    await page.waitForFunction(() => document.querySelector("dialog textarea")?.value.includes("#v1."));
    return page.getByRole("textbox", { name: "Link" }).inputValue();
  };

  visit("shares by a link, whose code does not run before somebody says so", { staying: true }, async (visitor, page) => {
    await visitor.open({
      definition: GREETING,
      input: { name: "Ada" },
      tasks: "export default { Greet: ({ name }) => ({ hello: name }) };",
    });
    const link = await linkOf(page);
    assert.ok(link.length < 700, `${link.length} characters`);

    const other = await site.visit({ hash: link.slice(link.indexOf("#")) });
    await other.ready();
    await comes(() => other.page.locator(".event-row").count(), 0, "nothing runs by itself");
    await other.run();
    const question = other.page.getByRole("dialog", { name: "Run this link's code?" });
    await question.waitFor();
    await question.getByRole("button", { name: "Run it" }).click();
    await comes(() => other.output(), { hello: "Ada" });
    await other.leave();

    const cut = await site.visit({ hash: link.slice(link.indexOf("#"), -40) });
    await cut.page.getByRole("alert").filter({ hasText: "damaged" }).waitFor();
    await cut.ready();
    await cut.leave();
  });

  visit("leaves out of a link what is not wanted in it, and names its length", { staying: true }, async (visitor, page) => {
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
    await comes(() => other.page.getByLabel("What answers for Greet", { exact: true }).inputValue(), "");
    await comes(() => other.page.getByRole("tab", { name: "Breakpoints 1" }).count(), 0);
    await other.leave();

    // And the whole of it has them.
    const all = await site.visit({ hash: whole.slice(whole.indexOf("#")) });
    await all.ready();
    await all.tab("Mocks");
    await comes(() => all.page.getByLabel("What answers for Greet", { exact: true }).inputValue(), "echo");
    await all.tab("Breakpoints 1");
    await all.leave();
  });

  test("a link keeps the draft that was there, and is refused when it is of another version or too large", async () => {
    const visitor = await site.visit();
    await visitor.ready();
    const { page } = visitor;
    await visitor.open({ definition: { Comment: "my draft", ...GREETING } });
    await visitor.kept("my draft");
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
      await visitor.kept("the newest");
      await visitor.example("Hello");
      const all = () =>
        page.evaluate(() =>
          Object.entries(localStorage)
            .filter(([key]) => key.startsWith("stepglass.draft."))
            .map(([, text]) => text),
        );
      await comes(async () => (await all()).length, kept, `of ${size} characters`);
      assert.ok((await all()).reduce((sum, text) => sum + text.length, 0) <= 4_000_000);
      await page.getByTitle("Examples and recent drafts").click();
      await page.getByRole("button", { name: `Show all ${kept} drafts` }).click();
      await comes(() => page.locator(".recent li").count(), kept);
      await comes(() => page.locator(".recent button.link").first().innerText(), "the newest");
      await page.locator(".recent button.link").nth(1).click();
      await visitor.state("Greet").waitFor();
      await visitor.leave();
    }
  });

  visit("forgets everything when asked, the drafts too", { staying: true }, async (visitor, page) => {
    await visitor.open({ definition: { ...GREETING, Comment: "first" } });
    await visitor.open({ definition: { ...GREETING, Comment: "second" } });
    await visitor.kept("first");
    await visitor.kept("second");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Clear everything saved in this browser" }).click();
    const keys = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("stepglass.")));
    await comes(() => keys(), []);
    await page.keyboard.press("Escape");
    await page.getByTitle("Examples and recent drafts").click();
    await comes(() => page.locator(".recent").count(), 0);
    await page.locator(".gallery button", { hasText: "Hello" }).first().click();
    await page.locator(".document", { hasText: "Hello" }).waitFor();
    await comes(async () => (await keys()).filter((key) => /draft/.test(key)), [], "and keeps none of it again");
  });
});
