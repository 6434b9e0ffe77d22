// Short ways to ask the page for its elements, to change them and to hear of what happens to them.

/** All elements that a selector finds, in the page or in a part of it. */
export function all<E extends Element = HTMLElement>(selector: string, part: ParentNode = document): E[] {
  return [...part.querySelectorAll<E>(selector)];
}

export function one<E extends Element = HTMLElement>(selector: string, part: ParentNode = document): E | null {
  return part.querySelector<E>(selector);
}

/** Hear of events, their names parted by spaces. */
export function on<E extends Event = Event>(target: EventTarget | null, names: string, act: (event: E) => void): void {
  for (const name of names.split(" ")) target?.addEventListener(name, act as EventListener);
}

/** Set attributes; null takes one away. */
export function attrs(element: Element, wanted: Record<string, string | number | null>): void {
  for (const [name, value] of Object.entries(wanted)) {
    if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, String(value));
  }
}

/** Put words where others stood; nothing is touched that stays the same. */
export function put(element: Element, words: string): void {
  if (element.textContent !== words) element.textContent = words;
}

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Partial<HTMLElementTagNameMap[K]> = {}): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(tag), properties);
}

/** A value inside two ends, whichever comes first. */
export function within(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, Math.min(low, high)), Math.max(low, high));
}

/** The place of the least in a list, the first of several; -1 where there is none. */
export function least(count: number, of: (k: number) => number): number {
  let [best, lowest] = [-1, Infinity];
  for (let k = 0; k < count; k++) {
    const value = of(k);
    if (value < lowest) [best, lowest] = [k, value];
  }
  return best;
}

/** Begin when the page is there: the script stands at its end, but a page that moves it elsewhere must work too. */
export function whenRead(start: () => void): void {
  if (document.readyState === "loading") on(document, "DOMContentLoaded", start);
  else start();
}
