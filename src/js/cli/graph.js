// stepglass graph

import { writeFileSync } from "node:fs";
import { layout, renderSvg } from "../node.js";
import { Source, Unusable } from "./source.js";

export async function graph(files, { output, direction, theme, title, json }) {
  if (files.length !== 1) throw new Unusable("graph needs one file", { usage: true });
  if (direction !== undefined && direction !== "TB" && direction !== "LR") throw new Unusable("--direction is TB or LR", { usage: true });
  if (theme !== undefined && !["auto", "light", "dark"].includes(theme)) throw new Unusable("--theme is light, dark or auto", { usage: true });
  const source = new Source(files[0]);
  let text;
  try {
    if (source.json === undefined) throw new SyntaxError();
    text = json ? `${JSON.stringify(layout(source.json, { direction }), null, 2)}\n` : renderSvg(source.json, { direction, theme, title });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    process.stderr.write(source.render({}, process.stderr.hasColors?.() ?? false));
    return 1;
  }
  if (output === undefined) process.stdout.write(text);
  else {
    try {
      writeFileSync(output, text);
    } catch (error) {
      throw new Unusable(`cannot write ${output}: ${error.message}`);
    }
  }
  return 0;
}
