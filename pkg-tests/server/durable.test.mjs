// A server with `--data` loses nothing that it has acknowledged, whenever it is killed.
//
//   STEPGLASS_KILLS=50 STEPGLASS_SEED=7 node --test pkg-tests/server/durable.test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import * as sfn from "@aws-sdk/client-sfn";
import { nodeWithSqlite } from "../store/drivers.mjs";
import { crash, inputOf } from "./crash.mjs";

const KILLS = Number(process.env.STEPGLASS_KILLS ?? 8);
const SEED = Number(process.env.STEPGLASS_SEED ?? 1);
const skip = nodeWithSqlite === undefined && "there is no Node with SQLite";

/** Starts executions with the SDK, eight at once, and repeats each start until it is acknowledged. */
async function start({ url, stateMachineArn, count, onAcknowledged }) {
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const client = new sfn.SFNClient({ endpoint: url, region: "us-east-1", credentials, disableHostPrefix: true, maxAttempts: 1 });
  let next = 0;
  const one = async () => {
    for (let n; (n = next++) < count;) {
      for (let acknowledged = false; !acknowledged;) {
        try {
          await client.send(new sfn.StartExecutionCommand({ stateMachineArn, name: `e${n}`, input: inputOf(n) }));
          acknowledged = true;
        } catch (error) {
          // An earlier attempt was stored but its response was lost, and the execution has ended meanwhile.
          acknowledged = error instanceof sfn.ExecutionAlreadyExists;
          if (!acknowledged && error.$fault === "client") throw error;
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      }
      onAcknowledged();
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
  client.destroy();
}

test(
  `no acknowledged execution is lost although the server is killed ${KILLS} times (seed ${SEED})`,
  { skip, timeout: 600_000 },
  async () => {
    const count = KILLS * 10;
    const { acknowledged, ended, lost, different, effects } = await crash({ node: nodeWithSqlite, count, kills: KILLS, seed: SEED, start });
    assert.deepEqual(
      { acknowledged, ended, lost, different, effects },
      { acknowledged: count, ended: count, lost: [], different: [], effects: [] },
    );
  },
);
