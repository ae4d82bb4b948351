import type { Desk, Edit, Key, Open, Pane, Place } from "../desk";
import { Problem } from "../desk";
import { Asking } from "../asking";
import { ask, button, coded, el, fill, type Child } from "../elements";
import { Unsaved } from "../unsaved";

interface Range {
  readonly file: string;
  readonly line: number | null;
}

interface Diagnostic {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly help: string;
  readonly place: Range | null;
  readonly edits: readonly Edit[];
}

interface Result {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly outcome: "passed" | "failed" | "wrong" | "skipped" | "only_played";
  readonly skip: string;
  readonly covers: readonly string[];
  readonly play: { readonly number: number; readonly of: number; readonly seed: number | null } | null;
  readonly misses: readonly { readonly what: string; readonly place: string; readonly expected: string; readonly got: string; readonly cell: Range | null }[];
  readonly told: readonly string[];
  readonly path: readonly string[];
  readonly goes_on: boolean;
  readonly differs: Range | null;
  readonly fault: Range | null;
  readonly wrong: readonly Diagnostic[];
}

interface Tested {
  readonly counts: Readonly<Record<Result["outcome"], number>>;
  readonly results: readonly Result[];
  readonly accept?: { readonly written: boolean; readonly difference: readonly string[]; readonly left: readonly Diagnostic[] };
}

const SIGNS = { passed: "✓", failed: "✗", wrong: "!", skipped: "–", only_played: "▷" } as const;
const MOST_TOLD = 60;
/** So many failures are told at once; others when they are pressed. */
const UNFOLDED = 3;
const LONGEST = 300;
/** So many letters of what a remedy writes stand on its button. */
const MOST_SAID = 40;

/** The scenarios of a ruleset: played on demand and whenever something was saved; a failure is a story. */
class ScenariosPane implements Open {
  readonly keys: readonly Key[] = [{ keys: "r", says: "Play the scenarios", run: () => void this.run() }];
  private readonly name = el("input", { type: "search", label: "Only scenarios with this in their name", placeholder: "name" });
  private readonly failing = el("input", { type: "checkbox" });
  private readonly onSave = el("input", { type: "checkbox", checked: true });
  private readonly sum = el("div", { class: "row scenario-sum" });
  private readonly list = el("div", {});
  private readonly go = button("Play the scenarios", () => void this.run(), { primary: true, title: "Key r" });
  private readonly open = new Set<string>();
  private tested: Tested | null = null;
  /** What was told to be wrong, by what it is: each cause is told once. */
  private readonly said = new Map<string, string>();
  private stale = false;
  private unfolded = 0;
  private readonly asking: Asking;
  private readonly unsaved: Unsaved;
  private readonly leave: (() => void)[];

  constructor(
    host: HTMLElement,
    private readonly desk: Desk,
  ) {
    this.asking = new Asking(desk, "Playing the scenarios", LONGEST);
    this.unsaved = new Unsaved(desk, "These are the results of the saved text", { says: "Save and play", run: () => { if (this.stale) void this.run(); } });
    fill(host,
      el("div", { class: "row" },
        this.go,
        el("label", { class: "field" }, el("span", {}, "Name contains"), this.name),
        el("label", { class: "field" }, this.failing, el("span", {}, "Only those that do not pass")),
        el("label", { class: "field" }, this.onSave, el("span", {}, "Play them after each save"))),
      this.asking.bar, this.unsaved.note, this.sum, this.list);
    this.name.addEventListener("input", () => this.show());
    this.failing.addEventListener("change", () => this.show());
    const changed = (): void => {
      this.stale = true;
      if (this.onSave.checked) void this.run();
    };
    this.leave = [
      desk.on("ruleset", () => { this.tested = null; void this.run(); }),
      desk.on("saved", changed),
      desk.on("unsaved", () => this.draw()),
      desk.on("changed", changed),
    ];
    void this.run();
  }

  /** Brings the ends of all stories into sight; none has a size while the pane is not shown. */
  private lower(): void {
    requestAnimationFrame(() => { for (const each of this.list.querySelectorAll(".differs")) each.parentElement?.scrollTo(0, 1e6); });
  }

  front(): void {
    this.lower();
    if (this.stale && this.onSave.checked) void this.run();
  }

  show(place?: Place): void {
    if (place?.name) {
      this.name.value = place.name;
      this.open.add(`${place.path ?? ""} ${place.name}`);
      if (!this.tested) return;
    }
    this.draw();
  }

  private get files(): string[] {
    return this.desk.files.filter((each) => each.sort === "scenario" && each.ruleset === this.desk.ruleset).map((each) => each.path);
  }

