// Packages of AWS's service models: where they are found, and how mocks are checked against them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { testState } from "stepglass";
import { findServiceModels } from "stepglass/node";

const folder = mkdtempSync(join(tmpdir(), "stepglass-models-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function put(path, content) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "object" && !Buffer.isBuffer(content) ? JSON.stringify(content) : content);
}

const lambda = (max) => ({
  metadata: { serviceId: "Lambda" },
  operations: { GetFunction: { output: { shape: "Function" } }, Invoke: { output: { shape: "Answer" } } },
  shapes: {
    Function: { type: "structure", members: { Configuration: { shape: "Configuration" } }, documentation: "<p>long</p>" },
    Configuration: {
      type: "structure",
      required: ["FunctionName"],
      members: { FunctionName: { shape: "Text" }, MemorySize: { shape: "Size" } },
    },
    Text: { type: "string" },
    Size: { type: "integer", max },
    Answer: { type: "structure", members: { StatusCode: { shape: "Size" } } },
  },
});

/** A folder like botocore's `data`. */
function botocore(prefix, { version = "9.9.9", max = 512 } = {}) {
  put(`${prefix}/botocore/__init__.py`, `__version__ = '${version}'\n`);
  put(`${prefix}/botocore/data/endpoints.json`, {});
  put(`${prefix}/botocore/data/lambda/2014-11-11/service-2.json`, lambda(1));
  put(`${prefix}/botocore/data/lambda/2015-03-31/service-2.json.gz`, gzipSync(JSON.stringify(lambda(max))));
  const rds = {
    DescribeDBInstances: { output: { type: "structure", members: { DBInstances: { type: "list", member: { type: "structure" } } } } },
  };
  put(`${prefix}/botocore/data/rds/2014-10-31/service-2.json`, { operations: rds, shapes: {} });
  const run = { type: "structure", required: ["Id"], members: { Id: { type: "string" } } };
  put(`${prefix}/botocore/data/glue/2017-03-31/service-2.json`, { operations: { GetJobRun: { output: run } }, shapes: {} });
  put(`${prefix}/botocore/data/events/2015-10-07/service-2.json`, { operations: { PutEvents: { output: run } }, shapes: {} });
}

/** TestState's error for a mock. */
function answer(serviceModel, resource, result, fieldValidationMode = "STRICT") {
  try {
    const definition = { Type: "Task", Resource: `arn:aws:states:::${resource}`, End: true };
    return testState({ definition, roleArn: "arn:aws:iam::123456789012:role/r", mock: { result, fieldValidationMode }, serviceModel })
      .status;
  } catch (error) {
    assert.equal(error.message, `Mock result schema validation error: ${error.mockProblem}`);
    return error.mockProblem;
  }
}

/** Runs findServiceModels in another process, with the given environment. */
function foundIn(cwd, env = {}) {
  const entry = fileURLToPath(import.meta.resolve("stepglass/node"));
  const code = `import { findServiceModels } from ${JSON.stringify(pathToFileURL(entry).href)};
    const models = findServiceModels(); console.log(JSON.stringify(models ? { package: models.package, folder: models.folder } : null));`;
  const bare = { HOME: folder, USERPROFILE: folder, PATH: join(folder, "nothing"), ...env };
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: join(folder, cwd), env: bare, encoding: "utf8" }),
  );
}

