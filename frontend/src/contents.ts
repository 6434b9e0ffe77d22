// The way around: links inside the page leave the address to the controls, and the strip says where one is.

import { all, attrs, on } from "./dom";

// A section whose top is higher than this has begun: below the bar that stays in view.
const BEGUN = 180;

export function wireContents(): void {
  const links = all<HTMLAnchorElement>('a[href^="#"]');
  const aim = (link: HTMLAnchorElement): HTMLElement | null => document.getElementById(link.hash.slice(1));
  for (const link of links) {
    on(link, "click", (event) => {
      const part = aim(link);
      if (!part) return;
      // The address holds where the controls stand.
      event.preventDefault();
      if (part instanceof HTMLDetailsElement) part.open = true;
      part.scrollIntoView();
    });
  }
  const strip = links.filter((link) => link.closest(".strip"));
  const mark = (): void => {
    const here = strip.filter((link) => (aim(link)?.getBoundingClientRect().top ?? Infinity) < BEGUN).at(-1) ?? strip[0];
    for (const link of strip) attrs(link, { "aria-current": link === here ? "location" : null });
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}
