/** Plays that came back from a shared page: each played again under the rules of today, with its remarks at their moments, and all counted together. */
import { type Desk, isGivenUp, Problem } from "../desk";
import { drawing } from "../drawing";
import { ask, button, type Child, coded, el, fill } from "../elements";
import { filed } from "../names";
import { sides } from "../sides";
import { toldLine } from "../told";

interface Remark {
  readonly who: string;
  readonly kind: string;
  readonly text: string;
  readonly after: number;
  readonly asked: string;
  readonly address: string;
}

interface Returned {
  readonly file: string;
  readonly scenario: string;
  readonly seats: string;
  readonly revision: string;
  readonly answers: number;
  readonly minutes: number;
  readonly outcome: string;
  /** Why it cannot be played again; empty where it can. */
  readonly problem: string;
  readonly differences: readonly string[];
  readonly remarks: readonly Remark[];
  readonly scene: {
    readonly then: readonly string[];
    readonly now: readonly string[];
    /** Of each remark: how many lines of the story stand before it. */
    readonly remarks_at: readonly number[];
    readonly boards: readonly { readonly board: string; readonly begins: string; readonly ends: string }[];
  };
}

type Counted = readonly { readonly what: string; readonly times: number }[];

interface Revision {
  readonly revision: string;
  readonly is_current: boolean;
  readonly plays: number;
  readonly over: number;
  readonly answers: { readonly least: number; readonly median: number; readonly most: number };
  readonly minutes: number;
  readonly results: Counted;
  readonly never_chosen: readonly { readonly question: string; readonly answer: string; readonly times: number }[];
  readonly taken_back: Counted;
  readonly asked_why: Counted;
}

interface Report {
  readonly plays: readonly Returned[];
  readonly unreadable: readonly { readonly file: string; readonly problem: string }[];
  readonly revisions: readonly Revision[];
  /** Files whose text is typed and not saved; the plays are played under what is typed. */
  readonly typed: readonly string[];
}

const TOGETHER = "returned\n";
const MOST_AFTER = 8;

const plural = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
const verdict = (play: Returned): readonly [sign: string, says: string, look: string] =>
  play.problem ? ["–", "cannot be played again", "grey"] : play.differences.length ? ["≠", "now ends differently", "bad"] : ["✓", "ends as it did", "good"];

/** What the pane of the scenarios does around it. */
interface Around {
  /** The chosen row, by its key. */
  chosen(): string;
  choose(key: string): void;
  /** Something is to be drawn anew. */
  drawn(): void;
  /** A scenario was made of a play. */
  kept(file: string): void;
}

export class ReturnedPlays {
  /** What people handed in, by the names of their files. */
  private files: { readonly name: string; readonly text: string }[] = [];
  private report: Report | null = null;
  private ruleset: string | null = null;
  private asked = new AbortController();
  /** The answer that is waited for; a question that was asked anew meanwhile is answered by it. */
  private under: Promise<string | null> = Promise.resolve(null);

  constructor(
    private readonly desk: Desk,
    private readonly around: Around,
  ) {}

  /** Reads files that were dropped or chosen, beside those that are here already, and shows the first of them. */
  async take(files: readonly Blob[] & readonly { readonly name: string }[]): Promise<void> {
    const known = this.files;
    const fresh: { name: string; text: string }[] = [];
    for (const each of files) {
      const text = await each.text();
      if ([...known, ...fresh].some((one) => one.text === text)) continue;
      const taken = (name: string): boolean => [...known, ...fresh].some((one) => one.name === name);
      let name = each.name;
      for (let number = 2; taken(name); number += 1) name = `${each.name} (${number})`;
      fresh.push({ name, text });
    }
    this.turnTo(fresh[0]?.text ?? "");
    this.files = [...(this.ruleset === this.desk.ruleset ? known : []), ...fresh];
    if (!this.files.length) return;
    const wrong = await this.replay();
    if (wrong !== null || !this.report) {
      this.files = known;
      if (wrong) this.desk.say(wrong, true);
      return;
    }
    const refused = this.report.unreadable;
    if (refused.length) {
      this.files = this.files.filter((each) => !refused.some((one) => one.file === each.name));
      this.desk.say(refused.map((each) => sentence(each.problem)).join(" "), true);
    }
    const [first, ...more] = this.report.plays.filter((each) => fresh.some((one) => one.name === each.file));
    if (!first) return this.around.drawn();
    this.around.choose(more.length ? TOGETHER : keyOf(first));
    if (!refused.length) this.desk.say(more.length ? `${more.length + 1} plays were played again under the rules of today.` : `${first.scenario}: ${verdict(first)[1]}.`);
  }

