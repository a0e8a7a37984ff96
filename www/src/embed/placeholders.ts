// The placeholders of an inserted pattern in the component's text. Tab moves from one to the next, and Escape ends that.

const PLACEHOLDER = /\$\{[^}]*\}/g;

export class Placeholders {
  private on = false;

  constructor(private readonly area: HTMLTextAreaElement) {}

  /** Moves to the first placeholder from an offset, if the text is shown. Returns whether there is one. */
  begin(from: number): boolean {
    const { area } = this;
    if (!area.checkVisibility()) return false;
    area.focus({ preventScroll: true });
    return (this.on = this.go(from, false));
  }

  /** Handles a key. Returns whether it was one of these. */
  pressed(event: KeyboardEvent): boolean {
    if (!this.on) return false;
    const { area } = this;
    if (event.key === "Escape") this.on = false;
    else if (event.key === "Tab") this.on = this.go(event.shiftKey ? area.selectionStart : area.selectionEnd, event.shiftKey);
    else return false;
    if (this.on || event.key === "Escape") event.preventDefault();
    return true;
  }

  private go(from: number, back: boolean): boolean {
    const { area } = this;
    const all = [...area.value.matchAll(PLACEHOLDER)];
    const next = back ? all.findLast(({ index }) => index < from) : all.find(({ index }) => index >= from);
    if (!next) return false;
    const start = next.index;
    area.setSelectionRange(start, start + next[0].length);
    const line = area.value.slice(0, start).split("\n").length;
    area.scrollTop = (area.scrollHeight / area.value.split("\n").length) * line - area.clientHeight / 2;
    return true;
  }
}
