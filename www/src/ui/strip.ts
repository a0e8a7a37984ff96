// A place between the page's head and its work, for what is loaded later: the tabs of a project.

import { signal } from "@preact/signals";
import type { ComponentType } from "preact";

export const strip = signal<ComponentType | null>(null);
