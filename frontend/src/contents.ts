// The way around: links inside the page leave the address to the controls, and the strip says where one is.

// A section whose top is higher than this has begun: below the bar that stays in view.
const BEGUN = 180;

export function wireContents(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')];
  for (const link of links) {
    link.addEventListener("click", (event) => {
      const part = document.getElementById(link.hash.slice(1));
      if (!part) return;
      // The address holds where the controls stand.
      event.preventDefault();
      if (part instanceof HTMLDetailsElement) part.open = true;
      part.scrollIntoView();
    });
  }
  const strip = links.filter((link) => link.closest(".strip"));
  const mark = (): void => {
    const begun = strip.filter(({ hash }) => (document.getElementById(hash.slice(1))?.getBoundingClientRect().top ?? Infinity) < BEGUN);
    const here = begun[begun.length - 1] ?? strip[0];
    for (const link of strip) {
      if (link === here) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}
