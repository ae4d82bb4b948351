/** A comparison as cards: of each change the author's words before and after, a play of it on two boards, its odds as two bars. */
import { bar, type Piece, swatch } from "../charts";
import { die } from "../dice";
import { closeUp, scene as drawnScene, type Scene as DrawnScene } from "../drawing";
import { button, type Child, coded, el } from "../elements";
import { LOST, type Tone, tones, UNKNOWN, type Value } from "../outcomes";
import { shareOf } from "../shares";
import { sides } from "../sides";
import { type Measure, moved, share, type Shifts, type Situation } from "./compare_odds";
import { spoken, worthSaid } from "./odds_question";

interface Scene {
  readonly with?: Readonly<Record<string, unknown>>;
  readonly boards: readonly { readonly board: string; readonly begins: string; readonly ends: string }[];
  readonly told: readonly string[];
}

interface Played {
  readonly procedure: string;
  readonly state: { readonly players?: Readonly<Record<string, unknown>> | readonly string[] };
  readonly answers: readonly { readonly at: string; readonly by: string; readonly answer: unknown }[];
  readonly outcome: "asks" | "ends" | "refuses" | "faults";
  readonly scene?: Scene;
}

export interface Witness {
  readonly sort: string;
  readonly says: string;
  readonly shows: readonly number[];
  readonly needs: readonly number[];
  readonly old: Played;
  readonly new: Played;
  readonly like?: { readonly file: string; readonly name: string; readonly exact: boolean } | null;
}

interface Row {
  readonly number: number;
  readonly kind: "changed" | "new" | "gone";
  readonly shown: boolean;
  readonly name: string;
  readonly was: string;
  readonly now: string;
  readonly more: readonly string[];
  readonly edits: readonly number[];
}

interface Spot {
  readonly file: string;
  readonly line: number;
}

interface Game {
  readonly name: string;
  readonly sort: string;
  readonly says: string;
  readonly answers: number;
  readonly message: string;
}

/** What of the JSON of `diff` is shown here. */
export interface Diff {
  readonly old: { readonly place: string };
  readonly new: { readonly place: string };
  readonly verdict: { readonly word: string; readonly how: string };
  readonly screen: { readonly headline: string; readonly rows: readonly Row[]; readonly names: readonly { readonly old: string; readonly new: string }[]; readonly folded: Readonly<Record<string, readonly number[]>> };
  readonly edits: readonly { readonly title: string; readonly group: string; readonly place: string; readonly text: string; readonly old: Spot | null; readonly new: Spot | null }[];
  readonly played: {
    readonly witnesses: readonly Witness[];
    readonly faults: readonly { readonly address: string; readonly message: string; readonly roll: string | null; readonly times: number; readonly faces: number }[];
    readonly values: readonly unknown[];
  } | null;
  readonly scenarios: { readonly same: number; readonly differing: readonly Game[]; readonly incomparable: readonly Game[] };
  readonly warnings: readonly string[];
}

export interface Deeds {
  readonly isPlaying: boolean;
  readonly isWorking: boolean;
  /** Why there are no odds, if there are none. */
  readonly noOdds: string;
  /** What shows a line of the rules; null where it is not of this folder. */
  line(place: Spot): (() => void) | null;
  play(scenario: { readonly file: string; readonly name: string }): void;
  scenario(file: string, name: string): void;
  /** What puts back the old text of a change, as an edit that is not saved; null where it cannot. */
  undo(edits: readonly number[]): (() => void) | null;
}

const MOST_LINES = 6;
const PREVIEWED = 12;
/** The shape of the frame of a board, its width by its height. */
const SHAPE = 2;