  /** Turns to the ruleset that a play is of, where this folder has one of its name. */
  private turnTo(text: string): void {
    const named = /"ruleset":\s*"(\w+)"/.exec(text)?.[1];
    const stem = (path: string | null): string => (path?.split("/").at(-1) ?? "").replace(/\.rules$/, "").replaceAll("-", "_");
    const found = this.desk.rulesets().filter((each) => stem(each) === named);
    if (stem(this.desk.ruleset) !== named && found.length === 1 && found[0] !== undefined) this.desk.choose(found[0]);
  }

  /** Plays all of them anew, after the rules were edited; answers why they cannot be, or null. */
  replay(): Promise<string | null> {
    return (this.under = this.played());
  }

  private async played(): Promise<string | null> {
    this.asked.abort();
    if (this.ruleset !== this.desk.ruleset) this.report = null;
    this.ruleset = this.desk.ruleset;
    if (!this.files.length) return null;
    if (this.ruleset === null) return "There is no ruleset here yet to play it with.";
    const own = (this.asked = new AbortController());
    try {
      this.report = await this.desk.ask<Report>("scenarios/returned", { path: this.ruleset, tab: this.desk.tab, returned: this.files }, own.signal);
    } catch (fault) {
      if (isGivenUp(fault)) return this.asked === own ? "" : this.under;
      if (!(fault instanceof Problem)) throw fault;
      return fault.message;
    }
    this.around.drawn();
    return null;
  }

  /** Those of another ruleset are put away. */
  clear(): void {
    this.asked.abort();
    [this.files, this.report] = [[], null];
  }

  has(key: string): boolean {
    return this.report !== null && (key === TOGETHER ? this.report.plays.length > 1 : this.at(key) !== null);
  }

  private at(key: string): Returned | null {
    return this.report?.plays.find((each) => keyOf(each) === key) ?? null;
  }

  /** The rows of the list; null where no play came back. */
  rows(): HTMLElement | null {
    const { report } = this;
    if (!report?.plays.length) return null;
    const row = (key: string, thumb: Child, title: string, about: string, sign: Child[]): HTMLElement => {
      const made = el("button", { type: "button", class: "scene-row", "aria-current": this.around.chosen() === key ? "true" : undefined },
        el("span", { class: "thumb", "aria-hidden": "true" }, thumb), el("span", {}, el("strong", {}, title), el("small", {}, about)), ...sign);
      made.addEventListener("click", () => this.around.choose(key));
      return el("li", {}, made);
    };
    const rows = report.plays.map((play) => {
      const [sign, whole, look] = verdict(play);
      const says = look === "bad" ? "differs" : look === "grey" ? "cannot be played" : whole;
      const board = play.scene.boards[0];
      const about = [play.seats, play.remarks.length ? plural(play.remarks.length, "remark") : ""].filter(Boolean).join(" · ") || play.file;
      return row(keyOf(play), board ? drawing(board.ends, "").host : null, play.scenario, about, [el("span", { class: `scene-sign ${look}` }, sign, el("span", { class: look === "good" ? "sr" : undefined }, ` ${says}`))]);
    });
    const differ = report.plays.filter((each) => each.differences.length).length;
    if (report.plays.length > 1) rows.unshift(row(TOGETHER, el("b", { class: "number" }, String(report.plays.length)), "All of them together", differ ? `${plural(differ, "play")} now ${differ === 1 ? "ends" : "end"} differently` : "all end as they did", []));
    return el("div", {}, el("h3", { class: "scenes-group" }, "Plays that came back"), el("ul", { class: "scenes-rows scenarios" }, ...rows));
  }

