// How time passes in a run.

import type { ClockMode } from "../model/protocol.ts";

export const CLOCKS: [ClockMode, string][] = [["skip", "Skip waits"], ["real", "Real time"], ["x10", "10 × faster"], ["x60", "60 × faster"], ["x3600", "3600 × faster"], ["manual", "By hand"]];

export const MEANS: Record<ClockMode, string> = {
  skip: "Where nobody is at work, it jumps to what comes next.",
  real: "A second is a second.",
  x10: "Ten seconds pass in one.",
  x60: "A minute passes in a second.",
  x3600: "An hour passes in a second.",
  manual: "It stands still until you let it pass.",
};