  private async run(): Promise<void> {
    const files = this.files;
    this.stale = false;
    if (!files.length) {
      this.asking.stop();
      this.tested = null;
      this.desk.tell("tested", null);
      fill(this.list);
      fill(this.sum, this.desk.ruleset === null ? "There is no ruleset here yet." : "No scenario plays this ruleset yet. Play it, and save the play as a scenario.");
      return;
    }
    fill(this.sum);
    this.list.setAttribute("aria-busy", "true");
    try {
      const found = await this.asking.run((signal, asking) => this.desk.post<Tested>("/api/scenarios/run", { files, asking }, signal));
      if (found === null) return; // stopped, or asked again
      this.tested = found;
      this.draw();
      this.desk.say(`Scenarios: ${this.counted()}.`);
      this.desk.tell("tested", found.counts.failed + found.counts.wrong);
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      this.tested = null;
      this.desk.tell("tested", null);
      fill(this.list);
      fill(this.sum, el("span", { class: "bad" }, ...coded(fault.message)));
    } finally {
      if (!this.asking.isUnderWay) this.list.removeAttribute("aria-busy");
    }
  }

  private counted(): string {
    const told = new Map<string, number>();
    for (const [outcome, number] of Object.entries(this.tested?.counts ?? {})) told.set(worded(outcome), (told.get(worded(outcome)) ?? 0) + number);
    return [...told].filter(([, number]) => number).map(([said, number]) => `${number} ${said}`).join(", ") || "no scenario was played";
  }

  private draw(): void {
    if (!this.tested) return;
    const wanted = this.name.value.toLowerCase();
    const shown = this.tested.results.filter((each) => each.name.toLowerCase().includes(wanted) && (!this.failing.checked || each.outcome === "failed" || each.outcome === "wrong"));
    const files = [...new Set(shown.map((each) => each.file))];
    this.said.clear();
    this.unfolded = 0;
    const { failed, wrong, passed } = this.tested.counts;
    fill(this.sum, el("strong", { class: failed || wrong ? "bad" : passed ? "good" : "faint" }, this.counted()),
      failed > 1 ? button(`Accept the new results of all ${failed}…`, () => void this.accept(this.tested?.results.filter((each) => each.outcome === "failed") ?? [])) : null);
    fill(this.list, ...files.map((file) => {
      const own = shown.filter((each) => each.file === file);
      const failed = own.filter((each) => each.outcome === "failed" || each.outcome === "wrong");
      const many = el("details", { open: failed.length > 0 || files.length === 1 || wanted !== "" },
        el("summary", {}, el("span", { role: "heading", "aria-level": "2" }, file), el("span", { class: "faint" }, ` ${own.length - failed.length} of ${own.length}`)),
        el("ul", { class: "list scenarios" }, ...own.map((each) => this.row(each))));
      return many;
    }));
    if (!shown.length) fill(this.list, el("p", { class: "faint" }, this.failing.checked ? "All of these pass." : "No scenario has this in its name."));
  }

  private row(result: Result): HTMLLIElement {
    const key = `${result.file} ${result.name}`;
    const told = el("div", { class: "scenario-story" });
    const says = el("button", { type: "button", class: "plain scenario", "aria-expanded": "false" },
      el("span", { class: `outcome ${result.outcome}` }, `${SIGNS[result.outcome]} ${worded(result.outcome)}`), ` ${result.name}`);
    const toggle = (open: boolean): void => {
      told.hidden = !open;
      says.setAttribute("aria-expanded", String(open));
      if (open) {
        this.open.add(key);
        if (!told.hasChildNodes()) fill(told, ...this.told(result));
        this.lower();
      } else this.open.delete(key);
    };
    says.addEventListener("click", () => toggle(told.hidden === true));
    const cause = result.wrong.map((each) => `${each.place?.file} ${each.place?.line} ${each.message}`).join("\n");
    const above = cause ? this.said.get(cause) : undefined;
    if (cause && above === undefined) this.said.set(cause, result.name);
    const isTold = result.outcome === "failed" && this.unfolded++ < UNFOLDED;
    toggle(this.open.has(key) || isTold || (result.outcome === "wrong" && above === undefined));
    const row = el("div", { class: "row" }, says,
      above === undefined ? null : el("span", { class: "faint" }, "as above"),
      button("Play", () => this.desk.go("play", { path: result.file, name: result.name }), { label: `Play ${result.name}` }),
      this.link(result.file, result.line, "text"));
    return el("li", {}, row, told);
  }

  private link(file: string, line: number | null, says = `${file}:${line ?? ""}`): HTMLElement | null {
    if (line === null || !this.desk.files.some((each) => each.path === file)) return null;
    return button(says, () => this.desk.go("rules", { path: file, line }), { class: "plain place", label: `${says}: ${file}, line ${line}` });
  }

