// Reads the mock configuration from a file.

import { basename } from "node:path";
import { MockConfig } from "./config.ts";
import { TestKitError } from "./errors.ts";
import { pathOf, readText } from "./paths.ts";

/** Reads a mock configuration file of Step Functions Local, or its contents. `warn` is called for each ignored member. */
export function loadMockConfig(source: unknown, warn: (message: string) => void = () => {}): MockConfig {
  if (source instanceof MockConfig) return source;
  const config = configOf(source);
  for (const message of config.warnings) warn(message);
  return config;
}

function configOf(source: unknown): MockConfig {
  if (typeof source === "object" && source !== null && !(source instanceof URL)) return new MockConfig(source);
  const file = pathOf(source, "a mock configuration");
  const text = readText(file);
  try {
    return new MockConfig(JSON.parse(text), basename(file));
  } catch (error) {
    if (error instanceof SyntaxError) throw new TestKitError(`${file} is not JSON: ${error.message}`);
    throw error;
  }
}
