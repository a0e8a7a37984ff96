// The example that the page begins with. The others are loaded with the gallery.

import card from "../../examples/order/example.json?raw";
import definition from "../../examples/order/machine.asl.json?raw";
import tasks from "../../examples/order/tasks.js?raw";
import { example } from "./example.ts";

export const first = example("order", card, definition, tasks);
