// Escapes text for XML, for build servers.

const ENTITIES = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
]);

/** Escapes text for use between tags or in an attribute. */
export function xml(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character)
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}
