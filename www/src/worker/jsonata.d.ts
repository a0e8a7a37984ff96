// js/convert/jsonata.ts, which the command `stepglass convert` has too.
declare module "stepglass/jsonata" {
  /// A definition with every state in JSONata that can be, or with those of one name; and the others with the reason.
  export function toJsonata(definition: object, only?: string): { definition: object; converted: string[]; left: { state: string; pointer: string; reason: string }[] };
}
