// Reads the values of attributes, and formats values and times.

export function words(text: string): Set<string> {
  return new Set(text.split(/[\s,]+/).filter(Boolean));
}

/** Returns whether the definition is empty. A text that is being edited may have no state for a moment. */
export function isEmpty(text: string, json: string): boolean {
  return text.trim() === "" || /"States"\s*:\s*\{\s*\}/.test(json);
}

export async function fetched(url: URL): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href} answers ${response.status}`);
  return response.text();
}

/** Returns JSON text, either the given one or that at an address. */
export async function textOr(text: string): Promise<string> {
  if (text.trim() === "") return "{}";
  let json = text;
  try {
    JSON.parse(json);
  } catch (error) {
    if (/^\s*[[{"]/.test(text)) throw error;
    json = await fetched(new URL(text, document.baseURI));
    JSON.parse(json);
  }
  return json;
}

export const jsonOr = async (text: string): Promise<unknown> => JSON.parse(await textOr(text));

export function pretty(json: unknown): string {
  const text = String(json);
  try {
    const whole = JSON.stringify(JSON.parse(text), null, 2);
    return whole.length > 20_000 ? `${whole.slice(0, 20_000)}…` : whole;
  } catch {
    return text;
  }
}

/** Returns the title of a stage: `afterInputPath` → `After InputPath`. */
export function stageName(stage: string): string {
  return stage.startsWith("after") ? `After ${stage.slice(5)}` : `${stage[0]!.toUpperCase()}${stage.slice(1)}`;
}

export function elapsed(ms: number): string {
  const days = Math.floor(ms / 86_400_000);
  const part = (unit: number, size: number): string => String(Math.floor(ms / unit) % size).padStart(2, "0");
  return `${days > 0 ? `${days} d ` : ""}${part(3_600_000, 24)}:${part(60_000, 60)}:${part(1000, 60)}`;
}

/** Returns definitions by name, as texts. Each can be given as an object. */
export function machinesOf(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("machines must be an object of definitions by their names");
  return Object.fromEntries(
    Object.entries(value).map(([name, given]) => [name, typeof given === "string" ? given : JSON.stringify(given, null, 2)]),
  );
}
