/** One scenario, played anew beside the text at each pause in typing: its board, its story, and what is different from the saved text. */
import { bar, pieces } from "../charts";
import { type Desk, isGivenUp, Problem } from "../desk";
import { closeUp, scene } from "../drawing";
import { button, el, fill } from "../elements";
import { type Answer, read, type Written } from "../panes/odds_answer";
import { said, toldLine } from "../told";
import { hunks } from "./documents";

interface Choices {
  readonly procedures: readonly { readonly name: string; readonly outcomes: readonly unknown[] }[];
  readonly scenarios: readonly { readonly file: string; readonly cases: readonly string[]; readonly refused: readonly string[]; readonly procedures: Readonly<Record<string, string>> }[];
}

interface Scene {
  readonly file: string;
  readonly name: string;
  readonly procedure: string;
  readonly with: Readonly<Record<string, unknown>>;
  readonly boards: readonly { readonly board: string; readonly begins: string; readonly ends: string }[];
  readonly told: readonly string[];
}

interface Case {
  readonly file: string;
  readonly name: string;
  readonly procedure: string;
}

/** So many scenarios are all played anew, to find those in which an edit shows. */
const MOST_PLAYED = 40;
const MOST_TOLD = 40;
/** So many moments of play are followed for odds beside a text. */
const MOST_MOMENTS = "20000";
/** The shape of the board's frame, its width by its height. */
const SHAPE = 2.2;
const BROKEN = "The text has mistakes. This is the play from before them.";

const UNBEGUN = "This scenario does not begin, so there is no play of it. The pane Scenarios says why.";
const LOOKING = "Looking for a scenario in which your edit shows …";

const keyOf = (one: { readonly file: string; readonly name: string }): string => `${one.file}\n${one.name}`;
const shortly = (name: string): string => name.split(" / ").at(-1) ?? name;

export class Live {
  readonly host = el("section", { class: "live", label: "A scenario, played as you type" });
  private readonly list = el("select", { label: "Scenario that is played as you type" });
  private readonly note = el("p", { class: "faint", role: "status" });
  private readonly body = el("div", { class: "live-body", tabindex: "0", role: "group", label: "The scenario’s play" });
  private readonly odds = el("div", { class: "live-odds" });
  /** Procedures that end with one of several results. */
  private results: ReadonlySet<string> = new Set();
  private readonly others = el("p", { class: "row live-others" });
  private cases: readonly Case[] = [];
  private isKnown = false;
  private chosen: string | null = null;
  /** Whether somebody chose the scenario, so that no other is put in its place. */
  private isPinned = false;
  /** Whether a scenario is being written, so that it stays. */
  private isWritten = false;
  private isShown = false;
  private procedure = "";
  /** Scenes of the saved texts, as far as they were asked for. */
  private readonly saved = new Map<string, Scene>();
  private asking: AbortController | null = null;
  private readonly leave: (() => void)[];

  constructor(
    private readonly desk: Desk,
    private readonly typed: () => Readonly<Record<string, string>>,
  ) {
    this.list.addEventListener("change", () => this.choose(this.list.value));
    fill(this.host, el("header", { class: "row" }, el("h3", {}, "Live"), this.list), this.note, this.others, this.body, this.odds);
    const forgotten = (): void => {
      this.saved.clear();
      this.isKnown = false;
    };
    this.leave = [desk.on("changed", forgotten), desk.on("saved", () => { forgotten(); void this.refresh(); }), desk.on("ruleset", () => { forgotten(); this.another(); void this.refresh(); })];
  }

  /** Another ruleset: nothing of the one before stays. */
  private another(): void {
    [this.chosen, this.isPinned, this.procedure, this.cases] = [null, false, "", []];
    for (const each of [this.note, this.others, this.body, this.odds, this.list]) fill(each);
  }

  close(): void {
    for (const each of this.leave) each();
    this.asking?.abort();
  }

  show(is: boolean): void {
    if (this.isShown === is) return;
    this.isShown = is;
    this.host.hidden = !is;
    if (is) void this.refresh();
  }

  /** The cursor is in a scenario: it is played, or the case of it that its line names. */
  at(file: string, name: string, line: string): void {
    this.isWritten = true;
    const own = this.cases.filter((each) => each.file === file && name && (each.name === name || each.name.startsWith(`${name} / `)));
    const named = own.find((each) => each.name !== name && line.includes(shortly(each.name))) ?? own.find((each) => keyOf(each) === this.chosen) ?? own[0];
    if (!named || keyOf(named) === this.chosen) return;
    this.chosen = keyOf(named);
    void this.refresh();
  }

  /** The cursor is in a procedure: a scenario that begins with it is nearer than another. */
  near(procedure: string): void {
    this.isWritten = false;
    if (procedure === this.procedure || !procedure) return;
    this.procedure = procedure;
    const now = this.cases.find((each) => keyOf(each) === this.chosen);
    const nearer = this.cases.find((each) => each.procedure === procedure);
    if (this.isPinned || !nearer || now?.procedure === procedure) return;
    this.chosen = keyOf(nearer);
    void this.refresh();
  }