  /** The chosen one, or what all say together; null where another row is chosen. */
  scene(key: string): Child[] | null {
    const { report } = this;
    if (!report || !this.has(key)) return null;
    const play = this.at(key);
    if (!play) return this.together(report);
    return [...this.one(play, report), ...(report.plays.length === 1 ? report.revisions.map((each) => this.counts(each)) : [])];
  }

  private one(play: Returned, report: Report): Child[] {
    const [sign, says, look] = verdict(play);
    const minutes = play.minutes >= 1 ? plural(Math.round(play.minutes), "minute") : "under a minute";
    const about = [play.seats, plural(play.answers, "answer"), minutes, `revision ${play.revision}`].filter(Boolean).join(" · ");
    const [first, ...more] = play.scene.boards;
    return [
      el("div", { class: "scene-head" },
        el("div", {}, el("p", { class: `scene-sign ${look}` }, `${sign} ${says}`), el("h2", {}, play.scenario), el("p", { class: "faint" }, about)),
        el("div", { class: "row" },
          play.problem ? null : button("Keep as a scenario…", () => void this.keep(play), { primary: true }),
          button("Put away", () => this.putAway(play.file), { title: play.file }))),
      report.typed.length ? el("p", { class: "faint" }, `Played with what is typed and not saved yet: ${report.typed.join(", ")}.`) : null,
      play.problem ? el("div", { class: "card scene-wrong" }, el("p", {}, ...coded(sentence(play.problem)))) : null,
      play.differences.length ? this.difference(play) : null,
      play.remarks.length ? this.remarks(play) : null,
      ...[...(first ? [first] : []), ...more].map((each) => el("div", { class: "scene-boards" },
        el("section", { class: "card", label: "Began" }, el("h3", {}, more.length ? `Began: ${each.board}` : "Began"), drawing(each.begins, `The board where ${play.scenario} began`).host),
        el("section", { class: "card", label: "Ends today" }, el("h3", {}, "Ends today"), drawing(each.ends, `The board where the play ends today`).host))),
      this.story(play),
    ];
  }

  /** How it ended and how it ends: the lines of both stories from the first that differs. */
  private difference({ scene: { then, now }, differences }: Returned): HTMLElement {
    const first = common(then, now);
    const lines = (story: readonly string[]): Child[] => {
      const shown = story.slice(first, first + MOST_AFTER);
      return shown.length
        ? [el("ol", { class: "scene-told game" }, ...shown.map((each) => told(each))), story.length > first + shown.length ? el("p", { class: "of" }, `and ${plural(story.length - first - shown.length, "more line")}`) : null]
        : [el("p", { class: "says" }, "Nothing more happened")];
    };
    const others = differences.filter((each) => !/^(then|now): /.test(each));
    return el("section", { label: "Where it differs" },
      ...others.map((each) => el("p", { class: "bad" }, ...coded(sentence(each)))),
      el("div", { class: "scene-judged" },
        el("div", { class: "card" }, el("p", { class: "eyebrow" }, "Then it went on like this"), ...lines(then)),
        el("div", { class: "card got" }, el("p", { class: "eyebrow" }, "Under the rules of today"), ...lines(now))));
  }

  /** All remarks; each leads to its moment. */
  private remarks(play: Returned): HTMLElement {
    return el("section", { class: "card", label: "Remarks" }, el("h3", {}, plural(play.remarks.length, "remark")),
      el("ul", { class: "list remarks" }, ...play.remarks.map((each, at) => el("li", {}, this.remark(each),
        el("p", { class: "row" },
          button("Go to its moment", () => this.moment(at), { class: "more" }),
          this.desk.ruleset !== null && each.address ? button("Show the rule", () => this.desk.go("rules", { path: this.desk.ruleset ?? "", address: each.address }), { class: "more" }) : null)))));
  }

