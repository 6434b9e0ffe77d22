// The page comes alive: one state, one function that shows it, and controls that change it.

import { wireContents } from "./contents";
import { Controls } from "./controls";
import { readPage } from "./data";
import { offerDownloads } from "./downloads";
import { Figure } from "./figures";
import { wireMatrices } from "./matrix";
import { Readout } from "./readout";
import { RowTables } from "./rows";

function start(): void {
  const page = readPage(document);
  if (!page) return;
  document.querySelectorAll("[data-needs-script]").forEach((part) => part.removeAttribute("hidden"));
  const rows = new RowTables(page.rows);
  wireMatrices();
  if (page.parts.length) new Controls(page, rows);
  offerDownloads(document);
  wireContents();
  // Figures that no control moves are read off the drawing.
  for (const svg of document.querySelectorAll<SVGSVGElement>("svg[data-figure]:not([tabindex])")) {
    const figure = new Figure(svg);
    if (figure.isPlaced && !svg.closest("[data-class]")) new Readout(figure, null);
  }
}

// The script stands at the end of the page, but a page that moves it elsewhere must work too.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
