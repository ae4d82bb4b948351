/** Colours of outcomes: an ordered result runs from blue over sand to red, any other is plain with what is asked for in the accent. */

export interface Value {
  readonly key: string;
  readonly says: string;
}

export type Scale = "words" | "flag" | "number" | "other";

export interface Tone {
  readonly fill: string;
  readonly ink: string;
  /** Of what is asked: a ground to write on. */
  readonly soft: string;
  /** Lines as heralds draw blue: one end of a scale is told from the other without colour, too. */
  readonly hatched: boolean;
}

const ORDERED: readonly Tone[] = [
  { fill: "var(--o-1)", ink: "var(--on-blue)", soft: "var(--blue-soft)", hatched: true },
  { fill: "var(--o-2)", ink: "var(--o-on-2)", soft: "var(--blue-soft)", hatched: false },
  { fill: "var(--o-3)", ink: "var(--ink)", soft: "var(--sunken)", hatched: false },
  { fill: "var(--o-4)", ink: "var(--o-on-4)", soft: "var(--red-soft)", hatched: false },
  { fill: "var(--o-5)", ink: "var(--on-red)", soft: "var(--red-soft)", hatched: false },
];
const PLAIN: Tone = { fill: "var(--o-3)", ink: "var(--ink)", soft: "var(--sunken)", hatched: false };
const ASKED: Tone = { fill: "var(--accent)", ink: "var(--on-accent)", soft: "var(--accent-soft)", hatched: false };
/** Plays that stop, never end or were not followed. */
export const LOST: Tone = { fill: "url(#odds-stops)", ink: "var(--warn)", soft: "var(--warn-soft)", hatched: false };
export const UNKNOWN: Tone = { fill: "var(--quiet-soft)", ink: "var(--ink-2)", soft: "var(--quiet-soft)", hatched: false };

/** Deeper than this, a shade is written on with the ink of its colour. */
export const HALF = 0.5;

/** A shade of a colour, from 0 to 1 deep: none so faint that it is lost on its ground, and none between, on which no ink can be read. */
export function shaded(fill: string, depth: number): string {
  return `color-mix(in oklab, ${fill} ${Math.round(depth > HALF ? 88 + 24 * (depth - HALF) : 24 + 48 * depth)}%, var(--surface))`;
}

/** A word that says that nothing comes of it: the middle of a scale, whose sides are good for either player. */
const NOTHING = /\b(no|not|nothing|none|neither|nobody|draw|tie|miss(es|ed)?)\b/i;

/** Of each value its colour; `asked` are the keys of what is asked for, if something is. */
export function tones(values: readonly Value[], scale: Scale, asked: ReadonlySet<string> | null): ReadonlyMap<string, Tone> {
  return new Map(values.map((each, at) => [each.key, tone(values, scale, asked, at)]));
}

function tone(values: readonly Value[], scale: Scale, asked: ReadonlySet<string> | null, at: number): Tone {
  const key = values[at]?.key ?? "";
  if (scale === "words" && values.length > 2) return ORDERED[step(values, at)] ?? PLAIN;
  if (asked && asked.size < values.length) return asked.has(key) ? ASKED : PLAIN;
  if (scale === "flag") return key === "true" ? ASKED : PLAIN;
  if (scale === "number") {
    const depth = values.length < 2 ? 1 : at / (values.length - 1);
    return { ...ASKED, fill: shaded(ASKED.fill, depth), ink: depth > HALF ? ASKED.ink : "var(--ink)" };
  }
  return at % 2 ? { ...PLAIN, fill: "var(--line)" } : PLAIN;
}

/** Where a value stands on the scale of five: one that says that nothing happens in the middle, others to its sides. */
function step(values: readonly Value[], at: number): number {
  const middle = values.findIndex((each) => NOTHING.test(each.says));
  if (middle < 0) return Math.round((4 * at) / (values.length - 1));
  if (at === middle) return 2;
  if (at < middle) return middle === 1 ? 0 : Math.round(at / (middle - 1));
  const after = values.length - 1 - middle;
  return after === 1 ? 4 : 3 + Math.round((at - middle - 1) / (after - 1));
}
