// Numbers for people: four significant digits and the unit that fits. Thousands are set apart by
// commas; what is whole and below a million is written out.

const PREFIXES: [number, string][] = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
  [1e-12, "p"],
];

// 0.7123 J → "712.3 mJ".
export function si(value: number, unit: string, digits = 4): string {
  if (value === 0 || !Number.isFinite(value)) return `${value} ${unit}`.trim();
  const size = Math.abs(value) * (1 + 5e-5); // 999.96 is the 1000 of the next prefix
  const [scale, prefix] = PREFIXES.find(([s]) => size >= s) ?? [1e-12, "p"];
  return `${significant(value / scale, digits)} ${prefix}${unit}`.trim();
}

// Four digits, without zeros at the end: 12.3, 0.04567, 1234.
export function significant(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 10 ** digits) return grouped(Math.round(value));
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential(digits - 1);
  const text = value.toPrecision(digits);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

export function grouped(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString("en-US") : significant(value);
}

// Counts in a small place: 1.026 M, 950.
export function brief(value: number): string {
  return Math.abs(value) < 1e4 ? grouped(value) : si(value, "").replace(/ $/, "");
}

export const energy = (pj: number): string => si(pj * 1e-12, "J");
export const edp = (pjCycles: number): string => si(pjCycles * 1e-12, "J·cycle");
export const seconds = (s: number): string => si(s, "s");
export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;

export function bytes(count: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let scaled = count;
  let unit = 0;
  while (Math.abs(scaled) >= 1024 && unit + 1 < units.length) {
    scaled /= 1024;
    ++unit;
  }
  return `${significant(scaled)} ${units[unit]}`;
}

// How many times one is of the other, as a change: "−12.3 %", "+4.0 %", "=".
export function change(before: number, after: number): string {
  if (before === after) return "=";
  if (before === 0) return "new";
  const ratio = after / before - 1;
  if (Math.abs(ratio) < 5e-4) return "≈";
  if (ratio > 9) return `×${significant(ratio + 1, 3)}`;
  return `${ratio < 0 ? "−" : "+"}${(100 * Math.abs(ratio)).toFixed(1)} %`;
}

// "1 layer", "2 layers", "2 policies".
export function plural(count: number, noun: string): string {
  const many = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${grouped(count)} ${count === 1 ? noun : many}`;
}

// "a plan", "an architecture".
export const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;

// What results call a workload, without the folder and the ending of a file.
export function nameOfWorkload(workload: string): string {
  const file = /([^/]+)\.(?:ya?ml|json|onnx|csv|jinja2?)$/.exec(workload);
  return file ? file[1]! : workload;
}

export const area = (um2: number): string =>
  um2 >= 1e4 ? `${significant(um2 / 1e6)} mm²` : `${significant(um2)} µm²`;

// How a figure is called and written, by its key in a result: "energy_pj" is an energy.
export interface Quantity {
  label: string;
  show: (value: number) => string;
}
const NAMES: Record<string, string> = {
  pj_per_op: "pJ per operation",
  ops_per_cycle: "operations per cycle",
  offchip_words: "off-chip words",
  of_pu: "throughput as a share of that with unlimited memory",
  throughput_per_s: "inferences per second",
};
export function quantity(key: string): Quantity {
  const label = NAMES[key] ?? key.replaceAll("_", " ");
  if (key.endsWith("energy_pj")) return {label: label.replace(/ pj$/, ""), show: energy};
  if (key === "edp") return {label: "EDP", show: edp};
  if (key.endsWith("_um2")) return {label: label.replace(/ um2$/, ""), show: area};
  if (key.endsWith("_us")) return {label: label.replace(/ us$/, ""), show: (us) => seconds(us * 1e-6)};
  if (key.endsWith("_ms")) return {label: label.replace(/ ms$/, ""), show: (ms) => seconds(ms * 1e-3)};
  if (key.endsWith("_bytes")) return {label: label.replace(/ bytes$/, ""), show: bytes};
  if (["utilization", "pe_busy", "gap", "mapping_efficiency"].includes(key))
    return {label, show: (share) => percent(share)};
  return {label, show: grouped};
}
