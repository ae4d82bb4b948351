import { type Desk, type Open, type Pane, Problem } from "../desk";
import { Asking } from "../asking";
import { button, choice, coded, el, fill, page, when } from "../elements";
import { named } from "../fields";
import { type Changed, undone } from "../rules/undoing";
import { changesTold, type Diff } from "./compare_cards";
import { FIELDS, type Shifts, saidOf, shiftsTold } from "./compare_odds";

interface Commit {
  readonly revision: string;
  readonly day: string;
  readonly subject: string;
}

interface Sides {
  /** Files that are typed and not saved. */
  readonly typed: readonly string[];
  /** What files held before they were saved here, the newest first; when that was, in seconds since 1970. */
  readonly saves: readonly { readonly path: string; readonly at: number }[];
  /** Commits that touched the texts of the ruleset, then others of its folder. */
  readonly commits: readonly Commit[];
  readonly others: readonly Commit[];
  readonly rulesets: readonly string[];
  readonly overlays: readonly string[];
  /** The shipped ruleset or starter that it is a copy of, if it is one. */
  readonly origin: string | null;
  readonly shipped: readonly string[];
  readonly starters: readonly string[];
}

interface Compared {
  readonly compared: Diff;
  readonly page: string;
  readonly log: string;
  readonly remarks: string;
}

type Part = "changes" | "page" | "log" | "odds" | "text";
const PARTS: readonly (readonly [Part, string])[] = [
  ["changes", "Changes"],
  ["odds", "Odds"],
  ["page", "Stories and texts"],
  ["log", "Change log"],
  ["text", "As text"],
];
const LONGEST = 180;
/** After so long what was typed is known where it is compared. */
const TYPED_MS = 700;
/** So many moments of play are followed where nobody asked for more. */
const FOLLOWED = "2000";
const LARGEST = "200000";

/** How the page of a comparison looks here: its own sheet, with the colours of the workbench. */
const LOOK = `
:host { display: block; --good: var(--good-soft); --bad: var(--bad-soft); --mixed: var(--warn-soft); --name: var(--sunken);
  --quiet: var(--sunken); --dim: var(--ink-2); --link: var(--accent); overflow-wrap: anywhere; }
table.text { min-width: 0; }
`;

export const pane: Pane = {
  name: "compare",
  title: "Compare",
  open(host: HTMLElement, desk: Desk): Open {
    const shown = new Comparing(host, desk);
    const look = (): void => {
      if (!host.hidden) void shown.sides();
    };
    const leave = [desk.on("ruleset", () => { shown.forget(); look(); }), desk.on("saved", look), desk.on("changed", look)];
    look();
    return {
      keys: [{ keys: "Ctrl+Enter", says: "Compare", run: () => void shown.compare() }],
      front: look,
      show: ({ since }) => shown.wish(since ?? null),
      close: () => {
        for (const each of leave) each();
        shown.asking.stop();
        shown.working.stop();
        fill(host);
      },
    };
  },
};

class Comparing {
  readonly asking: Asking;
  readonly working: Asking;
  private against = "";
  /** Whether somebody chose it; else the first of the list is proposed. */
  private isChosen = false;
  /** After which time the first save is to be compared with, once it is known which saves there are. */
  private wished: number | null = null;
  private typed = true;
  private found: Compared | null = null;
  /** Whether the plays of what is shown are still to come. */
  private isPlaying = false;
  private shifts: Shifts | null = null;
  /** Why there are no odds of what is shown. */
  private noOdds = "";
  private policy = "first";
  private readonly of = el("input", { placeholder: "everything the ruleset declares", spellcheck: "false" });
  private readonly most = el("input", { type: "number", min: "1", placeholder: FOLLOWED });
  private readonly work = el("input", { type: "number", min: "0", placeholder: "2000000" });
  private part: Part = "changes";
  private saves: Sides["saves"] = [];
  /** What was asked for the comparison that is shown; its odds are asked of the same sides. */
  private asked: Readonly<Record<string, unknown>> = {};
  /** What the texts were that were compared, so that the same is not asked again. */
  private compared = "";
  private turn = 0;
  private readonly choices = el("div", { class: "compare-since" });
  private readonly start = button("Compare again", () => void this.compare(), { title: "Ctrl+Enter" });
  private readonly told = el("div", { class: "compare-told" });

