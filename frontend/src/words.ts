// Numbers as Python writes them (assay/text.py): half to even, thousands parted, the digits that an interval supports.

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

// Below this, relative to the numbers themselves, a width is rounding and no width.
const ROUNDING = 1e-12;
// By so little a width or a distance may miss a power of ten and still be taken for one.
const TIE = 1e-9;
// Numbers below this are written with a power of ten.
const SMALL = 1e-4;

type Limits = readonly [number, number] | null;

/** The power of ten of the first digit, exactly. */
function exponent(value: number): number {
  return value ? Number(value.toExponential().split("e")[1]) : 0;
}

/** How many decimals a value and its limits deserve: half the width shows two digits. */
function decimals(value: number, limits: Limits): number {
  const [low, high] = limits ?? [NaN, NaN];
  const size = sizeOf(value, limits);
  const width = isFinite(high - low) ? (high - low) / 2 : Math.min(value - low, high - value);
  let places = Math.max(0, 3 - Math.max(0, exponent(size)));
  if (width > ROUNDING * size && width < Infinity) {
    const least = size <= 1 ? 3 : low > 0 ? Math.min(2, 1 - exponent(low)) : 0;
    places = Math.max(0, least, 1 - exponent(width * (1 + TIE)));
  }
  const away = Math.abs(value);
  if (limits ? value > 0 && value < 1 && !(low < 0 || high > 1) : away > 0 && away < 1) {
    const near = Math.min(away, 1 - away);
    const gap = near > ROUNDING || away < 0.5 ? near : 1;
    places = Math.max(places, -exponent(2 * gap * (1 - TIE)));
  }
  return places;
}

function sizeOf(value: number, limits: Limits): number {
  return Math.max(0, ...[value, ...(limits ?? [])].filter(isFinite).map(Math.abs));
}

function rounded(value: number, places: number, size: number): string {
  if (!isFinite(value)) return isNaN(value) ? "\u2013" : value > 0 ? "inf" : "-inf";
  const text = fixed(value, Math.min(places, 100));
  const plain = Number(text) === 0 ? text.replace("-", "") : text;
  return size > 0 && size < SMALL ? general(Number(plain), 15) : parted(plain);
}

/** A number without an interval, or the value of an estimate. */
export function number(value: number, limits: Limits = null): string {
  return isFinite(value) ? rounded(value, decimals(value, limits), sizeOf(value, limits)) : "\u2013";
}

/** The limits of an estimate in brackets, to the decimals of its value. */
export function bracketed(value: number, limits: readonly [number, number]): string {
  const [places, size] = [decimals(value, limits), sizeOf(value, limits)];
  return `[${limits.map((limit) => rounded(limit, places, size)).join(", ")}]`;
}

/** The value of a difference with its sign before it. */
export function signed(value: number, limits: Limits): string {
  const text = !limits && Math.abs(value) < ROUNDING ? number(0) : number(value, limits);
  return text.startsWith("-") ? text : `+${text}`;
}

/** A share, never rounded to nothing or to all. */
export function percent(share: number): string {
  if (!isFinite(share)) return "\u2013";
  const off = Math.min(share, 1 - share);
  const places = off > ROUNDING ? Math.max(1, -1 - exponent(off * (1 + TIE))) : 1;
  return `${fixed(100 * share, places)}\u00a0%`;
}

/** A number of cases, or a sum of weights. */
export function count(cases: number): string {
  return Number.isInteger(cases) ? parted(String(cases)) : parted(general(cases, 6));
}

export function thresholdWords(threshold: number): string {
  if (threshold === Infinity) return "above every score";
  if (isNaN(threshold)) return "as predicted";
  const rounded = Number(threshold.toFixed(2));
  const isClose = Math.abs(threshold - rounded) <= 1e-9 * Math.max(Math.abs(threshold), Math.abs(rounded));
  return isClose ? fixed(threshold, 2) : general(threshold, 4);
}

/** A level of intervals in percent. */
export function levelWords(level: number): string {
  return `${Number((100 * level).toPrecision(6))} %`;
}

/** What a miss costs, in false alarms. */
export function ratioWords(ratio: number): string {
  return ratio >= 1 ? `${general(ratio, 3)} : 1` : `1 : ${general(1 / ratio, 3)}`;
}
