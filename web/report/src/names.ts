// Names of nodes and layers where there is little room: what tells them apart stays, what they have
// in common goes first.

const LONGEST = 26;

function commonStart(names: string[]): string {
  let start = names[0] ?? "";
  for (const name of names) while (!name.startsWith(start)) start = start.slice(0, -1);
  return start;
}
function commonEnd(names: string[]): string {
  let end = names[0] ?? "";
  for (const name of names) while (!name.endsWith(end)) end = end.slice(1);
  return end;
}

// "/features/features.1/conv/conv.0/Conv" → "features.1/conv.0/Conv": the next part of the path says
// the same and more.
function withoutRepeats(name: string): string {
  const parts = name.replace(/^\//, "").split("/");
  return parts.filter((part, i) => !parts[i + 1]?.startsWith(`${part}.`)).join("/");
}

const withoutMiddle = (name: string, room: number): string => {
  const head = Math.round(0.3 * room);
  return name.length > room ? `${name.slice(0, head)}…${name.slice(name.length - (room - head - 1))}` : name;
};
export const endOf = (text: string, room: number): string =>
  text.length > room ? `…${text.slice(text.length - Math.max(0, room - 1))}` : text;

const wordsOf = (name: string): Set<string> => new Set(name.match(/[A-Za-z]+/g) ?? []);

// Cuts the ends off words, of those first that save most and that most names have, until a name is
// short enough; numbers stay, for they are what differs most. `least`: letters that a word keeps.
function abbreviated(
  name: string,
  room: number,
  uses: Map<string, number>,
  least: (word: string) => number,
): string {
  const saving = (word: string): number => word.length - least(word) - 1;
  const words = [...wordsOf(name)].filter((word) => saving(word) > 0);
  words.sort((a, b) => uses.get(b)! * saving(b) - uses.get(a)! * saving(a));
  let text = name;
  for (const word of words) {
    const keep = Math.max(least(word), word.length - 1 - Math.max(1, text.length - room));
    if (text.length > room) text = text.replace(new RegExp(`${word}(?![A-Za-z])`), `${word.slice(0, keep)}…`);
  }
  return text;
}

// The label of each of some different names: at most `room` letters long as far as that leaves them
// different.
function labelsOf(names: string[], room: number): string[] {
  const uses = new Map<string, number>();
  for (const name of names) for (const word of wordsOf(name)) uses.set(word, (uses.get(word) ?? 0) + 1);
  const vocabulary = [...uses.keys()];
  // As many letters as tell it from all other words.
  const telling = new Map(
    vocabulary.map((word) => {
      let letters = 1;
      const isShared = (other: string): boolean => other !== word && other.startsWith(word.slice(0, letters));
      while (letters < word.length && vocabulary.some(isShared)) ++letters;
      return [word, letters];
    }),
  );
  const forms = names.map((name) => {
    const clear = abbreviated(name, room, uses, (word) => telling.get(word)!);
    const brief = clear.length > room ? abbreviated(name, room, uses, () => 1) : clear;
    return [...new Set([withoutMiddle(brief, room), brief, clear, name])];
  });
  // Those that look alike get their next longer form.
  const chosen = names.map(() => 0);
  for (let changed = true; changed; ) {
    changed = false;
    const same = new Map<string, number[]>();
    forms.forEach((form, i) => same.set(form[chosen[i]!]!, [...(same.get(form[chosen[i]!]!) ?? []), i]));
    for (const group of same.values()) {
      for (const i of group.length > 1 ? group : []) {
        if (chosen[i]! + 1 === forms[i]!.length) continue;
        ++chosen[i]!;
        changed = true;
      }
    }
  }
  return forms.map((form, i) => form[chosen[i]!]!);
}

// How names are written in a list of them: without the path that all begin with and the one that all
// end with, and at most `room` letters long as far as that leaves them different.
export function shortNames(names: string[], room: number = LONGEST): (name: string) => string {
  const distinct = [...new Set(names)];
  const isClear = distinct.length > 1 && new Set(distinct.map(withoutRepeats)).size === distinct.length;
  const brief = isClear ? withoutRepeats : String;
  const whole = distinct.map(brief);
  const [start, end] = whole.length > 1 ? [commonStart(whole), commonEnd(whole)] : ["", ""];
  const from = start.lastIndexOf("/") + 1;
  const ending = end.indexOf("/") < 0 ? 0 : end.length - end.indexOf("/");
  const own = whole.map((name) => name.slice(from, name.length - ending) || name);
  const labels = labelsOf(own, room);
  const known = new Map(distinct.map((name, i) => [name, labels[i]!]));
  return (name) => known.get(name) ?? name;
}

// The room of the longest of them at the left of a chart, in pixels.
export function roomFor(names: string[]): number {
  const short = shortNames(names);
  return 16 + 6.8 * Math.max(1, ...names.map((name) => short(name).length));
}
