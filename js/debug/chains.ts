// @ts-nocheck: has no types yet.
export { Chains, detailsOf } from "../history/chains.ts";
