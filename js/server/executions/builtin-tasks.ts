// Built-in tasks (`urn:stepglass:…`) for a server's machines: signals, cancellation, setState, continue-as-new.

import type { ChildStart } from "../../runtime/durable/children.ts";
import type { Started } from "../../runtime/durable/host.ts";
import { type OwnRuns, OwnTasks } from "../../runtime/durable/tasks.ts";
import { resolve } from "../storage/registered-machine.ts";
import type { Machine } from "../storage/registered-machine.ts";
import type { StoredExecution } from "../storage/records.ts";
import type { Context } from "./context.ts";

/** Creates the built-in tasks for the machines of a service. */
export function ownTasks(service: Context): OwnTasks {
  const runs: OwnRuns = {
    get host() {
      return service.runner.host;
    },
    payloadLimit: undefined,
    machine: (arn) => {
      const found = machineOf(service, arn);
      return found === undefined ? undefined : { name: found.arn, machine: found.current.compiled };
    },
    begin: (start) => begin(service, start),
    options: () => undefined,
  };
  return new OwnTasks(runs);
}

/** Finds a machine by its ARN or by its name. A name prefers the machine of the server's own region and account. */
function machineOf({ machines, region, account }: Context, given: string): Machine | undefined {
  const known = machines.get(given);
  if (known !== undefined || given.startsWith("arn:")) return known;
  const named = [...machines.values()].filter(({ name }) => name === given);
  return named.find(({ arn }) => arn.includes(`:${region}:${account}:`)) ?? named[0];
}

async function begin(service: Context, { machine, name, input, run, continued, continues }: ChildStart): Promise<Started> {
  const target = resolve(service, machine);
  const record: StoredExecution = await service.runner.start(target, {
    ...{ name, input, run },
    ...(continued !== undefined && { continued }),
    ...(continues !== undefined && { continues }),
  });
  return { outcome: "created", record };
}
