/** How odds shift between two texts: what the server knows of it, as tables. */
import { coded, el } from "../elements";
import { named } from "../fields";

const MOST_SHIFTS = 40;

/** How the fields are called, by the options that they stand for. */
export const FIELDS = {
  policy: "Who chooses where the scenario does not",
  "policy first": "Who chooses where the scenario does not: the first legal answer",
  "policy random": "Who chooses where the scenario does not: each legal answer equally likely",
  of: "What to find out",
  most: "Most moments of play to follow",
  work: "Most lines of play to try",
} as const;

/** How odds shift, in words, and of each situation each measure: values with their likelihoods as exact fractions. */
export interface Shifts {
  readonly says: string;
  /** The edits, in words. */
  readonly edits: readonly string[];
  readonly situations: readonly Situation[];
  readonly left_out: readonly string[];
  readonly apart: string | null;
  readonly unvisited: readonly string[];
  readonly remarks: string;
}

export interface Told {
  readonly measures: readonly {
    readonly of: string;
    /** Null where it is between bounds. */
    readonly shifts: boolean | null;
    /** How much was not followed, so that likelihoods may be that much more. */
    readonly open: { readonly old: string; readonly new: string };
    readonly values: readonly { readonly value: string; readonly lost?: true; readonly old: string; readonly new: string }[];
    readonly means: { readonly old: string; readonly new: string } | null;
  }[];
  readonly unknown: readonly { readonly of: string | null; readonly why: string }[];
}

export type Measure = Told["measures"][number];

export interface Situation extends Told {
  readonly scenarios: readonly string[];
  /** What some of the edits come to by themselves, by their places; none where there are no others. */
  readonly alone: readonly (Told & { readonly edits: readonly number[] })[];
}

/** An exact fraction as a number. */
export function share(written: string): number {
  const [over = "0", under = "1"] = written.split("/");
  return Number(over) / Number(under);
}

function percent(written: string): string {
  return `${Number((share(written) * 100).toPrecision(4))} %`;
}

/** How far a likelihood of a measure moves, at most. */
export function moved(measure: Measure): number {
  return Math.max(0, ...measure.values.map((each) => Math.abs(share(each.new) - share(each.old))));
}

/** Who chooses where no scenario says it, as a sentence goes on. */
const CHOOSERS: Readonly<Record<string, string>> = { first: "the first legal answer is given", random: "each legal answer is as likely as the others" };

/** How odds shift, in sentences; the command line says who chooses by the name of its option, and has a side called OLD. */
export function saidOf({ says }: Shifts): string {
  const [told = "", policy = ""] = /, policy (\w+)/.exec(says) ?? [];
  const chooser = CHOOSERS[policy];
  const shift = `Odds: ${says.replace(chooser ? told : "", "").replace(" beside OLD", "")}.`;
  return chooser ? `${shift} Where the scenario does not choose, ${chooser}.` : shift;
}

/** The situations in which something shifts, the most first; then why others are not known. */
export function shiftsTold(found: Shifts): HTMLElement {
  const shifted = found.situations
    .map((each) => ({ ...each, measures: each.measures.filter((one) => one.shifts).sort((one, other) => moved(other) - moved(one)) }))
    .filter((each) => each.measures.length)
    .sort((one, other) => Math.max(...other.measures.map(moved)) - Math.max(...one.measures.map(moved)));
  const reasons = new Map<string, number>();
  for (const each of found.situations) for (const why of new Set(each.unknown.map((one) => one.why))) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  const remarks = [...(found.remarks ? [found.remarks] : []), ...(found.apart ? [`edits by themselves: unknown, ${found.apart}`] : []),
    ...[...reasons].sort(([, one], [, other]) => other - one).map(([why, number]) => `unknown in ${number}: ${why}`),
    ...(found.unvisited.length ? [`no play that was followed reaches ${found.unvisited.length === 1 ? "the new step" : "the new steps"} ${found.unvisited.map((each) => `\`${each}\``).join(" or ")}`] : []),
    ...(found.left_out.length ? [`left out, because what they take has too many values: ${found.left_out.join(", ")}`] : [])];
  return el("div", {},
    el("p", {}, el("strong", {}, saidOf(found))),
    ...shifted.slice(0, MOST_SHIFTS).map((each, at) => situation(each, found.edits, at < 3)),
    shifted.length > MOST_SHIFTS ? el("p", { class: "faint" }, `${shifted.length - MOST_SHIFTS} more situations shift less.`) : null,
    remarks.length ? el("ul", { class: "list faint" }, ...remarks.map((each) => el("li", {}, ...coded(named(each, FIELDS))))) : null);
}

/** A likelihood; of one that was not followed to the end, its bounds. */
function likely(low: string, open: string): HTMLElement {
  const most = share(low) + share(open);
  const says = share(open) > 0 ? `${percent(low)} to ${percent(String(most))}` : percent(low);
  return el("td", {}, el("meter", { value: share(low), min: 0, max: 1, label: says }), ` ${says}`,
    share(open) === 0 && low.includes("/") && low.length < 14 ? el("span", { class: "faint" }, ` ${low}`) : null);
}

function rows(measure: Measure): HTMLElement {
  const { values, open, means } = measure;
  return el("tbody", {},
    ...values.map((each, at) => el("tr", {}, at === 0 ? el("th", { scope: "rowgroup", rowspan: values.length }, el("code", {}, measure.of)) : null,
      el("td", {}, ...coded(each.value)), likely(each.old, open.old), likely(each.new, open.new))),
    means && values.length > 2 ? el("tr", {}, el("td", { colspan: 2, class: "faint" }, "on average"), ...[means.old, means.new].map((each) => el("td", {}, String(Number(share(each).toPrecision(4)))))) : null);
}

/** What an edit does to what shifts most, by itself. */
function alone(found: Situation, edits: readonly string[]): HTMLElement[] {
  const [most] = found.measures;
  return found.alone.map((each) => {
    const one = each.measures.find((measure) => measure.of === most?.of);
    const value = most && [...most.values].sort((first, second) => Math.abs(share(second.new) - share(second.old)) - Math.abs(share(first.new) - share(first.old)))[0];
    const now = one?.values.find((each) => each.value === value?.value);
    const says = !one || one.shifts === null ? "unknown" : !one.shifts ? "no shift" : `${most?.of} = ${value?.value}: ${percent(value?.old ?? "0")} → ${percent(now?.new ?? "0")}`;
    return el("li", {}, ...coded(each.edits.map((at) => edits[at] ?? "an edit").join("; ")), el("span", { class: "faint" }, ` alone: ${says}`));
  });
}

function situation(found: Situation, edits: readonly string[], open: boolean): HTMLElement {
  const more = found.scenarios.length - 1;
  return el("details", { open, class: "card" },
    el("summary", {}, found.scenarios[0] ?? "", more ? el("span", { class: "faint" }, ` and ${more} more that begin alike`) : null),
    el("div", { class: "wide", tabindex: "0", role: "group", label: "How likely before, and now" }, el("table", {},
      el("thead", {}, el("tr", {}, ...["what", "value", "before", "now"].map((each) => el("th", { scope: "col" }, each)))),
      ...found.measures.map(rows))),
    found.alone.length ? el("ul", { class: "list" }, ...alone(found, edits)) : null);
}