  private choose(key: string): void {
    this.chosen = key;
    this.isPinned = true;
    void this.refresh();
  }

  /** The text is another: what is shown is from before. */
  older(): void {
    this.host.classList.add("older-play");
  }

  /** Plays it anew with what is typed. */
  async refresh(): Promise<void> {
    this.asking?.abort();
    if (!this.isShown || this.desk.ruleset === null) return;
    const asking = (this.asking = new AbortController());
    this.host.setAttribute("aria-busy", "true");
    try {
      await this.learn(asking.signal);
      await this.play(asking.signal);
      this.host.classList.remove("older-play");
    } catch (fault) {
      if (isGivenUp(fault)) return;
      if (!(fault instanceof Problem)) throw fault;
      fill(this.note, this.body.hasChildNodes() ? BROKEN : "The text has mistakes, so nothing is played.");
    } finally {
      if (this.asking === asking) this.host.removeAttribute("aria-busy");
    }
  }

  private async learn(signal: AbortSignal): Promise<void> {
    if (this.isKnown) return;
    const { scenarios, procedures } = await this.desk.ask<Choices>("play/choices", { path: this.desk.ruleset }, signal);
    this.results = new Set(procedures.filter((each) => each.outcomes.length > 1).map((each) => each.name));
    this.isKnown = true;
    const every = scenarios.flatMap(({ file, cases, refused, procedures }) => cases.map((name) => ({ file, name, procedure: procedures[name] ?? "", begins: !refused.includes(name) })));
    this.cases = every.some((each) => each.begins) ? every.filter((each) => each.begins) : every;
    const still = this.cases.find((each) => keyOf(each) === this.chosen);
    const first = this.cases.find((each) => each.procedure === this.procedure) ?? this.cases.find((each) => each.procedure !== this.cases[0]?.procedure) ?? this.cases[0];
    this.chosen = still ? this.chosen : first ? keyOf(first) : null;
    this.listed();
  }

