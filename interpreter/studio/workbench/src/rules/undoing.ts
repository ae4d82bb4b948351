/** One change of a text is put back to what stood there before. */
import { type Hunk, hunks } from "./documents";

/** The lines that a change is about, in either text; lines count from 1. */
export interface Changed {
  readonly old: number | null;
  readonly now: number | null;
}

/** The text with the changes put back that stand at these lines; null where nothing differs there. */
export function undone(before: string, now: string, changed: readonly Changed[]): string | null {
  const [old, own] = [before.split(/\r?\n/), now.split(/\r?\n/)];
  const parts = hunks(old, own).flatMap(split);
  const exactly = parts.filter((part) => changed.some((each) => hits(part.from, part.to, each.old, 1) || hits(part.fromB, part.toB, each.now, 1)));
  const within = exactly.length ? exactly : parts.filter((part) => changed.some((each) => hits(part.from, part.to, each.old, extent(old, each.old)) || hits(part.fromB, part.toB, each.now, extent(own, each.now))));
  if (!within.length) return null;
  const lines = [...own];
  for (const part of [...within].reverse()) lines.splice(part.fromB, part.toB - part.fromB, ...old.slice(part.from, part.to));
  return lines.join(now.includes("\r\n") ? "\r\n" : "\n");
}

/** Lines that were only changed are put back one by one. */
function split(hunk: Hunk): Hunk[] {
  const count = hunk.to - hunk.from;
  if (count !== hunk.toB - hunk.fromB) return [hunk];
  return Array.from({ length: count }, (_, at) => ({ from: hunk.from + at, to: hunk.from + at + 1, fromB: hunk.fromB + at, toB: hunk.fromB + at + 1 }));
}

function hits(from: number, to: number, line: number | null, lines: number): boolean {
  return line !== null && from < line - 1 + lines && to > line - 1;
}

/** How many lines the part has that begins at a line: it, and those below that stand further in. */
function extent(lines: readonly string[], line: number | null): number {
  if (line === null) return 0;
  const depth = (text: string): number => text.length - text.trimStart().length;
  const first = depth(lines[line - 1] ?? "");
  let end = line;
  while (end < lines.length && (!lines[end]?.trim() || depth(lines[end] ?? "") > first)) end += 1;
  return end - line + 1;
}
