// Attributes of marks, and the way back to how they were drawn.

const drawn = new WeakMap<Element, Map<string, string | null>>();

/** Change attributes of a mark; what they were before is kept. */
export function put(mark: Element, wanted: Record<string, string | number | null>): void {
  const before = drawn.get(mark) ?? new Map<string, string | null>();
  drawn.set(mark, before);
  for (const [name, value] of Object.entries(wanted)) {
    if (!before.has(name)) before.set(name, mark.getAttribute(name));
    write(mark, name, typeof value === "number" ? tenth(value) : value);
  }
}

/** A mark that the page was written without. */
export function markOn(svg: SVGSVGElement, tag: "circle" | "line", look: string): SVGElement {
  const mark = document.createElementNS("http://www.w3.org/2000/svg", tag);
  mark.setAttribute("class", look);
  return svg.appendChild(mark);
}

/** The mark as the page was written. */
export function asDrawn(mark: Element): void {
  for (const [name, value] of drawn.get(mark) ?? []) write(mark, name, value);
}

export function hiddenIf(isHidden: boolean): Record<string, string | null> {
  return { display: isHidden ? "none" : null };
}

/** Coordinates to a tenth of a unit, as the page has them. */
export function tenth(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function write(mark: Element, name: string, value: string | null): void {
  if (value === null) mark.removeAttribute(name);
  else mark.setAttribute(name, value);
}
