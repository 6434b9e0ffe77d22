// The page comes alive: one state, one function that shows it, and controls that change it.

import { wireContents } from "./contents";
import { wireControls } from "./controls";
import { readPage } from "./data";
import { all, whenRead } from "./dom";
import { offerDownloads } from "./downloads";
import { figureOf } from "./figures";
import { wireMatrices } from "./matrix";
import { readable } from "./readout";

whenRead(() => {
  const page = readPage();
  if (!page) return;
  all("[data-needs-script]").forEach((part) => part.removeAttribute("hidden"));
  // Rows behind a matrix have a script of their own, which stands before this one on pages that hold any.
  const follow = (detail: number[]): unknown => document.dispatchEvent(new CustomEvent("thresholds", { detail }));
  if (page.parts.length) wireControls(page, follow);
  wireMatrices();
  offerDownloads();
  wireContents();
  // Figures that no control moves are read off the drawing.
  for (const svg of all<SVGSVGElement>("svg[data-figure]:not([tabindex])")) {
    const figure = figureOf(svg);
    if (figure.isPlaced && !svg.closest("[data-class]")) readable(figure, null);
  }
});
