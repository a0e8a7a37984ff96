// Extracts the text of a PDF that Chromium has printed: what a reader can search for and copy.
import { inflateSync } from "node:zlib";

/** Returns the text of each page, with its lines in drawing order. */
export function wordsOf(pdf) {
  const bytes = pdf.toString("latin1");
  const objects = new Map([...bytes.matchAll(/(\d+) 0 obj\b([^]*?)\bendobj/g)].map(([, id, body]) => [id, body]));
  const stream = (id) => {
    const body = objects.get(id);
    const [, data = ""] = /stream\r?\n([^]*?)\r?\nendstream/.exec(body) ?? [];
    return (/FlateDecode/.test(body) ? inflateSync(Buffer.from(data, "latin1")) : Buffer.from(data, "latin1")).toString("latin1");
  };
  const fonts = new Map();
  const fontOf = (id) => {
    const [, map] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id)) ?? [];
    if (!fonts.has(id)) fonts.set(id, map === undefined ? new Map() : lettersOf(stream(map)));
    return fonts.get(id);
  };
  return [...objects.values()]
    .filter((body) => /\/Type\s*\/Page\b(?!s)/.test(body))
    .map((page) => {
      const [, contents] = /\/Contents (\d+) 0 R/.exec(page);
      // Pictures are drawn by separate content streams with fonts of their own.
      return textOf(stream(contents), page, objects, stream, fontOf);
    });
}

function textOf(program, owner, objects, stream, fontOf) {
  const resources = /\/Resources (\d+) 0 R/.exec(owner);
  const named = resources ? objects.get(resources[1]) : owner;
  const idOf = (name) => new RegExp(`/${name} (\\d+) 0 R`).exec(named)?.[1];
  let letters = new Map();
  let text = "";
  for (const [, font, codes, move, drawn] of program.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]*)>|\b(Tm|ET)\b|\/(X\d+) Do\b/g)) {
    if (font !== undefined) letters = fontOf(idOf(font));
    else if (codes !== undefined) text += codes.replaceAll(/.{4}/g, (code) => letters.get(code.toUpperCase()) ?? "");
    else if (move !== undefined) text += "\n";
    else {
      const id = idOf(drawn);
      if (/\/Subtype\s*\/Form/.test(objects.get(id) ?? "")) text += textOf(stream(id), objects.get(id), objects, stream, fontOf);
    }
  }
  return text.replaceAll(/\n+/g, "\n");
}

/** Maps the character codes of a font, in hexadecimal, to letters. */
function lettersOf(map) {
  const letters = new Map();
  const written = (hex) => Buffer.from(hex, "hex").swap16().toString("utf16le");
  const hex = (code) => code.toString(16).toUpperCase().padStart(4, "0");
  for (const [, block] of map.matchAll(/beginbfchar([^]*?)endbfchar/g))
    for (const [, code, to] of block.matchAll(/<([0-9A-Fa-f]{4})>\s*<([0-9A-Fa-f]+)>/g)) letters.set(code.toUpperCase(), written(to));
  for (const [, block] of map.matchAll(/beginbfrange([^]*?)endbfrange/g))
    for (const [, from, to, first] of block.matchAll(/<([0-9A-Fa-f]{4})>\s*<([0-9A-Fa-f]{4})>\s*<([0-9A-Fa-f]+)>/g))
      for (let code = parseInt(from, 16); code <= parseInt(to, 16); code++)
        letters.set(hex(code), written(hex(parseInt(first, 16) + code - parseInt(from, 16))));
  return letters;
}
