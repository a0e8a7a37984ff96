// Kills `stepglass serve --data` at random while boto3 starts executions, and checks how they end.
//
//   npm run crash:serve                                         1,000 executions, 20 kills
//   npm run crash:serve -- --executions 100 --kills 5 --seed 7
//
// Every start that was acknowledged has to end as its twin does on a server that is not killed, with each effect once per idempotency
// key. Exit code 1 if one does not. Needs Python, and Node 22.13 or the one that the set-up of the tests installs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { crash, inputOf } from "../pkg-tests/server/crash.mjs";
import { nodeWithSqlite } from "../pkg-tests/store/drivers.mjs";
import { pythonClients } from "./clients.mjs";
import { root } from "./steps.mjs";

const text = { type: "string" };
const { values } = parseArgs({ options: { executions: text, kills: text, seed: text } });
const { executions = "1000", kills = "20", seed = "1" } = values;
const { bin, reason } = pythonClients();
if (bin === undefined || nodeWithSqlite === undefined) {
  console.error(`crash:serve: ${reason ?? "there is no Node with an SQLite: npm test installs one"}`);
  process.exit(2);
}

async function start({ url, stateMachineArn, count, onAcknowledged }) {
  const client = spawn(join(bin, "python"), [join(root, "pkg-tests/server/boto3_starts.py"), url, stateMachineArn], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(client, "exit");
  for (let n = 0; n < count; n += 1) client.stdin.write(`${JSON.stringify({ name: `e${n}`, input: inputOf(n) })}\n`);
  client.stdin.end();
  for await (const _ of createInterface({ input: client.stdout })) onAcknowledged();
  const [code] = await gone;
  if (code !== 0) throw new Error(`boto3 has failed with exit code ${code}`);
}

const found = await crash({ node: nodeWithSqlite, count: Number(executions), kills: Number(kills), seed: Number(seed), start });
const { recoveries, lost, different, effects, ...figures } = found;
const sorted = recoveries.sort((a, b) => a - b);
const restarts = { p50: Math.round(sorted[sorted.length >> 1] ?? 0), max: Math.round(sorted.at(-1) ?? 0) };
console.log(
  JSON.stringify({ executions, kills, seed, ...figures, lost: lost.length, different: different.length, restarts }, undefined, 2),
);
for (const problem of [...lost, ...different, ...effects].slice(0, 20)) console.log(problem);
process.exit(lost.length + different.length + effects.length > 0 || found.ended < Number(executions) ? 1 : 0);