  constructor(
    host: HTMLElement,
    private readonly desk: Desk,
  ) {
    this.asking = new Asking(desk, "Playing both texts", LONGEST);
    this.working = new Asking(desk, "Working out odds", LONGEST);
    fill(host, el("div", { class: "compare-head" }, el("h2", {}, "What changed for the players"), this.choices), this.asking.bar, this.working.bar, this.told);
  }

  /** What was chosen and found for one ruleset means nothing for another. */
  forget(): void {
    this.turn += 1;
    this.asking.stop();
    this.working.stop();
    [this.against, this.isChosen, this.wished, this.typed] = ["", false, null, true];
    [this.found, this.shifts, this.isPlaying, this.compared, this.asked] = [null, null, false, "", {}];
    this.noOdds = "";
    this.of.value = "";
    fill(this.choices);
    fill(this.told);
  }

  /** Compares with the text before the first save of the rules after a time; null: as before. */
  wish(since: number | null): void {
    this.wished = since;
  }

  /** Asks what there is to compare with, and compares if the texts are others than before. */
  async sides(): Promise<void> {
    const path = this.desk.ruleset;
    if (path === null) {
      fill(this.choices);
      fill(this.told, el("p", {}, "There is no ruleset in this folder yet."));
      return;
    }
    let found: Sides;
    try {
      found = await this.desk.ask<Sides>("compare/sides", { path, tab: this.desk.tab });
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      fill(this.choices);
      this.fails(fault.message);
      return;
    }
    if (path !== this.desk.ruleset || this.choices.contains(document.activeElement)) return;
    this.saves = found.saves;
    this.offer(found);
    const stands = JSON.stringify([path, this.against, found.typed, found.saves, this.desk.files.filter((each) => (each.ruleset ?? each.path) === path).map((each) => each.version)]);
    if (this.against && stands !== this.compared) {
      this.compared = stands;
      void this.compare();
    } else if (!this.against) {
      this.found = null;
      fill(this.told, el("section", { class: "card compare-empty" }, el("h3", {}, "Nothing has changed yet"), el("p", {}, "Once you save a change to the rules, this page shows what it does to a play, on two boards, and to the odds. You can also compare with another ruleset: choose one above.")));
    }
  }