  /** A button that makes the edits of a remedy, where the text that they are of is the one that is typed. */
  private remedy({ edits }: Diagnostic): HTMLElement | null {
    const [first, ...more] = edits;
    const { desk } = this;
    if (!first || edits.some(({ place }) => desk.unsaved.includes(place.file) || !desk.files.some((each) => each.path === place.file))) return null;
    const words = first.replacement.trim();
    const says = more.length || !words || words.length > MOST_SAID || /[\n`]/.test(words) ? "Make this change…" : `Write \`${words}\`…`;
    return button(says, () => void desk.mend(edits));
  }

  /** A failure as a story: what was expected, what came, and what happened up to where it differs. */
  private told(result: Result): Child[] {
    const lines = result.told.slice(-MOST_TOLD);
    const left = result.told.length - lines.length;
    const { play } = result;
    return [
      result.outcome === "failed" || result.outcome === "wrong" ? null : el("p", { class: "faint" }, result.outcome === "only_played" ? "It expects nothing, so there is nothing to judge. Press Play to begin here." : result.skip || (result.covers.length ? `Covers ${result.covers.join(", ")}.` : "Everything ended as expected.")),
      play && play.of > 1 ? el("p", {}, `In play ${play.number} of ${play.of}${play.seed === null ? "" : `, seed ${play.seed}`}.`) : null,
      result.misses.length ? el("div", { class: "wide", tabindex: "0", role: "group", label: "What you expect, and what you get now" }, el("table", {},
        el("thead", {}, el("tr", {}, ...["", "you expect", "you get now"].map((each) => el("th", { scope: "col" }, each)))),
        el("tbody", {}, ...result.misses.map((each) => el("tr", {},
          el("th", { scope: "row" }, `${each.what} ${each.place}`, each.cell ? this.link(each.cell.file, each.cell.line) : null),
          el("td", { class: "good" }, each.expected),
          el("td", { class: "bad" }, each.got)))))) : null,
      ...result.wrong.map((each) => el("p", { class: "bad" }, ...coded(each.message), " ", each.place ? this.link(each.place.file, each.place.line) : null, each.help ? el("span", { class: "faint" }, ...coded(`  ${each.help}`)) : null, " ", this.remedy(each))),
      lines.length ? el("p", {}, result.goes_on ? "What happened, up to where it differs:" : "What happened:") : null,
      left ? el("p", { class: "faint" }, `First ${left} more lines, through ${result.path.join(", ")}.`) : null,
      lines.length ? el("div", { class: "story scenario-told", tabindex: "0", role: "group", label: "What happened" }, ...lines.map((each, at) => el("div", { class: at === lines.length - 1 && (result.goes_on || result.differs) ? "differs" : undefined }, each))) : null,
      el("div", { class: "row" },
        result.differs ? this.link(result.differs.file, result.differs.line, `It differs at ${result.differs.file}:${result.differs.line}`) : null,
        result.fault ? this.link(result.fault.file, result.fault.line, `The fault is at ${result.fault.file}:${result.fault.line}`) : null,
        result.outcome === "failed" ? button("Accept the new result…", () => void this.accept([result])) : null),
    ];
  }

  private async accept(results: readonly Result[]): Promise<void> {
    const files = [...new Set(results.map((each) => each.file))];
    const one = results.length === 1 ? { name: results[0]?.name } : {};
    const shown = await this.desk.post<Tested>("/api/scenarios/accept", { files, ...one });
    const difference = shown.accept?.difference ?? [];
    const left = shown.accept?.left ?? [];
    if (!difference.length) {
      this.desk.say(left.map((each) => each.message).join("; ") || "There is nothing to accept.", left.length > 0);
      return;
    }
    const sure = await ask("Accept the new result", [
      el("p", {}, "These expectations will be written. Accept them only if the rules are right and the scenario was wrong."),
      el("div", { class: "story difference" }, ...difference.map((each) => el("div", { class: sign(each) }, each))),
      ...left.map((each) => el("p", { class: "warn" }, each.message)),
    ], [["write", "Write them"], ["no", "Cancel"]]);
    if (sure !== "write") return;
    await this.desk.post<Tested>("/api/scenarios/accept", { files, ...one, write: true });
    this.desk.say(`Written: ${files.join(", ")}`);
    await this.run();
  }

  close(): void {
    this.asking.stop();
    this.unsaved.close();
    for (const each of this.leave) each();
  }
}

/** An outcome as people read it: whatever keeps a scenario from passing, it failed. */
function worded(outcome: string): string {
  return outcome === "wrong" ? "failed" : outcome.replace("_", " ");
}

function sign(line: string): string | undefined {
  const found = /^\s*\d+ ([-+])/.exec(line)?.[1];
  return found === "-" ? "gone" : found === "+" ? "come" : undefined;
}

export const pane: Pane = {
  name: "scenarios",
  title: "Scenarios",
  open: (host: HTMLElement, desk: Desk): Open => new ScenariosPane(host, desk),
};