describe("models of botocore", () => {
  botocore("plain");

  test("are read from a folder, in the newest version of each", () => {
    const models = findServiceModels({ folder: join(folder, "plain/botocore/data") });
    assert.equal(models.package, "botocore 9.9.9");
    const resource = "aws-sdk:lambda:getFunction";
    assert.equal(answer(models, resource, { Configuration: { FunctionName: "f", MemorySize: 512 } }), "SUCCEEDED");
    assert.equal(
      answer(models, resource, { Configuration: { FunctionName: "f", MemorySize: 513 } }),
      "Field 'MemorySize' exceeds the maximum value",
    );
    assert.equal(answer(models, resource, { Configuration: {} }), "Required field 'FunctionName' is missing");
    assert.equal(answer(models, resource, { Configuration: {} }, "PRESENT"), "SUCCEEDED");
    assert.equal(answer(models, "aws-sdk:lambda:noSuchAction", { Configuration: 7 }), "SUCCEEDED");
    assert.equal(answer(models, "aws-sdk:nosuchservice:get", { Configuration: 7 }), "SUCCEEDED");
    assert.deepEqual(findServiceModels({ folder: pathToFileURL(join(folder, "plain")) }).folder, models.folder);
  });

  test("provide shapes without documentation, and without members that a response lacks", () => {
    const shape = findServiceModels({ folder: join(folder, "plain") })("lambda", "getFunction");
    assert.deepEqual(Object.keys(shape.shapes).sort(), ["Configuration", "Function", "Size", "Text"]);
    assert.equal(shape.shapes.Function.documentation, undefined);
  });

  test("check optimized integrations, and jobs by the polled response", () => {
    const models = findServiceModels({ folder: join(folder, "plain") });
    assert.equal(answer(models, "events:putEvents", {}), "Required field 'Id' is missing");
    assert.equal(answer(models, "glue:startJobRun", {}), "SUCCEEDED");
    assert.equal(answer(models, "glue:startJobRun.sync", {}), "Required field 'Id' is missing");
    assert.equal(answer(models, "lambda:invoke", { StatusCode: "200", Payload: [] }), "Field 'StatusCode' must be a number");
  });

  test("have members with the names that Step Functions gives them", () => {
    const models = findServiceModels({ folder: join(folder, "plain") });
    assert.equal(answer(models, "aws-sdk:rds:describeDBInstances", { DbInstances: 7 }), "Field 'DbInstances' must be an array");
    assert.equal(answer(models, "aws-sdk:rds:describeDBInstances", { DBInstances: 7 }), "SUCCEEDED");
  });
});

test("models of aws-sdk have strings without a type", () => {
  const output = { type: "structure", members: { Title: {}, Pages: { type: "integer" }, Next: { shape: "S1" } } };
  const model = {
    metadata: { serviceId: "Lambda" },
    operations: { GetFunction: { output } },
    shapes: { S1: { type: "structure", members: { Title: {} } } },
  };
  put("npm/aws-sdk/package.json", { name: "aws-sdk", version: "2.1.0" }, undefined);
  writeFileSync(join(folder, "npm/aws-sdk/package.json"), '{\n  "version": "2.1.0"\n}\n');
  put("npm/aws-sdk/apis/lambda-2015-03-31.min.json", model);
  put("npm/aws-sdk/apis/lambda-2014-11-11.min.json", { ...model, operations: {} });
  const models = findServiceModels({ folder: join(folder, "npm") });
  assert.equal(models.package, "aws-sdk 2.1.0");
  assert.equal(answer(models, "aws-sdk:lambda:getFunction", { Next: { Title: 7 } }), "Field 'Title' must be a string");
});

test("a folder without models is refused, and so is a value that is not a path", () => {
  assert.throws(() => findServiceModels({ folder: join(folder, "nothing") }), { code: "UNUSABLE_FILE", message: /has no models of AWS/ });
  assert.throws(() => findServiceModels({ folder: 7 }), { code: "INVALID_OPTION" });
  assert.throws(() => findServiceModels({ place: "." }), { code: "INVALID_OPTION" });
});

describe("installed models", () => {
  const site = "lib/python3.12/site-packages";
  mkdirSync(join(folder, "project/below"), { recursive: true });

  test("are found in a Python environment above the current folder", () => {
    botocore(`project/.venv/${site}`, { version: "1.0.0" });
    assert.equal(foundIn("project/below").package, "botocore 1.0.0");
  });

  test("are found by the variable STEPGLASS_MODELS first, then in the active environment", () => {
    botocore(`active/${site}`, { version: "2.0.0" });
    botocore("named", { version: "3.0.0" });
    assert.equal(foundIn("project", { VIRTUAL_ENV: join(folder, "active") }).package, "botocore 2.0.0");
    const both = { VIRTUAL_ENV: join(folder, "active"), STEPGLASS_MODELS: join(folder, "named") };
    assert.equal(foundIn("project", both).package, "botocore 3.0.0");
  });

  test("are found beside the AWS CLI and Python on the PATH", () => {
    mkdirSync(join(folder, "elsewhere"), { recursive: true });
    put("cli/dist/aws", "");
    botocore("cli/dist/awscli", { version: "4.0.0" });
    assert.equal(foundIn("elsewhere", { PATH: join(folder, "cli/dist") }).package, "botocore 4.0.0");
    put("python/bin/python3", "");
    botocore(`python/${site}`, { version: "5.0.0" });
    assert.equal(foundIn("elsewhere", { PATH: join(folder, "python/bin") }).package, "botocore 5.0.0");
  });
});