/** All cards, under what they come to. */
export function changesTold(diff: Diff, shifts: Shifts | null, deeds: Deeds): HTMLElement {
  const colours = outcomes(shifts);
  const { rows } = diff.screen;
  return el("div", {},
    el("p", { class: "sr", role: "status" }, deeds.isPlaying ? "" : `Compared: ${summary(diff, shifts, deeds).map(([big, small]) => `${big} ${small}`).join(", ")}`),
    el("dl", { class: "card compare-sum" }, ...summary(diff, shifts, deeds).map(([big, small]) => el("div", {}, el("dt", {}, big), el("dd", {}, small)))),
    colours.length ? el("ul", { class: "odds-legend" }, ...colours.map((each) => el("li", {}, swatch(toneOf(colours, each.key)), each.says)), stopping(diff, shifts) ? el("li", {}, swatch(LOST), "The play stops") : null) : null,
    ...rows.map((row) => card(row, diff, shifts, colours, deeds)),
    rows.length ? null : el("section", { class: "card compare-empty" }, el("h3", {}, diff.screen.headline.toLowerCase().replace(/^./, (first) => first.toUpperCase())), el("p", {}, diff.verdict.how || "What was edited does not change how it plays.")),
    ...ended(diff, deeds),
    also(diff));
}

/** A side of a comparison, as a sentence names it. */
export function since(place: string): string {
  return place.includes(" ") ? place : `\u201c${place}\u201d`;
}

function stopping(diff: Diff, shifts: Shifts | null): boolean {
  return Boolean(diff.played?.faults.length) || Boolean(shifts?.situations.some((each) => each.measures.some((one) => one.values.some((value) => value.lost && value.new !== "0"))));
}

/** The four numbers. */
function summary(diff: Diff, shifts: Shifts | null, deeds: Deeds): (readonly [string, string])[] {
  const waits = deeds.isPlaying ? "…" : null;
  const { rows } = diff.screen;
  const shown = rows.filter((each) => each.shown).length;
  const { same, differing, incomparable } = diff.scenarios;
  const compared = same + differing.length;
  const fault = diff.played?.faults[0];
  const top = topShift(shifts);
  return [
    [`${rows.length} ${rows.length === 1 ? "rule" : "rules"}`, waits ? "edited" : shown === rows.length ? `${rows.length === 1 ? "plays" : "play"} differently` : `edited; a play shows ${shown}`],
    compared || waits || !incomparable.length ? [waits ?? (compared ? `${differing.length} of ${compared}` : "0"), compared || waits ? `scenarios play differently${incomparable.length ? `; ${incomparable.length} not compared` : ""}` : "scenarios to compare"] : [`0 of ${incomparable.length}`, "scenarios can be compared"],
    fault ? [fault.faces ? `${fault.times} in ${fault.faces}` : "Some", fault.faces ? `rolls of ${spoken(fault.roll?.split("/").at(-1) ?? "a die")} stop the play` : "plays stop"] : [waits ?? "None", waits ? "plays stop" : "of the plays stops"],
    top ? [`${short(top.old)} → ${short(top.new)}`, `chance of “${top.says}”: the largest shift`] : deeds.isWorking || waits ? ["…", "the largest shift of odds"] : unshifted(shifts, deeds.noOdds),
  ];
}

const NOTHING_MEASURED = "there are no odds to compare";
const LONGEST_WHY = 110;

/** What stands for the odds where nothing is known to shift, and why. */
function unshifted(shifts: Shifts | null, noOdds: string): readonly [string, string] {
  if (noOdds.startsWith(NOTHING_MEASURED)) return ["–", "no odds: no procedure gives a result, and nothing is measured"];
  const unknown = (shifts?.situations ?? []).filter((each) => each.unknown.length);
  const why = shifts ? unknown[0]?.unknown[0]?.why ?? shifts.says : noOdds;
  const short = why.length > LONGEST_WHY ? `${why.slice(0, LONGEST_WHY)}…` : why;
  if (!shifts || !shifts.situations.length || unknown.length === shifts.situations.length) return ["?", `how the odds shift${short ? `: ${short}` : ""}`];
  return ["0", unknown.length ? `odds shift; unknown for ${unknown.length} of ${shifts.situations.length} starts` : "odds shift"];
}

