// @ts-nocheck: has no types yet.
export { detailsOf } from "../history/events.ts";
