// What is known of an answer, in a word and in a sentence.
import {grouped, percent} from "../format";
import type {AnyCertificate} from "../types";

// "2.0 %", "0.02 %": small gaps with the digits that they need, never less than they are.
export function gapText(gap: number): string {
  if (gap > 0.9 && gap < 1) return `a factor of ${grouped(Math.ceil(1 / (1 - gap) - 1e-6))}`;
  if (gap === 0) return percent(0);
  const digits = gap >= 1e-3 ? 3 : Math.min(5, -Math.floor(Math.log10(gap) + 1e-9)); // of the share
  const up = Math.ceil(gap * 10 ** digits * (1 - 1e-9)) / 10 ** digits;
  return gap >= 1e-3 ? percent(up) : `${Number((100 * up).toPrecision(6))} %`;
}

export function certificateText(certificate: Pick<AnyCertificate, "status" | "gap"> | null | undefined): string {
  if (!certificate) return "none";
  if (certificate.status === "bounded" && certificate.gap >= 1) return "no bound yet";
  if (certificate.status === "bounded") return `within ${gapText(certificate.gap)}`;
  return certificate.status;
}

export function certificateTip(certificate: AnyCertificate | null | undefined): string {
  switch (certificate?.status) {
    case "optimal":
      return "Proven: nothing in the space that was searched is better.";
    case "bounded":
      if (certificate.gap >= 1) return "Nothing is proven yet.";
      return `Proven: nothing in the space is better by more than ${gapText(certificate.gap)}.`;
    case "heuristic":
      return "Found by a heuristic, which proves nothing.";
    default:
      return "There is no answer.";
  }
}

// Of all layers together: what is proven, and of how many.
export function provenText(certificates: (AnyCertificate | null | undefined)[]): {value: string; below: string} {
  const count = certificates.length;
  const optimal = certificates.filter((c) => c?.status === "optimal").length;
  if (count === 1) return {value: certificateText(certificates[0]), below: ""};
  if (optimal === count) return {value: "optimal", below: `all ${count} layers proven`};
  const gap = Math.max(...certificates.map((c) => c?.gap ?? 0));
  return {
    value: `${optimal} of ${count} optimal`,
    below: gap > 0 ? `the others within ${gapText(gap)}` : "the others not proven",
  };
}