function short(written: string): string {
  return written.length > 7 ? `${(share(written) * 100).toPrecision(3)} %` : written;
}

/** The value whose likelihood moves most. */
function topShift(shifts: Shifts | null): { readonly says: string; readonly old: string; readonly new: string } | null {
  let best: { readonly says: string; readonly old: string; readonly new: string } | null = null;
  let most = 0;
  for (const each of shifts?.situations ?? []) for (const measure of each.measures.filter((one) => one.shifts)) for (const value of measure.values.filter((one) => !one.lost)) {
    const by = Math.abs(share(value.new) - share(value.old)) + (measure.of === "result" ? 0.001 : 0);
    if (by > most) [most, best] = [by, { says: measure.of === "result" ? value.value : `${worthSaid(measure.of)} = ${value.value}`, old: value.old, new: value.new }];
  }
  return best;
}

/** The values of results in their order, as far as the odds name them. */
function outcomes(shifts: Shifts | null): Value[] {
  const lists = (shifts?.situations ?? []).flatMap((each) => each.measures.filter((one) => one.of === "result").map((one) => one.values.filter((value) => !value.lost).map((value) => value.value)));
  const found = [...lists.sort((one, other) => other.length - one.length)[0] ?? []];
  for (const list of lists) list.forEach((each, at) => {
    if (found.includes(each)) return;
    const before = list.slice(0, at).reverse().find((one) => found.includes(one));
    found.splice(before === undefined ? 0 : found.indexOf(before) + 1, 0, each);
  });
  return found.map((each) => ({ key: each, says: each }));
}

function toneOf(values: readonly Value[], key: string): Tone {
  return tones(values, "words", null).get(key) ?? UNKNOWN;
}

function card(row: Row, diff: Diff, shifts: Shifts | null, colours: readonly Value[], deeds: Deeds): HTMLElement {
  const edits = new Set(row.edits);
  const witnesses = (diff.played?.witnesses ?? []).filter((each) => each.shows.some((one) => edits.has(one)));
  const fallback = diff.screen.rows.length === 1 ? diff.played?.witnesses ?? [] : [];
  const [witness] = [...(witnesses.length ? witnesses : fallback)].sort((one, other) => rank(one) - rank(other));
  const stops = witnesses.some((each) => each.sort === "fault") || (diff.screen.rows.length === 1 && Boolean(diff.played?.faults.length));
  const spot = row.edits.map((each) => diff.edits[each]?.new ?? null).find((each) => each !== null) ?? null;
  const [title = "", ...rest] = row.name.split(": ");
  const go = spot ? deeds.line(spot) : null;
  const fault = stops ? diff.played?.faults[0] : undefined;
  const odds = situation(row, shifts);
  const undo = deeds.undo(row.edits);
  return el("article", { class: "card compare-card" },
    el("header", {},
      el("span", { class: "compare-number", "aria-hidden": "true" }, String(row.number)),
      el("div", {}, el("h3", {}, rest.length ? `${title}: ${rest.join(": ")}` : title || (row.kind === "new" ? "New" : "Changed")),
        el("p", { class: "faint" }, row.kind === "new" ? "new" : row.kind === "gone" ? "gone" : "changed", ...(spot ? [" · ", go ? button(`line ${spot.line}`, go, { class: "more" }) : `line ${spot.line}`] : []))),
      el("p", { class: "compare-words game" }, ...words(row)),
      undo ? button("Undo this change", undo, { class: "compare-undo", title: "Puts the old text back as an edit that is not saved" }) : null),
    ...row.more.map((each) => el("p", { class: "compare-more" }, ...coded(each))),
    fault ? el("div", { class: "compare-stops" }, el("p", {}, el("b", {}, fault.faces ? `${fault.times} of the ${fault.faces} faces of a die now ${fault.times === 1 ? "stops" : "stop"} the play. ` : "A play now stops. "), ...coded(capital(fault.message))), go ? button("Go to the line", go) : null) : null,
    witness ? pair(witness, odds, colours, row, diff.played?.faults[0]?.message ?? null) : odds ? bars(odds, colours) : el("p", { class: "compare-none faint" }, deeds.isPlaying ? "A play that shows it is being looked for …" : row.shown ? "A value shows it; no play of its own was needed." : "No play was found that shows it."),
    witness?.like ? el("footer", {}, el("span", { class: "faint" }, witness.like.exact ? "Seen in your scenario " : "After your scenario ", el("b", {}, lastPart(witness.like.name)), witness.like.exact ? "" : ", with what differs moved as little as shows it"), button("Play from here", () => { if (witness.like) deeds.play(witness.like); })) : null);
}

