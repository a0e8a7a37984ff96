// A place below the page's header for a part that is loaded later: the tabs of a project.

import { signal } from "@preact/signals";
import type { ComponentType } from "preact";

export const strip = signal<ComponentType | null>(null);
