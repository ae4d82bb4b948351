/** What the verbs `odds` and `simulate` answer as JSON, in one form, and what it says in a sentence. */
import type { Scale, Value } from "../outcomes";
import { chance, NEVER, type Share, shareOf, sum } from "../shares";

interface WrittenValue {
  readonly value: unknown;
  readonly says: string;
  readonly likely?: string;
  readonly about?: number;
  readonly plays?: number;
  readonly interval?: readonly [number, number];
}

interface WrittenMeasure {
  readonly of: string;
  readonly values: readonly WrittenValue[];
  readonly scale: readonly { readonly value: unknown; readonly says: string }[];
  readonly mean: string | number | { readonly about: number } | null;
  readonly given?: { readonly of: string; readonly likely?: string; readonly plays?: number };
}

interface WrittenStart {
  readonly at?: readonly unknown[];
  readonly refused?: readonly string[];
  readonly moments?: number;
  readonly plays?: number;
  readonly odds?: readonly WrittenMeasure[];
  readonly counts?: readonly WrittenMeasure[];
  readonly faults?: readonly { readonly message: string; readonly likely?: string; readonly plays?: number }[];
  readonly best?: readonly { readonly player: string; readonly of: string; readonly low: string | number; readonly high: string | number }[];
  readonly never?: string;
  readonly open?: string;
  /** Rolls and draws that a script answers. */
  readonly scripted?: Readonly<Record<string, string>>;
}

/** JSON of `odds` or `simulate`, of one start or of several. */
export interface Written extends WrittenStart {
  readonly procedure: string;
  readonly most?: number;
  readonly vary?: readonly string[];
  readonly starts?: readonly WrittenStart[];
}

export interface Start {
  readonly at: readonly string[];
  readonly refused: string | null;
  readonly shares: ReadonlyMap<string, Share>;
  /** Plays without an end: why, and how many. */
  readonly lost: readonly { readonly says: string; readonly sort: "stops" | "endless" | "open"; readonly share: Share }[];
  readonly mean: number | null;
  readonly given: Share | null;
}

/** One measure from all starts. */
export interface Measured {
  readonly of: string;
  readonly scale: Scale;
  readonly values: readonly Value[];
  readonly starts: readonly Start[];
}

export interface Answer {
  readonly vary: readonly string[];
  readonly measured: readonly Measured[];
  /** How many plays of each start were counted; null where the answer is exact. */
  readonly counted: number | null;
  readonly moments: number;
  readonly most: number;
  readonly best: readonly { readonly player: string; readonly says: string }[];
  /** The share of plays, at most, that was not followed. */
  readonly open: number;
  /** Rolls and draws that a script answers in place of chance, such as `attack/1/throw: 6`. */
  readonly scripted: readonly string[];
}

const MOST_FILLED = 40;

export function read(written: Written): Answer {
  const starts = written.starts ?? [written];
  const whole = starts.find((each) => each.odds ?? each.counts);
  const measures = (whole?.odds ?? whole?.counts ?? []).map((_, number) => measured(starts, number));
  return {
    vary: written.vary ?? [],
    measured: measures,
    counted: whole?.plays ?? null,
    moments: Math.max(0, ...starts.map((each) => each.moments ?? 0)),
    most: written.most ?? 0,
    best: (written.best ?? []).map(({ player, of, low, high }) => ({ player, says: `${of}: ${[...new Set([number(low), number(high)])].join(" to ")}` })),
    open: Math.max(0, ...starts.map((each) => shareOf(each.open ?? "0").about)),
    scripted: [...new Set(starts.flatMap((each) => Object.entries(each.scripted ?? {}).map(([at, answer]) => `${at}: ${answer}`)))],
  };
}

function number(written: string | number): string {
  return String(Number(shareOf(written).about.toPrecision(4)));
}

function keyOf(value: unknown): string {
  return JSON.stringify(value);
}

