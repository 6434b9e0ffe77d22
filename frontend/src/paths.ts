// Corners of a path that Python drew, moved up or down where a control changes what it shows.

import { tenth } from "./marks";

export type Corner = [number, number];

export interface Piece {
  corners: Corner[];
  isClosed: boolean;
}

/** The pieces of a path of straight lines, in absolute coordinates. */
export function piecesOf(d: string): Piece[] {
  const pieces: Piece[] = [];
  let [x, y] = [0, 0];
  for (const [, letter, rest] of d.matchAll(/([a-z])([^a-z]*)/gi)) {
    const numbers = (rest!.match(/-?(?:\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    const isRelative = letter === letter!.toLowerCase();
    const kind = letter!.toLowerCase();
    if (kind === "z") {
      const piece = pieces[pieces.length - 1];
      if (piece) piece.isClosed = true;
      continue;
    }
    const step = kind === "h" || kind === "v" ? 1 : 2;
    for (let k = 0; k + step <= numbers.length; k += step) {
      const [first, second] = [numbers[k]!, numbers[k + step - 1]!];
      const [baseX, baseY] = isRelative ? [x, y] : [0, 0];
      if (kind !== "v") x = baseX + first;
      if (kind !== "h") y = baseY + second;
      if (kind === "m" && k === 0) pieces.push({ corners: [], isClosed: false });
      pieces[pieces.length - 1]?.corners.push([x, y]);
    }
  }
  return pieces;
}

/** The path again, with each corner at another place, or left out. */
export function moved(pieces: Piece[], place: (corner: Corner, k: number, all: Corner[]) => Corner | null): string {
  let path = "";
  for (const { corners, isClosed } of pieces) {
    let pen = "M";
    corners.forEach((corner, k) => {
      const at = place(corner, k, corners);
      if (at) path += pen + at.map(tenth).join(" ");
      // After a corner that is not on the drawing the line begins anew.
      pen = at ? "L" : "M";
    });
    if (isClosed) path += "z";
  }
  return path;
}

/** Where on the x axis the level stretch that a corner ends or begins has its middle: steps differ on either side. */
export function middleOfStep([x, y]: Corner, k: number, all: Corner[]): number {
  const [before, after] = [all[k - 1], all[k + 1]];
  if (before && before[1] === y && before[0] !== x) return (before[0] + x) / 2;
  if (after && after[1] === y && after[0] !== x) return (after[0] + x) / 2;
  return x;
}