  private offer(found: Sides): void {
    const saved = found.typed.map((each): Side => [`saved ${each}`, found.typed.length > 1 ? `the last save of ${each}` : "the last save"]);
    const own: readonly (readonly [string, readonly Side[]])[] = [
      ["Changes that are not saved yet", saved],
      ["Before an earlier save", found.saves.map((each): Side => [`save ${each.at}`, `before ${each.path} was saved ${when(each.at)}`])],
      ["Commits that changed this ruleset", commits(found.commits)],
      ["What it was copied from", found.origin === null ? [] : [[`shipped ${found.origin}`, `${found.origin}, ${found.starters.includes(found.origin) ? "the starter" : "as it comes with rulewright"}`]]],
    ];
    const shipped = (names: readonly string[], sort: string): readonly Side[] => names.filter((each) => each !== found.origin).map((each): Side => [`shipped ${each}`, `${each}, ${sort}`]);
    const groups = [
      ...own,
      ["Other commits", commits(found.others)],
      ["Rulesets of this folder", found.rulesets.map((each): Side => [`ruleset ${each}`, each])],
      ["Rulesets that come with rulewright", shipped(found.shipped, "as it comes with rulewright")],
      ["Starters", shipped(found.starters, "a starter")],
      ["Overlays of this folder", found.overlays.map((each): Side => [`ruleset ${each}`, each])],
    ] as const;
    const every = groups.flatMap(([, each]) => each.map(([value]) => value));
    const wished = this.wished;
    const since = wished === null ? undefined : found.saves.filter((each) => each.at >= wished).at(-1);
    if (since) [this.against, this.isChosen] = [`save ${since.at}`, true];
    else if (wished !== null) this.isChosen = false;
    this.wished = null;
    if (!this.isChosen || !every.includes(this.against)) this.against = own.flatMap(([, each]) => each)[0]?.[0] ?? "";
    const list = el("select", {}, this.against ? null : el("option", { value: "" }, "choose what to compare with"), ...groups.filter(([, each]) => each.length).map(([label, each]) => group(label, each)));
    list.value = this.against;
    this.start.disabled = !this.against;
    list.addEventListener("change", () => {
      this.against = list.value;
      this.isChosen = true;
      this.start.disabled = !this.against;
      this.compared = "";
      void this.compare();
    });
    const typed = found.typed.length
      ? choice("Compare", [["typed", "what is typed"], ["disk", "what is saved"]], this.typed ? "typed" : "disk", (value) => { this.typed = value === "typed"; void this.compare(); })
      : null;
    fill(this.choices, typed, el("label", { class: "field" }, el("span", {}, "Since"), list), this.start);
    if (!found.commits.length && !found.others.length && !found.saves.length) this.choices.append(el("span", { class: "faint" }, this.desk.engine.disk ? "A page has no git, so there are no commits here. Each of your saves is kept, to be compared with." : "There are no commits: this folder is in no git repository, or nothing is committed yet."));
  }

  /** Compares: what is written at once; then what it does to plays and, beside it, to the odds. */
  async compare(): Promise<void> {
    const path = this.desk.ruleset;
    const [sort, ...name] = this.against.split(" ");
    if (path === null) return;
    if (!sort) {
      this.desk.say("Choose what to compare with.");
      return;
    }
    const turn = (this.turn += 1);
    const typed = sort === "saved" || this.typed;
    const asked = { path, tab: this.desk.tab, with: sort, name: name.join(" "), typed };
    this.isPlaying = true;
    [this.shifts, this.noOdds] = [null, ""];
    this.working.stop();
    try {
      const quick = await this.desk.ask<Compared>("compare", { ...asked, quick: true });
      if (turn !== this.turn) return;
      [this.found, this.asked] = [quick, asked];
      const same = quick.compared.verdict.word === "identical" || !quick.compared.edits.length;
      this.isPlaying = !same;
      this.show();
      if (same) return;
      void this.shift(FOLLOWED, true);
      const found = await this.asking.run((signal, asking) => this.desk.ask<Compared>("compare", { ...asked, work: this.work.value, asking }, signal));
      if (turn !== this.turn) return;
      this.isPlaying = false;
      if (found === null) this.desk.say("The comparison was stopped.");
      else this.found = found;
      this.show();
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      if (turn === this.turn) this.fails(fault.message);
    }
  }

  private fails(message: string): void {
    this.found = null;
    this.isPlaying = false;
    fill(this.told, el("section", { class: "card compare-empty", role: "alert" }, el("h3", {}, "These cannot be compared"), ...message.split("\n").map((each) => el("p", {}, ...coded(each)))));
  }

  private show(): void {
    const found = this.found;
    if (!found) return;
    const parts = PARTS.filter(([part]) => found.page || part === "changes" || part === "odds").map(([part, says]) =>
      button(says, () => { this.part = part; this.show(); this.told.querySelector<HTMLElement>(`[data-part="${part}"]`)?.focus(); }, { "data-part": part, "aria-pressed": this.part === part ? "true" : "false" }));
    const bodies: Readonly<Record<Part, () => HTMLElement>> = {
      changes: () => this.changes(found.compared),
      page: () => printed(named(found.page, { work: FIELDS.work })),
      odds: () => this.odds(),
      log: () => this.log(found.log),
      text: () => this.text(),
    };
    const part = parts.length > 2 || this.part === "odds" ? this.part : "changes";
    fill(this.told,
      el("div", { class: "seg compare-parts", role: "group", label: "Parts of the comparison" }, ...parts),
      found.remarks ? el("p", { class: "warn story" }, found.remarks) : null,
      bodies[part]());
  }

