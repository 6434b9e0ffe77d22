// Numbers as the page writes them everywhere else: half to even, thousands parted, three decimals.

/** To so many decimals, as Python rounds: a number that lies exactly in the middle goes to the even digit. */
export function fixed(value: number, digits: number): string {
  const size = Math.abs(value);
  const inHalves = size * 2 ** (digits + 1);
  if (!Number.isInteger(inHalves) || inHalves % 2 === 0) return value.toFixed(digits);
  const down = Math.floor(size * 10 ** digits);
  const even = (down % 2 === 0 ? down : down + 1) / 10 ** digits;
  return (Math.sign(value) * even).toFixed(digits);
}

function parted(text: string): string {
  const [whole, ...rest] = text.split(".");
  return [whole!.replace(/\B(?=(\d{3})+$)/g, ","), ...rest].join(".");
}

/** So many digits that count, in the shortest way: Python's `g`. */
export function general(value: number, digits: number): string {
  if (!isFinite(value) || value === 0) return value === 0 ? "0" : value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
  const [mantissa, power] = value.toExponential(digits - 1).split("e") as [string, string];
  const exponent = Number(power);
  const strip = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent < -4 || exponent >= digits) {
    return `${strip(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  return strip(fixed(value, Math.max(0, digits - 1 - exponent)));
}

/** An estimate: three decimals, or its first digit where it would read as zero. */
export function number(value: number): string {
  if (!isFinite(value)) return "\u2013";
  if (Math.abs(value) > 0 && Math.abs(value) < 0.0005) return general(value, 1);
  return parted(fixed(value + 0, 3));
}

export function bracketed(limits: readonly [number, number]): string {
  return `[${number(limits[0])}, ${number(limits[1])}]`;
}

export function percent(share: number): string {
  return isFinite(share) ? `${fixed(100 * share, 1)}\u00a0%` : "\u2013";
}

/** A number of cases, or a sum of weights. */
export function count(cases: number): string {
  return Number.isInteger(cases) ? parted(String(cases)) : parted(general(cases, 6));
}

export function thresholdWords(threshold: number): string {
  if (threshold === Infinity) return "above every score";
  if (isNaN(threshold)) return "as decided";
  const rounded = Number(threshold.toFixed(2));
  const isClose = Math.abs(threshold - rounded) <= 1e-9 * Math.max(Math.abs(threshold), Math.abs(rounded));
  return isClose ? fixed(threshold, 2) : general(threshold, 4);
}

/** What a miss costs, in false alarms. */
export function ratioWords(ratio: number): string {
  return ratio >= 1 ? `${general(ratio, 3)} : 1` : `1 : ${general(1 / ratio, 3)}`;
}
