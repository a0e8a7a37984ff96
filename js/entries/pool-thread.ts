// The program of a pool's thread. It is not an entry of the package.

import { parentPort, workerData } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { work } from "../runtime/pool/work.ts";
import "./node.ts";

void work(parentPort as MessagePort, workerData);
