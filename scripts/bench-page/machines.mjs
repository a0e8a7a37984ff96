// The machines that are measured, and links to the page with one of them.
import { deflateRawSync } from "node:zlib";

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:F";

/** Branches, choices, catchers and loops, as text with a line for each field. */
export function mixed(count) {
  const States = {};
  let made = 0;
  const name = (i) => `Step ${i}`;
  for (let i = 0; made < count; i++) {
    const next = made + 1 < count ? { Next: name(i + 1) } : { End: true };
    made += 1;
    if (made + 4 < count && i % 7 === 3) {
      const branch = (letter) => ({
        StartAt: `${letter}${i}`,
        States: {
          [`${letter}${i}`]: { Type: "Task", Resource: LAMBDA, Next: `${letter}${i} done` },
          [`${letter}${i} done`]: { Type: "Pass", End: true },
        },
      });
      States[name(i)] = { Type: "Parallel", Branches: [branch("a"), branch("b")], ...next };
      made += 4;
    } else if (i % 7 === 5 && !next.End) {
      States[name(i)] = {
        Type: "Choice",
        Choices: [{ Variable: "$.again", IsPresent: true, Next: name(Math.max(0, i - 3)) }],
        Default: name(i + 1),
      };
    } else if (i % 7 === 1)
      States[name(i)] = { Type: "Task", Resource: LAMBDA, Catch: [{ ErrorEquals: ["States.ALL"], Next: name(i + 1) }], ...next };
    else States[name(i)] = { Type: "Pass", ...next };
    if (States[name(i)].Catch && next.End) delete States[name(i)].Catch;
  }
  return written(name(0), States);
}

/** A round of that many states, which goes on until AWS's limit of events. */
export function round(count, state = { Type: "Pass" }) {
  const States = Object.fromEntries(Array.from({ length: count }, (_, i) => [`S${i}`, { ...state, Next: `S${(i + 1) % count}` }]));
  States.S0 = { Type: "Choice", Choices: [{ Variable: "$.stop", IsPresent: true, Next: "End" }], Default: "S1" };
  States.End = { Type: "Succeed" };
  return written("S0", States);
}

/** A round of states that each take a second. */
export const clockwork = (count) => round(count, { Type: "Wait", Seconds: 1 });

/** A Map over its input, with a state in it that a choice leads to. */
export function mapped() {
  const ItemProcessor = {
    StartAt: "Odd",
    States: {
      Odd: { Type: "Choice", Choices: [{ Variable: "$", StringEquals: "x", Next: "Failed" }], Default: "Done" },
      Failed: { Type: "Fail" },
      Done: { Type: "Pass", End: true },
    },
  };
  return written("Each", {
    Each: {
      Type: "Map",
      ItemProcessor: { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, ...ItemProcessor },
      ToleratedFailurePercentage: 100,
      End: true,
    },
  });
}

/** More states than are drawn at once, in branches of twenty. */
export function crowd(count) {
  const States = {};
  for (let i = 0; i * 21 < count; i++) {
    const inside = Object.fromEntries(
      Array.from({ length: 20 }, (_, k) => [`P${i}.${k}`, { Type: "Pass", ...(k < 19 ? { Next: `P${i}.${k + 1}` } : { End: true }) }]),
    );
    States[`Group ${i}`] = {
      Type: "Parallel",
      Branches: [{ StartAt: `P${i}.0`, States: inside }],
      ...((i + 1) * 21 < count ? { Next: `Group ${i + 1}` } : { End: true }),
    };
  }
  return written("Group 0", States);
}

const written = (StartAt, States) => JSON.stringify({ StartAt, States }, null, 2);

/** What stands behind the page's address for it to open this; fields as the page writes them. */
export const link = (workspace) => `#v1.${deflateRawSync(Buffer.from(JSON.stringify(workspace))).toString("base64url")}`;

export const linkTo = (definition, input = "{}") => link({ t: "Measured", d: definition, i: input });