function shown(value: unknown): string {
  return value === null ? "none" : value === true ? "yes" : value === false ? "no" : typeof value === "object" ? JSON.stringify(value) : String(value).replaceAll("_", " ");
}

function measured(starts: readonly WrittenStart[], at: number): Measured {
  const told = starts.map((each) => (each.odds ?? each.counts)?.[at]);
  const first = told.find((each) => each !== undefined);
  const met = new Map<string, { readonly value: unknown; readonly says: string }>();
  for (const each of told) for (const one of each?.values ?? []) met.set(keyOf(one.value), one);
  const listed = (first?.scale ?? []).map((each) => ({ key: keyOf(each.value), says: each.says }));
  const isNumber = !listed.length && [...met.values()].every(({ value }) => typeof value === "number");
  const values = listed.length ? [...listed, ...(met.has("null") ? [{ key: "null", says: met.get("null")?.says ?? "" }] : [])] : isNumber ? numbers(met) : [...met].map(([key, { says }]) => ({ key, says }));
  const scale: Scale = listed.length ? (listed[0]?.key === "false" ? "flag" : "words") : isNumber ? "number" : "other";
  return { of: first?.of ?? "", scale, values, starts: starts.map((each, number) => start(each, told[number])) };
}

/** Numbers in order, with those between them that never came. */
function numbers(met: ReadonlyMap<string, { readonly value: unknown; readonly says: string }>): Value[] {
  const known = [...met.values()].map(({ value }) => Number(value)).sort((one, other) => one - other);
  const [least = 0, most = 0] = [known[0], known.at(-1)];
  if (most - least > MOST_FILLED || !known.every(Number.isInteger)) return known.map((each) => ({ key: String(each), says: met.get(String(each))?.says ?? String(each) }));
  return Array.from({ length: most - least + 1 }, (_, at) => String(least + at)).map((each) => ({ key: each, says: met.get(each)?.says ?? each }));
}

function start(written: WrittenStart, told: WrittenMeasure | undefined): Start {
  const plays = written.plays ?? 0;
  const lost: { readonly says: string; readonly sort: "stops" | "endless" | "open"; readonly share: Share }[] = [];
  for (const each of written.faults ?? []) lost.push({ says: each.message, sort: "stops", share: each.likely === undefined ? counted(each.plays ?? 0, plays) : shareOf(each.likely) });
  if (written.never && written.never !== "0") lost.push({ says: "never ends", sort: "endless", share: shareOf(written.never) });
  if (written.open && written.open !== "0") lost.push({ says: "not followed to the end", sort: "open", share: shareOf(written.open) });
  const mean = told?.mean ?? null;
  return {
    at: (written.at ?? []).map(shown),
    refused: written.refused ? written.refused.join("; ") : null,
    shares: new Map((told?.values ?? []).map((each) => [keyOf(each.value), each.likely === undefined ? { ...counted(each.plays ?? 0, told?.given?.plays ?? plays), ...(each.interval ? { low: each.interval[0], high: each.interval[1] } : {}) } : shareOf(each.likely)])),
    lost,
    mean: mean === null ? null : typeof mean === "object" ? mean.about : shareOf(mean).about,
    given: !told?.given ? null : told.given.likely === undefined ? counted(told.given.plays ?? 0, plays) : shareOf(told.given.likely),
  };
}

function counted(some: number, all: number): Share {
  return { exact: null, about: all ? some / all : 0 };
}