  private changes(diff: Diff): HTMLElement {
    return changesTold(diff, this.shifts, {
      noOdds: this.noOdds,
      isPlaying: this.isPlaying,
      isWorking: this.working.isUnderWay,
      before: diff.old.place,
      line: (place) => { if (this.desk.files.some((each) => each.path === place.file)) return () => this.desk.go("rules", { path: place.file, line: place.line }); return null; },
      play: (scenario) => this.desk.go("play", { path: this.scenarioPath(scenario.file), name: scenario.name }),
      scenario: (file, name) => this.desk.go("scenarios", { path: this.scenarioPath(file), name }),
      earlier: this.earlier(),
      undo: (edits) => this.undo(diff, edits),
    });
  }

  /** The file of a scenario in this folder; a comparison may name it as it lies in a copy. */
  private scenarioPath(file: string): string {
    const paths = this.desk.files.filter((each) => each.sort === "scenario" && each.ruleset === this.desk.ruleset).map((each) => each.path);
    return paths.find((each) => each === file) ?? paths.find((each) => each.endsWith(`/${file}`) || file.endsWith(`/${each}`) || each.split("/").at(-1) === file.split("/").at(-1)) ?? file;
  }

  /** Puts back the old text of a change, as an edit that is not saved. */
  private undo(diff: Diff, numbers: readonly number[]): (() => void) | null {
    const edits = numbers.map((each) => diff.edits[each]).filter((each) => each !== undefined);
    const [first] = edits;
    if (!first) return null;
    const own = this.desk.files.filter((each) => each.sort === "rules" && (each.ruleset ?? each.path) === this.desk.ruleset).map((each) => each.path);
    const spot = edits.map((each) => each.new).find((each) => each !== null) ?? diff.edits.find((each) => each.group === first.group && each.new)?.new;
    const file = own.find((each) => each === spot?.file) ?? own.find((each) => each === first.old?.file) ?? (own.length === 1 ? own[0] : undefined);
    if (file === undefined) return null;
    const old = edits.map((each) => each.old).find((each) => each !== null)?.file ?? file;
    return () => void this.putBack(file, old, edits.map((each) => ({ old: each.old?.line ?? null, now: each.new?.line ?? null })));
  }

  private async putBack(file: string, old: string, changed: readonly Changed[]): Promise<void> {
    const { desk } = this;
    if (!this.asked["typed"] && desk.unsaved.includes(file)) {
      desk.say(`${file} has changes that are not saved. Save them, or compare what is typed.`, true);
      return;
    }
    try {
      const { text } = await desk.ask<{ text: string }>("compare/before", { ...this.asked, file, old });
      const isDone = await desk.type(file, (now) => undone(text, now, changed));
      if (!isDone) {
        desk.say("This change is not one of the text alone, so it cannot be put back here.", true);
        return;
      }
      desk.say(`The old text stands in ${file} again. It is not saved yet.`);
      [this.compared, this.isChosen] = ["", true]; // what it is compared with stays
      setTimeout(() => void this.sides(), TYPED_MS);
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      desk.say(fault.message, true);
    }
  }

  /** Compares with the save before the one that is compared with, if there is one. */
  private earlier(): (() => void) | null {
    const at = this.saves.findIndex((each) => this.against === `save ${each.at}`);
    const before = this.saves[at + 1];
    if (!before || (at < 0 && !this.against.startsWith("saved"))) return null;
    return () => {
      [this.against, this.isChosen] = [`save ${before.at}`, true];
      void this.sides();
    };
  }