  private remark({ who, kind, text, asked }: Remark): HTMLElement {
    const side = sides([who]).get(who) ?? "nobody";
    const own = /^(red|blue|green|yellow)$/i.test(who) ? side : "nobody";
    return el("blockquote", { class: "remark" },
      el("p", { class: "row" }, el("span", { class: `chip ${own}` }, el("i", { class: own === "nobody" ? "" : `hatched ${own}` }), who || "All"), kind ? el("strong", {}, kind) : null, asked ? el("span", { class: "faint" }, `asked: ${asked}`) : null),
      ...text.split("\n").map((line) => el("p", { class: "said-so" }, line)));
  }

  private moment(at: number): void {
    const found = document.getElementById(`remark-${at}`);
    found?.scrollIntoView({ block: "center" });
    found?.focus();
  }

  /** The story of today, or as it was told where it cannot be played any more, with the remarks between its lines. */
  private story(play: Returned): HTMLElement | null {
    const { then, now, remarks_at: at } = play.scene;
    const lines = play.problem ? then : now;
    if (!lines.length && !play.remarks.length) return null;
    const first = play.differences.length ? common(then, now) : -1;
    const shown: HTMLElement[] = [];
    const put = (number: number): void => {
      for (const [index, place] of at.entries()) {
        const each = play.remarks[index];
        if (place === number && each) shown.push(el("li", { class: "remark-at", id: `remark-${index}`, tabindex: "-1" }, this.remark(each)));
      }
    };
    lines.forEach((each, number) => {
      put(number);
      shown.push(told(each, number === first));
    });
    put(lines.length);
    return el("section", { class: "card", label: "What happened" },
      el("h3", {}, play.problem ? "What happened, as it was sent" : first >= 0 ? "What happens today" : "What happened"),
      el("ol", { class: "scene-told game" }, ...shown));
  }

  private together(report: Report): Child[] {
    const differ = report.plays.filter((each) => each.differences.length);
    const gone = report.plays.filter((each) => each.problem);
    const list = (title: string, plays: readonly Returned[]): Child => plays.length ? el("section", { class: "card", label: title }, el("h3", {}, title),
      el("ul", { class: "list" }, ...plays.map((each) => el("li", {}, button(`${each.scenario}${each.seats ? ` (${each.seats})` : ""}`, () => this.around.choose(keyOf(each)), { class: "plain place" }), " ", ...coded(each.problem ? sentence(each.problem) : sentence(each.differences[0] ?? "")))))) : null;
    const remarks = report.plays.flatMap((play) => play.remarks.map((each) => ({ play, each })));
    return [
      el("div", { class: "scene-head" },
        el("div", {}, el("h2", {}, `${report.plays.length} plays that came back`), el("p", { class: "faint" }, [differ.length ? `${plural(differ.length, "play")} now ${differ.length === 1 ? "ends" : "end"} differently` : "all that can be played end as they did", plural(remarks.length, "remark")].join(" · "))),
        button("Put them away", () => this.putAway())),
      list("Plays that now end differently", differ),
      list("Plays that cannot be played again", gone),
      ...report.revisions.map((each) => this.counts(each)),
      remarks.length ? el("section", { class: "card", label: "All remarks" }, el("h3", {}, "What players remarked"), el("ul", { class: "list remarks" }, ...remarks.map(({ play, each }) => el("li", {}, this.remark(each),
        button(`In ${play.scenario}${play.seats ? ` (${play.seats})` : ""}`, () => { this.around.choose(keyOf(play)); this.moment(play.remarks.indexOf(each)); }, { class: "more" }))))) : null,
    ];
  }