/** How likely one of some values is from a start; null where it cannot begin. */
export function likely(from: Start, asked: ReadonlySet<string>): Share | null {
  if (from.refused !== null) return null;
  return sum([...asked].map((each) => from.shares.get(each) ?? NEVER));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function same(one: Share | null, other: Share | null): boolean {
  return one !== null && other !== null && Math.abs(one.about - other.about) < 1e-9;
}

/** What an answer says first: `clause` is what is asked, such as "the rangers are out of play"; `axis` what is varied, in a word. */
export function headline(of: Measured, asked: ReadonlySet<string> | null, clause: string, axis: string): string {
  const able = of.starts.filter((each) => each.refused === null);
  if (!able.length) return "It cannot begin";
  if (asked === null) return shape(of, able, axis);
  const shares = able.map((each) => likely(each, asked));
  const [first = null, last = null] = [shares[0] ?? null, shares.at(-1) ?? null];
  if (first === null || last === null) return "";
  if (able.length === 1) return first.about === 1 ? `It is certain that ${clause}` : capital(`${chance(first)} that ${clause}`);
  if (shares.every((each) => same(each, first))) return first.about === 0 ? `Never, whatever the ${axis}` : `Whatever the ${axis}: ${chance(first)}`;
  const at = (number: number): string => able[number]?.at.join(", ") ?? "";
  const isNumber = able.every((each) => each.at.length === 1 && /^-?\d+$/.test(each.at[0] ?? ""));
  const rises = shares.every((each, number) => number === 0 || (each?.about ?? 0) >= (shares[number - 1]?.about ?? 0) - 1e-9);
  const falls = shares.every((each, number) => number === 0 || (each?.about ?? 0) <= (shares[number - 1]?.about ?? 0) + 1e-9);
  const plateau = shares.findIndex((each) => same(each, last));
  const begun = shares.findIndex((each) => !same(each, first));
  const end = plateau === shares.length - 1 ? `at ${at(plateau)}` : `from ${at(plateau)}`;
  if (isNumber && rises && first.about === 0) return `Never below ${axis} ${at(begun)}, ${last.about === 1 ? "certain" : chance(last)} ${end}`;
  if (isNumber && falls && last.about === 0) return capital(`${chance(first)} ${begun > 1 ? `up to ${axis} ${at(begun - 1)}` : `at ${axis} ${at(0)}`}, never from ${at(plateau)}`);
  if (isNumber && (rises || falls)) return capital(`${begun > 1 ? `${chance(first)} up to` : `from ${chance(first)} at`} ${axis} ${at(begun > 1 ? begun - 1 : 0)}${begun > 1 ? "," : " to"} ${chance(last)} ${end}`);
  const most = shares.reduce((best, each, number) => ((each?.about ?? 0) > (shares[best]?.about ?? 0) + 1e-9 ? number : best), 0);
  const top = shares[most];
  return top ? capital(`${chance(top)} at most, with ${axis} ${at(most)}`) : "";
}

/** What is to be said where no value is asked for: the average of numbers, else what is the likeliest. */
function shape(of: Measured, able: readonly Start[], axis: string): string {
  const [first, last] = [able[0], able.at(-1)];
  const round = (mean: number): string => String(Number(mean.toPrecision(3)));
  if (of.scale === "number" && first?.mean !== null && first?.mean !== undefined && last?.mean !== null && last?.mean !== undefined) {
    if (able.length === 1) return `On average ${round(first.mean)}`;
    if (round(first.mean) === round(last.mean)) return `On average ${round(first.mean)} at both ends`;
    return `On average from ${round(first.mean)} at ${axis} ${first.at.join(", ")} to ${round(last.mean)} at ${last.at.join(", ")}`;
  }
  const tops = able.map((each) => of.values.reduce((best, one) => ((each.shares.get(one.key)?.about ?? 0) > (each.shares.get(best.key)?.about ?? 0) ? one : best), of.values[0] ?? { key: "", says: "" }));
  const [top] = tops;
  if (!top) return "";
  if (tops.every((each) => each.key === top.key)) return able.length === 1 && first ? `Most likely: ${top.says}, ${chance(first.shares.get(top.key) ?? NEVER)}` : `Most likely, whatever the ${axis}: ${top.says}`;
  const turn = tops.findIndex((each) => each.key !== top.key);
  return `Most likely: ${top.says}, from ${axis} ${able[turn]?.at.join(", ") ?? ""} on ${tops[turn]?.says ?? ""}`;
}
