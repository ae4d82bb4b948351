import { type Desk, type Open, type Pane, Problem } from "../desk";
import { Asking } from "../asking";
import { button, choice, coded, el, fill, page, when } from "../elements";
import { named } from "../fields";
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
  readonly screen: string;
  readonly page: string;
  readonly log: string;
  readonly remarks: string;
}

type Part = "screen" | "page" | "log" | "odds";
const PARTS: readonly (readonly [Part, string])[] = [
  ["screen", "At a glance"],
  ["page", "Stories and texts"],
  ["odds", "Odds"],
  ["log", "Change log"],
];
const LONGEST = 180;

/** How the page of a comparison looks here: its own sheet, with the colours of the workbench. */
const LOOK = `
:host { display: block; --good: var(--good-paper); --bad: var(--bad-paper); --mixed: var(--lit); --name: var(--raised);
  --quiet: var(--raised); --dim: var(--faint); --link: var(--accent); overflow-wrap: anywhere; }
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
    const leave = [desk.on("ruleset", look), desk.on("saved", look), desk.on("changed", look)];
    look();
    return {
      keys: [{ keys: "Ctrl+Enter", says: "Compare", run: () => void shown.compare() }],
      front: look,
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
  /** Whether somebody chose it, or compared with it; else the first of the list is proposed. */
  private isChosen = false;
  private typed = true;
  private shifts: Shifts | null = null;
  private policy = "first";
  private readonly of = el("input", { placeholder: "everything the ruleset declares", spellcheck: "false" });
  private readonly most = el("input", { type: "number", min: "1", placeholder: "200000" });
  private readonly work = el("input", { type: "number", min: "0", placeholder: "2000000" });
  private part: Part = "screen";
  private found: Compared | null = null;
  private about = "";
  /** What was asked for the comparison that is shown; its odds are asked of the same sides. */
  private asked: Readonly<Record<string, unknown>> = {};
  private readonly choices = el("div", { class: "row" });
  private readonly start = button("Compare", () => void this.compare(), { primary: true });
  private readonly told = el("div", {});

  constructor(
    host: HTMLElement,
    private readonly desk: Desk,
  ) {
    this.asking = new Asking(desk, "Comparing", LONGEST);
    this.working = new Asking(desk, "Working out odds", LONGEST);
    fill(host, this.choices, this.asking.bar, this.told);
    this.show();
  }

  /** Asks what there is to compare with. */
  async sides(): Promise<void> {
    const path = this.desk.ruleset;
    if (path === null) {
      fill(this.choices, el("p", {}, "There is no ruleset in this folder yet."));
      return;
    }
    let found: Sides;
    try {
      found = await this.desk.post<Sides>("/api/compare/sides", { path, tab: this.desk.tab });
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      fill(this.choices, el("p", { class: "bad" }, ...coded(fault.message)));
      return;
    }
    if (path !== this.desk.ruleset || this.choices.contains(document.activeElement)) return;
    this.offer(path, found);
  }

  private offer(path: string, found: Sides): void {
    const saved = found.typed.map((each): Side => [`saved ${each}`, found.typed.length > 1 ? `the last save of ${each}` : "the last save"]);
    const own: readonly (readonly [string, readonly Side[]])[] = [
      ["Changes that are not saved yet", saved],
      ["Before an earlier save", found.saves.map((each): Side => [`save ${each.at}`, `before ${each.path} was saved ${when(each.at)}`])],
      ["Commits that changed this ruleset", commits(found.commits)],
      ["What it was copied from", found.origin === null ? [] : [[`shipped ${found.origin}`, found.origin]]],
    ];
    const shipped = (names: readonly string[]): readonly Side[] => names.filter((each) => each !== found.origin).map((each): Side => [`shipped ${each}`, each]);
    const groups = [
      ...own,
      ["Other commits", commits(found.others)],
      ["Rulesets of this folder", found.rulesets.map((each): Side => [`ruleset ${each}`, each])],
      ["Rulesets that come with rulewright", shipped(found.shipped)],
      ["Starters", shipped(found.starters)],
      ["Overlays of this folder", found.overlays.map((each): Side => [`ruleset ${each}`, each])],
    ] as const;
    const every = groups.flatMap(([, each]) => each.map(([value]) => value));
    if (!this.isChosen || !every.includes(this.against)) this.against = own.flatMap(([, each]) => each)[0]?.[0] ?? "";
    const list = el("select", {}, this.against ? null : el("option", { value: "" }, "choose what to compare with"), ...groups.filter(([, each]) => each.length).map(([label, each]) => group(label, each)));
    list.value = this.against;
    this.start.disabled = !this.against;
    list.addEventListener("change", () => {
      this.against = list.value;
      this.isChosen = true;
      this.start.disabled = !this.against;
    });
    const typed = found.typed.length
      ? choice("Compare", [["typed", `${path}, as typed`], ["disk", `${path}, as saved`]], this.typed ? "typed" : "disk", (value) => (this.typed = value === "typed"))
      : el("span", {}, "Compare ", el("code", {}, path));
    fill(
      this.choices,
      typed,
      el("label", { class: "field" }, el("span", {}, "with"), list),
      el("label", { class: "field" }, el("span", {}, FIELDS.work), this.work),
      this.start,
      found.commits.length || found.others.length ? null : el("span", { class: "faint" }, "There are no commits: this folder is in no git repository, or nothing is committed yet. You can still compare with the text before each save."),
    );
  }

  async compare(): Promise<void> {
    const path = this.desk.ruleset;
    const [sort, ...name] = this.against.split(" ");
    if (path === null) return;
    if (!sort) {
      this.desk.say("Choose what to compare with.");
      return;
    }
    const typed = sort === "saved" || this.typed;
    const asked = { path, tab: this.desk.tab, with: sort, name: name.join(" "), typed };
    this.start.disabled = this.isChosen = true;
    try {
      const found = await this.asking.run((signal, asking) => this.desk.post<Compared>("/api/compare", { ...asked, work: this.work.value, asking }, signal));
      if (found === null) {
        this.desk.say("The comparison was stopped.");
        return;
      }
      this.found = found;
      this.shifts = null;
      this.working.stop();
      this.asked = asked;
      this.about = path;
      this.desk.say(`Compared: ${found.screen.split("\n")[1] ?? ""}`);
      this.show();
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      this.found = null;
      fill(this.told, el("pre", { class: "story bad", role: "alert" }, fault.message));
    } finally {
      this.start.disabled = !this.against;
    }
  }

  private show(): void {
    const found = this.found;
    if (!found) {
      const words = "Choose a commit, a file or another ruleset to see what changed for the players: the rules that answer differently, each with a play that shows it on both sides.";
      fill(this.told, el("p", { class: "faint" }, words));
      return;
    }
    const parts = PARTS.map(([part, says]) =>
      button(says, () => { this.part = part; this.show(); this.told.querySelector<HTMLElement>(`[data-part="${part}"]`)?.focus(); }, {
        class: "tab",
        "data-part": part,
        "aria-pressed": this.part === part ? "true" : "false",
      }),
    );
    const bodies: Readonly<Record<Part, () => HTMLElement>> = {
      screen: () => el("div", {}, el("pre", { class: "story screen", tabindex: "0", label: `What changed in ${this.about}` }, named(found.screen, { work: FIELDS.work })), ...scenarios(found.page)),
      page: () => printed(named(found.page, { work: FIELDS.work })),
      odds: () => this.odds(),
      log: () => this.log(found.log),
    };
    const body = bodies[this.part]();
    fill(this.told, el("div", { class: "row", role: "group", label: "Parts of the comparison" }, ...parts), found.remarks ? el("p", { class: "warn story" }, found.remarks) : null, body);
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
        button("Compare the odds", () => void this.shift(), { primary: true })),
      this.working.bar,
      this.shifts ? shiftsTold(this.shifts) : null);
  }

  private async shift(): Promise<void> {
    const asked = { ...this.asked, policy: this.policy, of: this.of.value.trim(), most: this.most.value };
    const about = this.found;
    try {
      const found = await this.working.run((signal, asking) => this.desk.post<Shifts>("/api/compare/odds", { ...asked, asking }, signal));
      if (this.found !== about) return;
      this.desk.say(found === null ? "The odds were stopped." : saidOf(found));
      if (found === null) return;
      this.shifts = found;
      this.show();
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      this.desk.say(named(fault.message, FIELDS), true);
    }
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

/** The scenarios that end differently and those that cannot be compared, by name, as the page of a comparison lists them. */
function scenarios(text: string): HTMLDetailsElement[] {
  const found = [...page(text).querySelectorAll<HTMLDetailsElement>("details.scenarios")];
  for (const each of found) each.open = false;
  return found;
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
