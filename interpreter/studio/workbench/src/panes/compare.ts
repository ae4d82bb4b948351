import { type Desk, type Open, type Pane, Problem } from "../desk";
import { Asking } from "../asking";
import { button, type Child, choice, coded, el, fill, page, when } from "../elements";
import { named } from "../fields";
import { type Changed, undone } from "../rules/undoing";
import { changesTold, type Diff, since } from "./compare_cards";
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
    this.offer(found);
    const stands = JSON.stringify([path, this.against, found.typed, found.saves, this.desk.files.filter((each) => (each.ruleset ?? each.path) === path).map((each) => each.version)]);
    if (this.against && stands !== this.compared) {
      this.compared = stands;
      void this.compare();
    } else if (!this.against) {
      this.turn += 1; // what is still asked is no matter of this any more
      this.asking.stop();
      this.working.stop();
      [this.found, this.compared] = [null, ""];
      this.nothing("Nothing has changed yet", "As soon as you change a rule, this page shows what it does to a play, on two boards, to your scenarios and to the odds.");
    }
  }

  /** Where nothing differs: what could be changed, and what else can be compared with. */
  private nothing(title: string, words: string): void {
    const change = el("section", { class: "card compare-empty", label: "Change a rule" }, el("h3", {}, "Change a rule"),
      el("p", {}, "Pick another cell in a table, or type another number. You need not save: what you type is compared, too."), el("p", { class: "faint" }, "…"));
    const others = this.groups.filter(([label]) => OWN.has(label)).flatMap(([label, sides]) => sides.slice(0, MOST_OFFERED).map((each) => [label, each] as const)).filter(([, [value]]) => value !== this.against).slice(0, MOST_OFFERED);
    const compared = others.length
      ? el("ul", { class: "list" }, ...others.map(([label, [value, says]]) => el("li", {}, el("span", {}, el("b", {}, says), el("small", {}, label)), button("Compare", () => this.choose(value), { label: `Compare: ${says}` }))))
      : el("p", {}, "There is nothing near yet; choose any other ruleset above.");
    const kept = el("p", { class: "faint" }, "Each time you save, the text before it is kept here, to be compared with. ", this.lacks);
    fill(this.told,
      el("section", { class: "card compare-empty" }, el("h3", {}, title), el("p", {}, words)),
      el("div", { class: "compare-offers" }, change, el("section", { class: "card compare-empty", label: "Compare with something else" }, el("h3", {}, "Compare with something else"), compared, kept)));
    void this.changeable(change);
  }

  /** The tables and numbers of the rules, each a press away. */
  private async changeable(host: HTMLElement): Promise<void> {
    const { desk } = this;
    const files = desk.files.filter((each) => each.sort === "rules" && (each.ruleset ?? each.path) === desk.ruleset).slice(0, MOST_READ);
    const texts = await Promise.all(files.map(({ path }) => desk.read(path).then(({ text }) => ({ path, text }), () => ({ path, text: "" }))));
    const found = texts.flatMap(({ path, text }) => text.split("\n").flatMap((words, at) => {
      const title = /"([^"]+)"\s*:\s*$/.exec(words)?.[1];
      const sort = CHANGEABLE.findIndex((one) => one.test(words));
      return title === undefined || sort < 0 ? [] : [{ path, title, line: at + 1, sort }];
    })).sort((one, other) => one.sort - other.sort);
    host.querySelector(":scope > .faint")?.remove();
    const first = found.slice(0, MOST_OFFERED);
    if (!first.length) host.append(el("div", { class: "row" }, button("Go to the rules", () => desk.go("rules"))));
    else host.append(el("ul", { class: "list" }, ...first.map(({ path, title, line, sort }) =>
      el("li", {}, el("span", {}, el("b", { class: "game" }, title), el("small", {}, `${SORTS[sort] ?? ""}, line ${line}`)), button("Change it", () => desk.go("rules", { path, line }), { label: `Change it: ${title}` })))));
  }

  private choose(value: string): void {
    [this.against, this.isChosen, this.compared] = [value, true, ""];
    void this.sides();
  }

  /** Why there are no commits to compare with. */
  private lacks = "";
  /** What can be compared with, under what it is; the texts of this ruleset first. */
  private groups: readonly (readonly [label: string, sides: readonly Side[]])[] = [];

  private offer(found: Sides): void {
    const saved = found.typed.map((each): Side => [`saved ${each}`, found.typed.length > 1 ? `the last save of ${each}` : "the last save"]);
    const files = new Set(found.saves.map((each) => each.path));
    const own: readonly (readonly [string, readonly Side[]])[] = [
      ["Changes that are not saved yet", saved],
      ["Before a save", found.saves.map((each): Side => [`save ${each.at}`, `${when(each.at)}, before the save${files.size > 1 ? ` of ${each.path.split("/").at(-1) ?? each.path}` : ""}`])],
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
    this.groups = groups;
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
    this.lacks = found.commits.length || found.others.length ? "" : this.desk.engine.disk ? "A page has no git, so there are no commits here." : "There are no commits: this folder is in no git repository, or nothing is committed yet.";
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
    const [first = "", ...more] = message.split("\n");
    const broken = /^(?:NEW|OLD), `(.*)`, cannot be compared: it has errors$/.exec(first)?.[1];
    fill(this.told, el("section", { class: "card compare-empty", role: "alert" },
      el("h3", {}, broken === undefined ? "These cannot be compared" : `${broken.charAt(0).toUpperCase()}${broken.slice(1)} has errors, so it cannot be compared`),
      ...(broken === undefined ? [first, ...more] : more).map((each) => el("p", {}, ...this.located(each)))));
  }

  /** A message, with its place as a way to it. */
  private located(message: string): Child[] {
    const [, path, line, said] = /^(\S+\.rules):(\d+): (.*)$/.exec(message) ?? [];
    if (path === undefined || said === undefined || !this.desk.files.some((each) => each.path === path)) return coded(message);
    return [...coded(said), " ", button(`line ${line}`, () => this.desk.go("rules", { path, line: Number(line) }), { class: "plain place", label: `${path}, line ${line}` })];
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
    if (found.compared.verdict.word === "identical" || !found.compared.edits.length) {
      this.nothing("Nothing has changed", `Both texts are the same: the rules are those of ${since(found.compared.old.place)}.`);
      return;
    }
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
      line: (place) => { if (this.desk.files.some((each) => each.path === place.file)) return () => this.desk.go("rules", { path: place.file, line: place.line }); return null; },
      play: (scenario) => this.desk.go("play", { path: this.scenarioPath(scenario.file), name: scenario.name }),
      scenario: (file, name) => this.desk.go("scenarios", { path: this.scenarioPath(file), name }),
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

/** What of a text is changed first, by the words that its lines begin with, and what it is called. */
const CHANGEABLE = [/^table\b/, /^tally\b/, /^decide\b/, /^paths\b/, /^values\b/] as const;
const SORTS = ["a table", "modifiers", "a choice by conditions", "costs of a way", "words"] as const;
/** What is near enough to be offered where nothing differs. */
const OWN = new Set(["Before a save", "Commits that changed this ruleset", "What it was copied from", "Rulesets of this folder", "Overlays of this folder"]);
/** So many files are looked through for what can be changed. */
const MOST_READ = 20;
/** So many are offered to change, or to compare with. */
const MOST_OFFERED = 6;

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