  private async scenes(of: { readonly file: string; readonly name?: string }, texts: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly Scene[]> {
    return (await this.desk.ask<{ scenes: readonly Scene[] }>("scenarios/scenes", { ...of, texts }, signal)).scenes;
  }

  private async savedOne(of: Case, signal: AbortSignal): Promise<Scene | undefined> {
    if (!this.saved.has(keyOf(of))) {
      const scenes = await this.scenes({ file: of.file, name: of.name }, {}, signal).catch((fault: unknown) => { if (fault instanceof Problem) return []; throw fault; });
      for (const each of scenes) this.saved.set(keyOf(each), each);
    }
    return this.saved.get(keyOf(of));
  }

  private async play(signal: AbortSignal): Promise<void> {
    const one = this.cases.find((each) => keyOf(each) === this.chosen);
    if (!one) {
      this.list.hidden = true;
      fill(this.note, "There is no scenario yet. Play once, and keep the play as a scenario: it is played here as you type.");
      fill(this.body);
      fill(this.others);
      return;
    }
    this.list.hidden = false;
    this.list.value = keyOf(one);
    const texts = this.typed();
    const before = await this.savedOne(one, signal);
    const [first] = this.cases;
    if (!before && !this.isPinned && first && first !== one && !this.isEdited) {
      this.chosen = keyOf(first);
      return this.play(signal);
    }
    if (Object.keys(texts).length === 0) {
      this.draw(one, before, before);
      this.listed();
      fill(this.others);
      fill(this.odds);
      return;
    }
    const [now] = await this.scenes({ file: one.file, name: one.name }, texts, signal);
    this.draw(one, before, now);
    if (!now) return;
    const isHere = differs(before, now);
    if (!isHere && this.isFree && this.cases.filter((each) => each.file === one.file).length <= MOST_PLAYED) fill(this.note, LOOKING);
    await this.spread(one, isHere, texts, signal);
    await this.weigh(signal);
  }

  /** Looks for other scenarios in which the edit shows. */
  private async spread(one: Case, isHere: boolean, texts: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
    const file = this.cases.filter((each) => each.file === one.file);
    if (file.length > MOST_PLAYED) {
      fill(this.others);
      return;
    }
    if (file.some((each) => !this.saved.has(keyOf(each)))) for (const each of await this.scenes({ file: one.file }, {}, signal)) this.saved.set(keyOf(each), each);
    const now = await this.scenes({ file: one.file }, texts, signal);
    const other = now.filter((each) => differs(this.saved.get(keyOf(each)), each));
    if (!isHere && this.isFree && !other.length) fill(this.note, `Your edit shows in none of these ${file.length} scenarios.`);
    if (!isHere && this.isFree && other.length) {
      const shortest = other.reduce((best, each) => (each.told.length < best.told.length ? each : best));
      this.chosen = keyOf(shortest);
      this.draw(shortest, this.saved.get(this.chosen), shortest);
    }
    this.listed(new Set(other.map(keyOf)));
    const next = other[(other.findIndex((each) => keyOf(each) === this.chosen) + 1) % other.length];
    const says = other.length === 0 ? "" : `Your edit shows in ${other.length} of ${file.length} scenarios.`;
    fill(this.others, says, next && other.length > 1 ? button("Show the next", () => this.choose(keyOf(next)), { class: "quiet", label: `Show the next: ${shortly(next.name)}` }) : null);
  }

  /** The odds of the results from where the scenario begins, before and now; nothing where they cannot be counted soon. */
  private async weigh(signal: AbortSignal): Promise<void> {
    const one = this.cases.find((each) => keyOf(each) === this.chosen);
    if (!one || !this.results.has(one.procedure)) return fill(this.odds);
    const question = { path: this.desk.ruleset, scenario: one.file, name: one.name, of: ["result"], policy: ["first"], unscripted: true, most: MOST_MOMENTS };
    const asked = (tab: string): Promise<Answer | null> =>
      this.desk.ask<{ answer: Written }>("odds", { ...question, tab }, signal).then(({ answer }) => (answer.refused ? null : read(answer)), (fault: unknown) => {
        if (fault instanceof Problem) return null;
        throw fault;
      });
    const [before, now] = [(await asked(""))?.measured[0], (await asked(this.desk.tab))?.measured[0]];
    const [first, second] = [before?.starts[0], now?.starts[0]];
    if (!before || !now || !first || !second) return fill(this.odds);
    const of = { ...now, values: together(before.values, now.values) };
    fill(this.odds,
      el("span", {}, "before"), bar(pieces(first, { of, asked: null }).reverse(), "fraction"),
      el("span", {}, "now"), bar(pieces(second, { of, asked: null }).reverse(), "fraction"));
  }

  /** Lists the scenarios, those marked in which the edit shows. */
  private listed(different: ReadonlySet<string> = new Set()): void {
    fill(this.list, ...this.cases.map((each) => el("option", { value: keyOf(each) }, `${different.has(keyOf(each)) ? "≠ " : ""}${each.name}`)));
    this.list.value = this.chosen ?? "";
  }

  private draw(one: { readonly name: string }, before: Scene | undefined, now: Scene | undefined): void {
    const isOther = differs(before, now);
    fill(this.note, now === undefined ? (before === undefined ? UNBEGUN : BROKEN) : this.isEdited && !isOther ? "Your edit changes nothing in this play." : "");
    if (!now && !before) fill(this.body);
    if (!now) return;
    const board = now.boards[0];
    const drawn = board ? scene(board, "", `The board where ${one.name} ends now`) : null;
    if (drawn) closeUp([drawn], Object.values(now.with).map(String), SHAPE);
    fill(this.body,
      drawn ? el("figure", {}, drawn.ends.host) : null,
      el("ol", { class: "live-told game" }, ...told(before?.told ?? now.told, now.told)));
  }

  /** Whether another scenario may be put in the place of the one that is played. */
  private get isFree(): boolean {
    return !this.isPinned && !this.isWritten;
  }

  private get isEdited(): boolean {
    return Object.keys(this.typed()).length > 0;
  }
}

/** The results of both, in the order that they have in common. */
function together<V extends { readonly key: string }>(before: readonly V[], now: readonly V[]): V[] {
  const found = [...now];
  for (const [at, each] of before.entries()) {
    if (found.some((one) => one.key === each.key)) continue;
    found.splice(found.findIndex((one) => one.key === before[at - 1]?.key) + 1, 0, each);
  }
  return found;
}

/** Whether a play goes another way, or ends elsewhere. */
function differs(before: Scene | undefined, now: Scene | undefined): boolean {
  return before !== undefined && now !== undefined && (before.told.join("\n") !== now.told.join("\n") || before.boards.some((each, at) => each.ends !== now.boards[at]?.ends));
}

/** The lines of a story, those that are new marked, with what stood there before under them. */
function told(before: readonly string[], now: readonly string[]): HTMLElement[] {
  const lines: HTMLElement[] = [];
  let at = 0;
  const same = (end: number): void => {
    for (; at < end; at++) lines.push(el("li", { class: /^\s*\d+ {2}/.test(now[at] ?? "") ? "step" : undefined }, ...toldLine(now[at] ?? "")));
  };
  for (const hunk of hunks(before, now)) {
    same(hunk.fromB);
    const gone = before.slice(hunk.from, hunk.to).map(said).join("; ");
    if (hunk.fromB === hunk.toB) lines.push(el("li", { class: "changed" }, el("small", {}, `No more: ${gone}`)));
    for (; at < hunk.toB; at++) {
      const was = at === hunk.toB - 1 && gone ? el("small", {}, ` It was: ${gone}`) : null;
      lines.push(el("li", { class: "changed" }, ...toldLine(now[at] ?? ""), was));
    }
  }
  same(now.length);
  const more = lines.splice(MOST_TOLD).length;
  return more ? [...lines, el("li", { class: "faint" }, `and ${more} more lines`)] : lines;
}