  /** How odds shift: what is asked, and what is known. */
  private odds(): HTMLElement {
    const policies = [["first", "the first legal answer"], ["random", "each legal answer equally likely"], ["", "only the scenarios"]] as const;
    return el("div", { class: "shifts" },
      el("p", { class: "faint" }, "Both texts play every situation that a scenario begins with, through all that chance can bring. With a large ruleset this takes minutes."),
      el("div", { class: "row" },
        choice(FIELDS.policy, policies, this.policy, (value) => (this.policy = value)),
        el("label", { class: "field" }, el("span", {}, FIELDS.of), this.of),
        el("label", { class: "field" }, el("span", {}, FIELDS.most), this.most),
        el("label", { class: "field" }, el("span", {}, FIELDS.work), this.work),
        button("Compare the odds", () => void this.shift(this.most.value || LARGEST), { primary: true })),
      this.shifts ? shiftsTold(this.shifts) : null);
  }

  private async shift(most: string, quietly = false): Promise<void> {
    const asked = { ...this.asked, policy: this.policy, of: this.of.value.trim(), most };
    const turn = this.turn;
    try {
      const found = await this.working.run((signal, asking) => this.desk.ask<Shifts>("compare/odds", { ...asked, asking }, signal));
      if (turn !== this.turn) return;
      if (!quietly || found === null) this.desk.say(found === null ? "The odds were stopped." : saidOf(found));
      if (found !== null) this.shifts = found;
      else if (!this.shifts) this.noOdds = "they were stopped";
      this.show();
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      if (turn !== this.turn) return;
      if (!this.shifts) this.noOdds = named(fault.message, FIELDS);
      this.show();
      if (!quietly) this.desk.say(named(fault.message, FIELDS), true);
    }
  }

  /** The first screen of the command, for those who know it. */
  private text(): HTMLElement {
    const screen = el("pre", { class: "story screen", tabindex: "0", label: `What changed in ${this.desk.ruleset ?? ""}` }, "…");
    this.desk.ask<{ screen: string }>("compare", { ...this.asked, work: this.work.value, words: true }).then(
      (found) => fill(screen, named(found.screen, { work: FIELDS.work })),
      (fault: unknown) => { if (fault instanceof Problem) fill(screen, fault.message); else throw fault; });
    return screen;
  }

  private log(text: string): HTMLElement {
    const area = el("textarea", { readonly: true, rows: "24", label: "Draft change log, in Markdown", spellcheck: "false" });
    area.value = text;
    const copy = button("Copy", () => {
      navigator.clipboard.writeText(text).then(
        () => this.desk.say("Copied the change log."),
        () => { area.select(); this.desk.say("Press Ctrl+C to copy the selected text."); },
      );
    });
    return el("div", { class: "change-log" }, el("p", { class: "faint" }, "This is a draft. Add the reasons for your changes."), copy, area);
  }
}

/** What can be compared with: a sort and a name, and what it is called. */
type Side = readonly [value: string, says: string];

function commits(found: readonly Commit[]): Side[] {
  return found.map((each) => [`commit ${each.revision}`, `${each.day}  ${each.subject}`]);
}

function group(label: string, values: readonly Side[]): HTMLOptGroupElement {
  const made = el("optgroup", {}, ...values.map(([value, says]) => el("option", { value }, says)));
  made.label = label;
  return made;
}

/** The page of a comparison, cleaned, in a tree of its own so that its sheet holds for nothing else. */
function printed(text: string): HTMLElement {
  const host = el("div", { class: "printed" });
  const root = host.attachShadow({ mode: "open" });
  const sheets = [/<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? "", LOOK].map((style) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    return sheet;
  });
  root.adoptedStyleSheets = sheets;
  root.append(page(text.replace(/<style>[\s\S]*?<\/style>/, "")));
  root.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href^='#']")?.getAttribute("href") : null;
    if (!link) return;
    event.preventDefault();
    const found = root.getElementById(decodeURIComponent(link.slice(1)));
    for (let at: Element | null | undefined = found; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    found?.scrollIntoView({ block: "center" });
  });
  return host;
}
