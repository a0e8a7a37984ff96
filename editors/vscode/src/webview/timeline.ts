// The time line of the run that is debugged: a slider over its events.

import type { Time } from "./messages.ts";

export class TimeLine {
  readonly element = document.createElement("label");
  #text = document.createElement("span");
  #slider = document.createElement("input");

  /** `go` is called with the event that the user has chosen. */
  constructor(go: (event: number) => void) {
    this.element.className = "time";
    this.element.hidden = true;
    this.#slider.type = "range";
    this.#slider.min = "0";
    this.element.append(this.#text, this.#slider);
    this.#slider.addEventListener("input", () => this.#write(Number(this.#slider.value)));
    this.#slider.addEventListener("change", () => go(Number(this.#slider.value)));
  }

  /** Shows where the run is. Without `time`, nothing runs. */
  show(time: Time | undefined): void {
    this.element.hidden = time === undefined;
    if (time === undefined) return;
    this.#slider.max = String(time.events);
    this.#slider.value = String(time.event);
    this.#write(time.event);
  }

  #write(event: number): void {
    const text = `Event ${event} of ${this.#slider.max}`;
    this.#text.textContent = text;
    this.#slider.setAttribute("aria-valuetext", text);
  }
}
