// The services that tasks call in these tests: moto's server and stand-ins for Lambda and other services.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { join } from "node:path";
import { emulator } from "../../scripts/clients.mjs";
import { windows } from "../../scripts/steps.mjs";

/** The folder in which the clients of the AWS SDK are installed. */
export const project = import.meta.dirname;

const { bin, reason } = emulator({ install: false });
/** The reason why no emulator can run here, or false. */
export const skip = process.env.STEPGLASS_NO_PYTHON ?? reason ?? false;

/** Starts moto's server on a free port. */
export async function startMoto() {
  const program = join(bin, windows ? "moto_server.exe" : "moto_server");
  const child = spawn(program, ["-H", "127.0.0.1", "-p", "0"], { stdio: ["ignore", "pipe", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let output = "";
    const onOutput = (chunk) => {
      output += chunk;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", onOutput);
    child.stderr.on("data", onOutput);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`moto's server has ended with ${code}: ${output}`)));
  });
  return { url, close: () => child.kill() };
}

/**
 * A server that responds with what `answer` returns: `{ status, headers, body }`, or a promise of it. With `tls`, a key and a certificate,
 * it uses HTTPS.
 */
export async function standIn(answer, tls) {
  const requests = [];
  const server = (tls === undefined ? createServer : createSecureServer.bind(undefined, tls))(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const given = { method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() };
    requests.push(given);
    const { status = 200, headers = {}, body = "" } = (await answer(given)) ?? {};
    response.writeHead(status, headers);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => (server.closeAllConnections(), server.close());
  return { url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${server.address().port}`, requests, close };
}

/** A stand-in for Lambda. The functions, by name, return the text of a payload or throw `{ status, type, message }`. */
export async function startLambda(functions) {
  return standIn(async ({ url, body }) => {
    const name = decodeURIComponent(/\/functions\/([^/]+)\/invocations/.exec(url)?.[1] ?? "").replace(/^.*:function:/, "");
    const metadata = { "x-amzn-RequestId": "0c6e9f4a", "X-Amzn-Trace-Id": "Root=1-0", "Content-Type": "application/json" };
    const refuse = (status, type, message) => ({
      status,
      headers: { ...metadata, "x-amzn-ErrorType": type },
      body: { Type: "User", Message: message },
    });
    const run = functions[name.split(":")[0]];
    if (run === undefined) {
      const arn = `arn:aws:lambda:us-east-1:123456789012:function:${name}:$LATEST`;
      return refuse(404, "ResourceNotFoundException", `Function not found: ${arn}`);
    }
    try {
      const version = { "X-Amz-Executed-Version": "$LATEST", "x-amzn-Remapped-Content-Length": "0" };
      return { headers: { ...metadata, ...version }, body: await run(body) };
    } catch (thrown) {
      if (thrown.status !== undefined) return refuse(thrown.status, thrown.type, thrown.message);
      const failure = { errorMessage: thrown.message, errorType: thrown.name, requestId: "0c6e9f4a", stackTrace: [] };
      return { headers: { ...metadata, "X-Amz-Function-Error": "Unhandled" }, body: failure };
    }
  });
}