/** Plays that begin as a scenario does first, then the shortest. */
function rank(witness: Witness): number {
  return (witness.like?.exact ? 0 : witness.like ? 10 : 100) + witness.new.answers.length + (witness.sort === "fault" ? 5 : 0);
}

function words(row: Row): Child[] {
  const was = row.was ? el("del", {}, row.was) : null;
  const now = row.now ? el("ins", {}, row.now) : null;
  return was && now ? [was, " → ", now] : [was, now];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function lastPart(name: string): string {
  return name.split(" / ").at(-1) ?? name;
}

/** The play of a witness on two boards, with what happens on each and its odds. */
function pair(witness: Witness, odds: Shown | null, colours: readonly Value[], row: Row, fault: string | null): HTMLElement {
  const common = shared(witness.old.scene?.told ?? [], witness.new.scene?.told ?? []);
  const said = (played: Played): string[] => played.answers.map((each) => JSON.stringify([each.at, each.answer]));
  const alike = shared(said(witness.old), said(witness.new));
  const label = row.name || `change ${row.number}`;
  const [old, now] = [drawn("Before", witness.old, label), drawn("After", witness.new, label)];
  closeUp([old, now].filter((each) => each !== null), Object.values({ ...witness.old.scene?.with, ...witness.new.scene?.with }).map(String), SHAPE);
  return el("div", { class: "compare-pair" },
    side("Before", witness.old, old, common, alike, null, odds && bar(parts(odds.measure, "old", colours), "fraction")),
    side("After", witness.new, now, common, alike, fault, odds && bar(parts(odds.measure, "new", colours), "fraction")),
    odds && values(odds.measure),
    odds ? el("p", { class: "compare-of faint" }, `Odds of ${odds.measure.of === "result" ? "the result" : worthSaid(odds.measure.of)} as in “${lastPart(odds.scenario.replace(/^.*?: /, ""))}”${odds.more ? ` and ${odds.more} more that begin alike` : ""}${odds.alone ? ", with this change alone" : ""}`) : null);
}

/** The board of a play, where it has one. */
function drawn(says: string, played: Played, label: string): DrawnScene | null {
  const board = played.scene?.boards[0];
  return board ? drawnScene(board, "", `${says}: the board after ${label}`) : null;
}

function side(says: string, played: Played, board: DrawnScene | null, common: number, earlier: number, fault: string | null, odds: HTMLElement | null): HTMLElement {
  const scene = played.scene;
  const stops = played.outcome === "faults";
  const own = (scene?.told ?? []).slice(common, stops ? -1 : undefined).map((each) => each.trim()).filter((each) => each && !/^\d+ {2}\S/.test(each));
  return el("section", { class: `compare-side ${says.toLowerCase()}` }, el("h4", {}, says),
    board?.ends.host,
    el("ul", { class: "compare-happens game" }, earlier > 1 ? el("li", { class: "faint" }, `… after the same ${earlier} answers`) : null, ...rolled(played), ...own.slice(0, MOST_LINES).map((each) => el("li", {}, ...coded(spokenLine(each)))), own.length > MOST_LINES ? el("li", { class: "faint" }, `and ${own.length - MOST_LINES} more lines`) : null, stops ? el("li", {}, el("b", {}, "The play stops"), fault ? ": " : ".", ...coded(fault ?? "")) : null, !own.length && !stops ? el("li", { class: "faint" }, played.outcome === "refuses" ? "It cannot begin." : "It ends here.") : null),
    odds);
}

/** A line of a story without what only the command line says. */
function spokenLine(line: string): string {
  return line.replace(/ \((policy|typed|script)\)$/, "").replace(/ {2,}/g, " ");
}

/** The last roll, which both sides share. */
function rolled(played: Played): HTMLElement[] {
  const roll = played.answers.findLast((each) => Array.isArray(each.answer) && each.answer.every((one) => typeof one === "number" || typeof one === "string") && /\//.test(each.at) && each.by !== "");
  const place = roll && Array.isArray(roll.answer) && roll.answer.length <= PREVIEWED ? roll.answer : null;
  if (!roll || !place || !isRoll(played, roll.at)) return [];
  const players = played.state.players;
  const side = sides(Array.isArray(players) ? players : Object.keys(players ?? {})).get(roll.by);
  return [el("li", { class: "compare-roll" }, `${capital(spoken(roll.by))} rolls `, ...place.map((each) => die(String(each), { side }, true)))];
}

/** Whether an answer is what dice show: a story says so in a line of its own. */
function isRoll(played: Played, at: string): boolean {
  const name = at.split("/").at(-1) ?? "";
  return (played.scene?.told ?? []).some((each) => new RegExp(`\\b${name.replace(/\W/g, "")} \\d*d\\d+:`).test(each));
}

function shared(old: readonly string[], now: readonly string[]): number {
  let at = 0;
  while (at < old.length && old[at] === now[at]) at += 1;
  return at;
}

interface Shown {
  readonly measure: Measure;
  readonly scenario: string;
  readonly more: number;
  readonly alone: boolean;
}

/** The situation in which a change moves the odds most; by itself where that is known. */
function situation(row: Row, shifts: Shifts | null): Shown | null {
  const found: { readonly shown: Shown; readonly by: number }[] = [];
  for (const each of shifts?.situations ?? []) {
    const own = each.alone.find((one) => one.edits.some((edit) => row.edits.includes(edit)) && one.measures.length);
    const others = each.alone.filter((one) => !one.edits.some((edit) => row.edits.includes(edit)));
    // What no other edit shifts by itself here, this one does.
    const rest = !own && others.length === each.alone.length - 1 && others.every((one) => one.measures.length && one.measures.every((measure) => measure.shifts === false)) ? each : null;
    for (const measure of (own ?? rest ?? (each.alone.length ? null : each))?.measures ?? []) {
      if (measure.shifts) found.push({ shown: { measure, scenario: each.scenarios[0] ?? "", more: each.scenarios.length - 1, alone: each.alone.length > 0 }, by: moved(measure) + (measure.of === "result" ? 1 : 0) });
    }
  }
  return found.sort((one, other) => other.by - one.by)[0]?.shown ?? null;
}

/** What the colours of a measure stand for; those of results stand above all cards. */
function values(measure: Measure): HTMLElement | null {
  if (measure.of === "result") return null;
  const met = new Map([...parts(measure, "old", []), ...parts(measure, "new", [])].map((each) => [each.says, each.tone]));
  const found = measure.values.filter((each) => met.has(each.value));
  return el("ul", { class: "odds-legend compare-of" }, ...found.map((each) => el("li", {}, swatch(met.get(each.value) ?? UNKNOWN), each.value)));
}

function parts(measure: Measure, side: "old" | "new", colours: readonly Value[]): Piece[] {
  const own = measure.of === "result" ? colours : measure.values.filter((each) => !each.lost).map((each) => ({ key: each.value, says: each.value }));
  const scale = measure.of === "result" ? "words" : own.every((each) => /^-?\d+$/.test(each.key)) ? "number" : "other";
  const tone = tones(own, scale, null);
  const told = [...measure.values.filter((each) => each.lost), ...measure.values.filter((each) => !each.lost)];
  return told.map((each) => ({ says: each.value, share: shareOf(each[side]), tone: each.lost ? LOST : tone.get(each.value) ?? UNKNOWN, asked: false })).filter((each) => each.share.about > 0);
}

function bars(odds: Shown, colours: readonly Value[]): HTMLElement {
  return el("div", { class: "compare-pair" }, ...(["old", "new"] as const).map((each) => el("section", { class: `compare-side ${each === "old" ? "before" : "after"}` }, el("h4", {}, each === "old" ? "Before" : "After"), bar(parts(odds.measure, each, colours), "fraction"))), values(odds.measure));
}

/** The scenarios that play differently, those that are not compared, and where to see them. */
function ended(diff: Diff, deeds: Deeds): (HTMLElement | null)[] {
  const { differing, incomparable } = diff.scenarios;
  const row = (each: Game, sign: string, says: string): HTMLElement => {
    const [file = "", name = ""] = each.name.split(/: (.*)/s);
    return el("li", {}, el("span", { class: `compare-sign ${each.message ? "faint" : ""}` }, sign), el("b", { class: "game" }, lastPart(name)), el("span", { class: "faint" }, ...coded(says)), seeing(() => deeds.scenario(file, name), name));
  };
  const list = (id: string, title: string, rows: readonly HTMLElement[]): HTMLElement | null =>
    rows.length ? el("section", { class: "card compare-ends", "aria-labelledby": id }, el("h3", { id }, title), el("ul", { class: "list" }, ...rows)) : null;
  return [
    list("compare-ends", "Scenarios that play differently", differing.map((each) => row(each, "≠ differs", each.answers > 1 ? `after ${each.answers} answers: ${each.says}` : each.says))),
    list("compare-left", "Scenarios that are not compared", incomparable.map((each) => row(each, "– not compared", incomparableSaid(each.message)))),
  ];
}

const NO_ANSWERS = "there is no `script:`";
const OLD_CANNOT = "the old revision does not play it: ";

/** Why a scenario is not compared. */
function incomparableSaid(message: string): string {
  const why = message.replace(OLD_CANNOT, "");
  return why === NO_ANSWERS ? `it has no answers: ${why}` : why === message ? why : `the earlier text cannot play it: ${why}`;
}

function seeing(go: () => void, name: string): HTMLButtonElement {
  const made = button("See it", go);
  made.append(el("span", { class: "sr" }, `: ${name}`));
  return made;
}

/** What is no change of play: names, wording, what is proved to play alike. */
function also(diff: Diff): HTMLElement | null {
  const { names, folded } = diff.screen;
  const said: Readonly<Record<string, string>> = { readings: "settings, or what only another reading brings", helpers: "that only serve other rules", same: "that say what they said", rewritten: "written differently, proved to play alike", wording: "reworded", margins: "in margins" };
  const lines = [...names.map((each) => `${each.old} is now called ${each.new}`), ...Object.entries(folded).filter(([, each]) => each.length).map(([sort, each]) => `${each.length} ${each.length === 1 ? "edit" : "edits"} ${said[sort] ?? sort}`)];
  const warned = diff.warnings.filter((each) => !each.startsWith("FAULT")).map((each) => each.replace(/^[A-Z]+ +/, "").replace(/^warns of NEW, and not of OLD: (RW\d+ )?/, "New warning ").replace("NEW", "the new text"));
  if (!lines.length && !warned.length) return null;
  const [first = "", ...more] = [...lines, ...warned];
  if (!more.length) return el("p", { class: "compare-also faint" }, "Also: ", ...coded(first));
  return el("details", { class: "compare-also" }, el("summary", {}, "Also: ", ...coded(first), `, and ${more.length} more`), el("ul", { class: "list" }, ...more.map((each) => el("li", {}, ...coded(each)))));
}

export type { Situation };
