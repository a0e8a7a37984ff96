// Makes an animated WebP of still pictures: Chromium encodes the pictures, and this module combines them. The format:
// https://developers.google.com/speed/webp/docs/riff_container

/** Each frame is `{webp, x, y, width, height, duration}`; x and y are even, and all frames are within `width` × `height`. */
export function animate({ width, height, frames }) {
  const head = Buffer.alloc(10);
  head[0] = 0x02;
  head.writeUIntLE(width - 1, 4, 3);
  head.writeUIntLE(height - 1, 7, 3);
  // White background, repeated for ever.
  const anim = Buffer.from([255, 255, 255, 255, 0, 0]);
  return chunk("RIFF", Buffer.concat([Buffer.from("WEBP"), chunk("VP8X", head), chunk("ANIM", anim), ...frames.map(frame)]));
}

function frame({ webp, x, y, width, height, duration }) {
  const head = Buffer.alloc(16);
  head.writeUIntLE(x / 2, 0, 3);
  head.writeUIntLE(y / 2, 3, 3);
  head.writeUIntLE(width - 1, 6, 3);
  head.writeUIntLE(height - 1, 9, 3);
  head.writeUIntLE(duration, 12, 3);
  // The frame is drawn without blending, and stays for the next one.
  head[15] = 0x02;
  return chunk("ANMF", Buffer.concat([head, ...pictures(webp)]));
}

/** Yields the chunks of a still picture that contain its pixels. */
function* pictures(webp) {
  for (let at = 12; at + 8 <= webp.length;) {
    const size = webp.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (["VP8 ", "VP8L", "ALPH"].includes(webp.toString("latin1", at, at + 4))) yield webp.subarray(at, end);
    at = end;
  }
}

function chunk(name, body) {
  const head = Buffer.alloc(8);
  head.write(name, 0, "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}
