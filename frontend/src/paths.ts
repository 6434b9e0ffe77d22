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

/** The path again, with each corner at another place. */
export function moved(pieces: Piece[], place: (corner: Corner, k: number, all: Corner[]) => Corner): string {
  return pieces
    .map(({ corners, isClosed }) => {
      const words = corners.map((corner, k) => place(corner, k, corners).map(tenth).join(" "));
      return `M${words.join("L")}${isClosed ? "z" : ""}`;
    })
    .join("");
}

/** Where on the x axis the level stretch that a corner ends or begins has its middle: steps differ on either side. */
export function middleOfStep([x, y]: Corner, k: number, all: Corner[]): number {
  const [before, after] = [all[k - 1], all[k + 1]];
  if (before && before[1] === y && before[0] !== x) return (before[0] + x) / 2;
  if (after && after[1] === y && after[0] !== x) return (after[0] + x) / 2;
  return x;
}
