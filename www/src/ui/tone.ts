// The colours of success and failure.

import type { IconName } from "./Icon.tsx";

type Tone = "good" | "bad" | "";

export const TONE_ICON: Record<Tone, IconName> = { good: "check", bad: "cross", "": "cancelled" };
export const TONE_CLASS: Record<Tone, string> = { good: "is-good", bad: "is-bad", "": "quiet" };
