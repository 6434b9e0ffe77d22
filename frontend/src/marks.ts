// Attributes of marks, and the way back to how they were drawn.

import { attrs } from "./dom";

type Wanted = Record<string, string | number | null>;

const drawn = new WeakMap<Element, Map<string, string | null>>();

/** Change attributes of a mark, none where there is nothing to show; what they were before is kept. */
export function place(mark: Element | null, wanted: Wanted | null): void {
  if (!mark) return;
  const before = drawn.get(mark) ?? new Map<string, string | null>();
  drawn.set(mark, before);
  for (const [name, value] of Object.entries({ ...wanted, display: wanted ? null : "none" })) {
    if (!before.has(name)) before.set(name, mark.getAttribute(name));
    attrs(mark, { [name]: typeof value === "number" ? tenth(value) : value });
  }
}

/** A mark that the page was written without. */
export function markOn(svg: SVGSVGElement, tag: "circle" | "line", look: string): SVGElement {
  const mark = document.createElementNS("http://www.w3.org/2000/svg", tag);
  attrs(mark, { class: look });
  return svg.appendChild(mark);
}

/** The mark as the page was written. */
export function asDrawn(mark: Element | null): void {
  if (mark) attrs(mark, Object.fromEntries(drawn.get(mark) ?? []));
}

/** Coordinates to a tenth of a unit, as the page has them. */
export function tenth(value: number): string {
  return String(Math.round(value * 10) / 10);
}
