// A codec for the tests of encoded stores.

/** A codec that turns texts around: they keep their lengths, and cannot be read. */
export const reverse = { name: "reverse", encode: (bytes) => bytes.toReversed(), decode: (bytes) => bytes.toReversed() };

/** Returns an upper bound for the bytes that are stored for a text: base64 has four characters for three bytes, and names take some. */
export const encodedBytes = (length) => (length * 4) / 3 + 200;
