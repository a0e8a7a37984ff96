// Reduces screenshots to 256 colours, which are enough for a page.
import * as zlib from "node:zlib";

const { deflateSync, inflateSync, crc32: crc } = zlib;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Converts a PNG of Chromium (8 bits, RGB or RGBA without transparency) to a palette of its most frequent colours. */
export function shrink(png) {
  const { width, height, pixels } = decode(png);
  const palette = colours(pixels);
  const known = new Map();
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = 0;
    for (let x = 0; x < width; x++) {
      const colour = pixels[y * width + x];
      let index = known.get(colour);
      if (index === undefined) known.set(colour, (index = nearest(palette, colour)));
      rows[at++] = index;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("PLTE", table),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function decode(png) {
  const parts = [];
  let head;
  for (let at = 8; at < png.length;) {
    const size = png.readUInt32BE(at);
    const name = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + size);
    if (name === "IHDR") head = body;
    if (name === "IDAT") parts.push(body);
    at += size + 12;
  }
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const bytes = head[9] === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(parts));
  const pixels = new Uint32Array(width * height);
  const stride = width * bytes;
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    const row = Buffer.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let i = 0; i < stride; i++) {
      const a = i >= bytes ? row[i - bytes] : 0;
      const b = above[i];
      const c = i >= bytes ? above[i - bytes] : 0;
      const guess = filter === 0 ? 0 : filter === 1 ? a : filter === 2 ? b : filter === 3 ? (a + b) >> 1 : paeth(a, b, c);
      row[i] = (row[i] + guess) & 255;
    }
    for (let x = 0; x < width; x++) pixels[y * width + x] = (row[x * bytes] << 16) | (row[x * bytes + 1] << 8) | row[x * bytes + 2];
    above = row;
  }
  return { width, height, pixels };
}

function paeth(a, b, c) {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/** Returns at most 256 colours: boxes of colours are split where they are widest, weighted by frequency. */
function colours(pixels) {
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const all = [...counts].map(([colour, count]) => ({
    colour,
    weight: Math.sqrt(count),
    parts: [colour >> 16, (colour >> 8) & 255, colour & 255],
  }));
  let boxes = [all];
  while (boxes.length < 256) {
    let best = -1;
    let cut;
    boxes.forEach((box, i) => {
      if (box.length < 2) return;
      for (let part = 0; part < 3; part++) {
        let [low, high, weight] = [255, 0, 0];
        for (const one of box) {
          low = Math.min(low, one.parts[part]);
          high = Math.max(high, one.parts[part]);
          weight += one.weight;
        }
        const need = (high - low) * Math.sqrt(weight);
        if (need > best) [best, cut] = [need, { i, part }];
      }
    });
    if (!cut || best <= 0) break;
    const box = boxes[cut.i].sort((a, b) => a.parts[cut.part] - b.parts[cut.part]);
    const half = box.reduce((sum, { weight }) => sum + weight, 0) / 2;
    let [at, sum] = [0, 0];
    while (at < box.length - 1 && sum + box[at].weight <= half) sum += box[at++].weight;
    at = Math.max(1, at);
    boxes = [...boxes.slice(0, cut.i), box.slice(0, at), box.slice(at), ...boxes.slice(cut.i + 1)];
  }
  // The most frequent colour of a box represents it, so that backgrounds keep their exact colour.
  return boxes.map((box) => box.reduce((most, one) => (one.weight > most.weight ? one : most)).colour);
}

function nearest(palette, colour) {
  const [r, g, b] = [colour >> 16, (colour >> 8) & 255, colour & 255];
  let [best, least] = [0, Infinity];
  palette.forEach((one, i) => {
    const far = (r - (one >> 16)) ** 2 + (g - ((one >> 8) & 255)) ** 2 + (b - (one & 255)) ** 2;
    if (far < least) [best, least] = [i, far];
  });
  return best;
}

function chunk(name, body) {
  const whole = Buffer.alloc(body.length + 12);
  whole.writeUInt32BE(body.length, 0);
  whole.write(name, 4, "latin1");
  body.copy(whole, 8);
  whole.writeUInt32BE(checksum(whole.subarray(4, body.length + 8)), body.length + 8);
  return whole;
}

/** `zlib.crc32` exists in Node 20.15 and newer. */
function checksum(bytes) {
  if (crc) return crc(bytes);
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