  /** What the plays of a revision say together. */
  private counts(group: Revision): HTMLElement {
    const { answers } = group;
    const facts: (readonly [string, string])[] = [
      [plural(group.plays, "play"), group.over === group.plays ? "all over" : `${group.over} of them over`],
      [answers.least === answers.most ? plural(answers.most, "answer") : `${answers.least} to ${answers.most} answers`, `${answers.median} in the middle`],
      [group.minutes >= 1 ? plural(Math.round(group.minutes), "minute") : "Under a minute", "in the middle"],
    ];
    const counted = (title: string, items: Counted): Child => items.length ? el("div", {}, el("h4", {}, title), el("ul", { class: "list" }, ...items.map((each) => el("li", {}, el("b", {}, `${each.times} ×`), ` ${each.what}`)))) : null;
    const never = group.never_chosen;
    return el("section", { class: "card counted", label: `Revision ${group.revision}` },
      el("h3", {}, `Played under revision ${group.revision}${group.is_current ? ", the rules of today" : ""}`),
      el("div", { class: "counted-facts" }, ...facts.map(([says, more]) => el("p", {}, el("strong", {}, says), el("span", {}, more)))),
      el("div", { class: "counted-lists" },
        counted("How they ended", group.results),
        never.length ? el("div", {}, el("h4", {}, "Offered and never chosen"), el("ul", { class: "list" }, ...never.map((each) => el("li", {}, el("b", {}, each.answer), ` at “${each.question}”, offered ${each.times === 1 ? "once" : `${each.times} times`}`)))) : null,
        counted("Taken back", group.taken_back),
        counted("Where somebody asked why", group.asked_why)));
  }

  private putAway(file?: string): void {
    this.files = file === undefined ? [] : this.files.filter((each) => each.name !== file);
    this.report = null;
    if (this.files.length) void this.replay();
    else this.around.drawn();
  }

  /** Writes a scenario; where it is refused, the question stays with what was typed, and why. */
  private async keep(play: Returned): Promise<void> {
    const { desk } = this;
    const folder = (desk.ruleset ?? "").slice(0, (desk.ruleset ?? "").lastIndexOf("/") + 1);
    let typed = play.file.replace(/(\.play)?\.json( \(\d+\))?$/i, "");
    for (let wrong = ""; ; ) {
      const place = (): string => filed(name.value, ".scenario.yaml", folder);
      const name = el("input", { type: "text", value: typed, size: 48, spellcheck: "false", autocomplete: "off" });
      const said = el("p", { class: "faint", "aria-live": "polite" });
      const tell = (): void => fill(said, ...coded(`Its file will be \`${place()}\`. It expects what happens under the rules of today; the remarks stand in it as comments.`));
      name.addEventListener("input", tell);
      tell();
      const sure = await ask("Keep the play as a scenario", [el("label", { class: "field" }, el("span", {}, "Name or file"), name), said, wrong ? el("p", { class: "bad", role: "alert" }, ...coded(wrong)) : null], [["keep", "Keep it"], ["no", "Cancel"]]);
      if (sure !== "keep") return;
      [typed, wrong] = [name.value, ""];
      const returned = this.files.filter((each) => each.name === play.file);
      try {
        const { file } = await desk.ask<{ file: string }>("scenarios/keep", { path: desk.ruleset, tab: desk.tab, returned, file: place() });
        await desk.refresh();
        desk.say(`The play is now a scenario in ${file}.`);
        this.around.kept(file);
        return;
      } catch (fault) {
        if (!(fault instanceof Problem)) throw fault;
        wrong = fault.message;
      }
    }
  }
}

/** What stands for it among the rows of the pane. */
function keyOf({ file }: Returned): string {
  return `${TOGETHER}${file}`;
}

/** How many lines two stories share at their beginning. */
function common(one: readonly string[], other: readonly string[]): number {
  let first = 0;
  while (first < one.length && first < other.length && one[first] === other[first]) first += 1;
  return first;
}

/** A line of a story; the heading of a step without its number. */
export function told(line: string, differs = false): HTMLElement {
  const step = /^(\s*)\d+ {2}(.*)$/.exec(line);
  return el("li", { class: [step ? "step" : "", differs ? "differs" : ""].join(" ").trim() || undefined }, ...(step ? [step[2] ?? ""] : [/^\s*/.exec(line)?.[0] ?? "", ...toldLine(line)]));
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.?!…]$/.test(words) ? "" : "."}`;
}
