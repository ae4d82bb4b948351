import type { Desk, Edit, Key, Open, Pane, Place } from "../desk";
import { Problem } from "../desk";
import { Asking } from "../asking";
import { closeUp, scene as drawnScene, thumbnail } from "../drawing";
import { ask, button, type Child, coded, el, fill, when } from "../elements";
import { Unsaved } from "../unsaved";
import { ReturnedPlays, told } from "./returned";

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

interface Scene {
  readonly file: string;
  readonly name: string;
  readonly procedure: string;
  readonly title: string;
  readonly with: Readonly<Record<string, unknown>>;
  readonly boards: readonly { readonly board: string; readonly begins: string; readonly ends: string }[];
  readonly told: readonly string[];
}

const SIGNS: Readonly<Record<Result["outcome"], readonly [sign: string, says: string, look: string]>> = {
  passed: ["✓", "passes", "good"],
  failed: ["≠", "differs", "bad"],
  wrong: ["≠", "differs", "bad"],
  skipped: ["–", "skipped", "grey"],
  only_played: ["▷", "only played", "grey"],
};
const MOST_TOLD = 60;
const LONGEST = 300;
/** The shape of the frame of a board, its width by its height. */
const SHAPE = 1.4;
/** So many letters of what a remedy writes stand on its button. */
const MOST_SAID = 40;
/** So many scenarios of a ruleset are drawn ahead; of more each is when it is chosen. */
const MOST_DRAWN = 60;

type Filter = "all" | "differ" | "played";

/** The scenarios of a ruleset: played on demand and whenever something was saved; the chosen one with its boards and its story. */
class ScenariosPane implements Open {
  readonly keys: readonly Key[] = [
    { keys: "r", says: "Play the scenarios", run: () => void this.run() },
    { keys: "j", says: "The next scenario", run: () => this.step(1) },
    { keys: "k", says: "The scenario before", run: () => this.step(-1) },
    { keys: "a", says: "Accept what the chosen scenario gives now", run: () => this.acceptChosen() },
  ];
  private readonly name = el("input", { type: "search", label: "Only scenarios with this in their name", placeholder: "name" });
  private readonly onSave = el("input", { type: "checkbox", checked: true });
  private readonly sum = el("div", { class: "scenes-counts" });
  private readonly filters = el("div", { class: "seg", role: "group", label: "Which scenarios" });
  private readonly list = el("div", {});
  private readonly cameBack = el("div", {});
  private readonly returned: ReturnedPlays;
  private readonly shown = el("section", { class: "scene", label: "The chosen scenario" });
  private readonly go = button("Play the scenarios", () => void this.run(), { primary: true, title: "Key r" });
  private chosen = "";
  /** A file whose scenario is chosen once it was played. */
  private awaited = "";
  private filter: Filter = "all";
  private tested: Tested | null = null;
  private readonly scenes = new Map<string, Scene>();
  private stale = false;
  private readonly asking: Asking;
  private readonly unsaved: Unsaved;
  private readonly leave: (() => void)[];

  constructor(
    private readonly host: HTMLElement,
    private readonly desk: Desk,
  ) {
    this.asking = new Asking(desk, "Playing the scenarios", LONGEST);
    this.returned = new ReturnedPlays(desk, {
      chosen: () => this.chosen,
      choose: (key) => { this.chosen = key; this.draw(); },
      drawn: () => this.draw(),
      kept: (file) => { this.awaited = file; void this.run(); },
    });
    this.unsaved = new Unsaved(desk, "These are the results of the saved text", { says: "Save and play", run: () => { if (this.stale) void this.run(); } });
    fill(host,
      this.unsaved.note, this.asking.bar,
      el("div", { class: "scenes" },
        el("section", { class: "scenes-list", label: "All scenarios" },
          el("div", { class: "scenes-head" }, el("h2", {}, "Scenarios"), this.go),
          this.sum,
          el("div", { class: "scenes-find" }, this.filters, this.name, el("label", { class: "field" }, this.onSave, el("span", {}, "Play them after each save"))),
          el("p", { class: "scenes-open" }, button("Open plays that came back…", () => this.open(), { class: "more", title: "Or drop their files anywhere on the workbench" })),
          this.cameBack, this.list),
        this.shown));
    this.name.addEventListener("input", () => this.draw());
    const changed = (): void => {
      this.stale = true;
      if (this.onSave.checked) void this.run();
      void this.returned.replay();
    };
    this.leave = [
      desk.on("ruleset", () => { this.returned.clear(); this.tested = null; this.chosen = ""; this.name.value = ""; void this.run(); }),
      desk.on("saved", changed),
      desk.on("unsaved", () => this.draw()),
      desk.on("changed", changed),
    ];
    void this.run();
  }

  front(): void {
    if (this.stale && this.onSave.checked) void this.run();
    else void this.look();
  }

  /** Lets somebody choose files of plays that came back. */
  private open(): void {
    const chosen = el("input", { type: "file", accept: ".json,application/json", multiple: true });
    chosen.addEventListener("change", () => void this.returned.take([...(chosen.files ?? [])]));
    chosen.click();
  }

  show(place?: Place): void {
    if (place?.returned) void this.returned.take(place.returned);
    if (place?.name) {
      this.filter = "all";
      this.chosen = `${place.path ?? ""}\n${place.name}`;
      if (this.tested && !this.tested.results.some((each) => keyOf(each) === this.chosen)) {
        const like = this.tested.results.find((each) => each.name === place.name) ?? this.tested.results.find((each) => each.name.startsWith(place.name ?? ""));
        if (like) this.chosen = keyOf(like);
      }
    }
    this.draw();
    this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  /** The next or last scenario of the list is chosen. */
  private step(by: number): void {
    const rows = [...this.cameBack.querySelectorAll<HTMLElement>(".scene-row"), ...this.list.querySelectorAll<HTMLElement>(".scene-row")];
    const at = rows.findIndex((each) => each.getAttribute("aria-current"));
    rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.click();
  }

  private acceptChosen(): void {
    const found = this.tested?.results.find((each) => keyOf(each) === this.chosen);
    if (found && isAcceptable(found)) void this.accept([found]);
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
      fill(this.filters);
      fill(this.sum);
      fill(this.shown, this.desk.ruleset === null ? el("p", {}, "There is no ruleset here yet.") : el("div", { class: "card" }, el("h3", {}, "No scenario plays this ruleset yet"), el("p", {}, "Put the pieces where the play begins, play it, and keep the play as a scenario. It is played anew whenever you save, and you see at once what a change does to it."), button("Play it", () => this.desk.go("play"), { primary: true })));
      return;
    }
    this.list.setAttribute("aria-busy", "true");
    try {
      const found = await this.asking.run((signal, asking) => this.desk.ask<Tested>("scenarios/run", { files, asking }, signal));
      if (found === null) return; // stopped, or asked again
      this.tested = found;
      this.scenes.clear();
      const differs = found.results.filter((each) => each.outcome === "failed" || each.outcome === "wrong");
      if (differs[0] && !this.returned.has(this.chosen) && !differs.some((each) => keyOf(each) === this.chosen)) this.chosen = keyOf(differs[0]);
      this.draw();
      if (this.host.hidden) this.desk.say(`Scenarios: ${this.counted()}.`);
      void this.look();
      this.desk.tell("tested", found.counts.failed + found.counts.wrong);
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      this.tested = null;
      this.desk.tell("tested", null);
      fill(this.list);
      fill(this.sum);
      fill(this.shown, el("div", { class: "card scene-wrong", role: "alert" }, el("h3", {}, "The scenarios cannot be played"), ...fault.message.split("\n").map((each) => el("p", {}, ...coded(each)))));
    } finally {
      if (!this.asking.isUnderWay) this.list.removeAttribute("aria-busy");
    }
  }

  private counted(): string {
    const told = new Map<string, number>();
    for (const [outcome, number] of Object.entries(this.tested?.counts ?? {})) {
      const like = outcome === "wrong" ? "failed" : outcome;
      told.set(like, (told.get(like) ?? 0) + number);
    }
    return [...told].filter(([, number]) => number).map(([outcome, number]) => worded(outcome, number)).join(", ") || "no scenario was played";
  }

  /** Draws the boards: of all scenarios where they are few, else of the chosen one. */
  private async look(): Promise<void> {
    const tested = this.tested;
    if (!tested || this.host.hidden) return;
    const chosen = tested.results.find((each) => keyOf(each) === this.chosen);
    const few = tested.results.length <= MOST_DRAWN;
    const wanted = few ? [...new Set(tested.results.map((each) => each.file))].map((file) => ({ file })) : chosen ? [{ file: chosen.file, name: chosen.name }] : [];
    const lacking = wanted.filter((each) => !("name" in each ? this.scenes.has(`${each.file}\n${each.name}`) : [...this.scenes.values()].some((one) => one.file === each.file)));
    for (const each of lacking) {
      const found = await this.desk.ask<{ scenes: readonly Scene[] }>("scenarios/scenes", each).catch((fault: unknown) => { if (fault instanceof Problem) return { scenes: [] }; throw fault; });
      if (this.tested !== tested) return;
      for (const one of found.scenes) this.scenes.set(keyOf(one), one);
    }
    if (lacking.length) this.draw();
  }

  private draw(): void {
    const tested = this.tested;
    const made = tested?.results.find((each) => each.file === this.awaited);
    if (made) [this.chosen, this.awaited] = [keyOf(made), ""];
    fill(this.cameBack, this.returned.rows());
    const scene = this.returned.scene(this.chosen);
    if (scene) fill(this.shown, ...scene);
    if (!tested) return;
    const wanted = this.name.value.toLowerCase();
    const differs = (each: Result): boolean => each.outcome === "failed" || each.outcome === "wrong";
    const fits: Readonly<Record<Filter, (each: Result) => boolean>> = { all: () => true, differ: differs, played: (each) => each.outcome === "only_played" };
    const shown = tested.results.filter((each) => each.name.toLowerCase().includes(wanted) && fits[this.filter](each));
    const known = tested.results.some((each) => keyOf(each) === this.chosen);
    if (!known && !scene) this.chosen = keyOf(tested.results.find(differs) ?? tested.results[0] ?? { file: "", name: "" });
    const { failed, wrong, passed, skipped, only_played: played } = tested.counts;
    const counts: (readonly [number, string, string])[] = [[failed + wrong, failed + wrong === 1 ? "≠ 1 differs" : `≠ ${failed + wrong} differ`, "bad"], [passed, `✓ ${passed} ${passed === 1 ? "passes" : "pass"}`, "good"], [skipped, `– ${skipped} skipped`, "grey"], [played, `▷ ${played} only played`, "grey"]];
    const accepts = tested.results.filter(isAcceptable);
    fill(this.sum, ...counts.filter(([number]) => number).map(([, says, look]) => el("span", { class: look }, says)),
      accepts.length > 1 ? button(`Accept all ${accepts.length}…`, () => void this.accept(accepts), { class: "more" }) : null);
    const filters: (readonly [Filter, string])[] = [["all", `All ${tested.results.length}`], ["differ", "Differ"], ...(played ? [["played", "Only played"] as const] : [])];
    fill(this.filters, ...filters.map(([filter, says]) => button(says, () => { this.filter = filter; this.draw(); this.filters.querySelector<HTMLElement>("[aria-pressed=true]")?.focus(); }, { "aria-pressed": String(this.filter === filter) })));
    const held = document.activeElement?.closest(".scene-row") !== null && this.list.contains(document.activeElement);
    const groups = new Map<string, Result[]>();
    for (const each of shown) {
      const group = each.outcome === "only_played" ? "Only played" : groupOf(each, tested.results);
      groups.set(group, [...(groups.get(group) ?? []), each]);
    }
    fill(this.list, ...[...groups].map(([group, own]) => el("div", {}, el("h3", { class: "scenes-group" }, group), el("ul", { class: "scenes-rows scenarios" }, ...own.map((each) => this.row(each))))));
    if (!shown.length) fill(this.list, el("p", { class: "faint" }, this.filter === "differ" ? "No scenario differs." : "No scenario has this in its name."));
    if (held) this.list.querySelector<HTMLElement>("[aria-current]")?.focus();
    const chosen = tested.results.find((each) => keyOf(each) === this.chosen);
    if (chosen) fill(this.shown, ...this.scene(chosen));
  }

  private row(result: Result): HTMLLIElement {
    const [sign, says, look] = SIGNS[result.outcome];
    const scene = this.scenes.get(keyOf(result));
    const board = scene?.boards[0];
    const isDrawn = (this.tested?.results.length ?? 0) <= MOST_DRAWN;
    const isBoardless = !isDrawn || (this.scenes.size > 0 && [...this.scenes.values()].every((each) => !each.boards.length));
    const thumb = isBoardless ? null : el("span", { class: "thumb", "aria-hidden": "true" }, board ? thumbnail(board.begins, "") : null);
    const made = el("button", { type: "button", class: isBoardless ? "scene-row boardless" : "scene-row", "aria-current": keyOf(result) === this.chosen ? "true" : undefined },
      thumb, el("span", {}, el("strong", {}, lastPart(result.name)), el("small", {}, about(result, scene))),
      el("span", { class: `scene-sign outcome ${result.outcome} ${look}` }, sign, el("span", { class: look === "good" ? "sr" : undefined }, ` ${says}`)));
    made.addEventListener("click", () => {
      this.chosen = keyOf(result);
      this.draw();
      void this.look();
    });
    return el("li", {}, made);
  }

  /** The chosen scenario: where it begins and ends, what is expected and what comes, what can be done, what happened. */
  private scene(result: Result): Child[] {
    const scene = this.scenes.get(keyOf(result));
    const [sign, says, look] = SIGNS[result.outcome];
    const { play } = result;
    const failing = result.outcome === "failed" || result.outcome === "wrong";
    const when_ = play && play.of > 1 ? `In play ${play.number} of ${play.of}${play.seed === null ? "" : `, seed ${play.seed}`}.` : "";
    const [board, ...boards] = scene?.boards ?? [];
    return [
      el("div", { class: "scene-head" },
        el("div", {}, el("p", { class: `scene-sign ${look}` }, `${sign} ${says}`), el("h2", {}, lastPart(result.name)), el("p", { class: "faint" }, [about(result, scene), when_].filter(Boolean).join(" "))),
        el("div", { class: "row" }, button("Play from here", () => this.desk.go("play", { path: result.file, name: result.name }), { label: `Play from here: ${result.name}` }), this.link(result.file, result.line, "As text"))),
      ...[...(board ? [board] : []), ...boards].map((each) => {
        const drawn = drawnScene(each, `The board where ${result.name} begins`, `The board where ${result.name} ends`);
        closeUp([drawn], Object.values(scene?.with ?? {}).map(String), SHAPE);
        return el("div", { class: "scene-boards" },
          el("section", { class: "card", label: "Begins" }, el("h3", {}, boards.length ? `Begins: ${each.board}` : "Begins"), drawn.begins.host),
          el("section", { class: "card", label: "Ends" }, el("h3", {}, "Ends"), drawn.ends.host));
      }),
      result.misses.length ? el("div", { class: "scene-judged" }, ...result.misses.flatMap((each) => [
        el("div", { class: "card" }, el("p", { class: "eyebrow" }, "You expect"), el("p", { class: "says" }, each.expected), el("p", { class: "of" }, `${each.what} ${each.place} `, each.cell ? this.link(each.cell.file, each.cell.line, `line ${each.cell.line ?? ""}`) : null)),
        el("div", { class: "card got" }, el("p", { class: "eyebrow" }, "You get now"), el("p", { class: "says" }, each.got))])) : null,
      ...(isAcceptable(result) ? result.wrong.map((each) => el("p", {}, ...coded(`${each.message.charAt(0).toUpperCase()}${each.message.slice(1)}. `), "The answer for it ", each.place ? this.link(each.place.file, each.place.line, `in line ${each.place.line ?? ""}`) : null, " goes if this is what you want now.")) : []),
      ...(result.wrong.length && !isAcceptable(result) ? [el("div", { class: "card scene-wrong" }, el("h3", {}, "What is written here does not fit the play any more"), ...result.wrong.map((each) => el("p", {}, el("span", { class: "bad" }, ...coded(each.message)), " ", each.place ? this.link(each.place.file, each.place.line) : null, each.help ? el("span", { class: "faint" }, ...coded(`  ${each.help}`)) : null, " ", this.remedy(each))))] : []),
      failing ? el("div", { class: "scene-answers", role: "group", label: "What to do" },
        isAcceptable(result) ? button("This is what I want now…", () => void this.accept([result]), { primary: true, class: "big" }) : null,
        button("Undo the edit…", () => void this.undo(), { class: "big" }),
        button("Try another die", () => this.desk.go("play", { path: result.file, name: result.name }), { class: "big quiet" })) : null,
      result.outcome === "only_played" ? el("p", { class: "faint" }, "It expects nothing, so there is nothing to judge. Write the result you want, or play on from here.") : null,
      result.skip ? el("p", { class: "faint" }, `Skipped: ${result.skip}`) : null,
      this.story(result, scene),
      el("div", { class: "row" },
        result.differs ? this.link(result.differs.file, result.differs.line, `It differs at ${result.differs.file}:${result.differs.line}`) : null,
        result.fault ? this.link(result.fault.file, result.fault.line, `The fault is at ${result.fault.file}:${result.fault.line}`) : null),
    ];
  }

  private story(result: Result, scene: Scene | undefined): HTMLElement | null {
    const own = result.told.length > 0;
    const every = own ? result.told : scene?.told ?? [];
    if (!every.length) return null;
    const lines = every.slice(own ? -MOST_TOLD : 0, own ? undefined : MOST_TOLD);
    const left = every.length - lines.length;
    return el("section", { class: "card", label: "What happened" },
      el("h3", {}, own && result.goes_on ? "What happened, up to where it differs" : "What happened"),
      own && left ? el("p", { class: "faint" }, `First ${left} more lines, through ${result.path.join(", ")}.`) : null,
      el("ol", { class: "scene-told game" }, ...lines.map((each, at) => told(each, own && at === lines.length - 1 && (result.goes_on || result.differs !== null)))),
      !own && left ? el("p", { class: "faint" }, `and ${left} more lines`) : null);
  }

  /** Puts back what the rules were before the last save, shown first. */
  private async undo(): Promise<void> {
    const { desk } = this;
    const { saves } = await desk.ask<{ saves: readonly { readonly path: string; readonly at: number }[] }>("compare/sides", { path: desk.ruleset, tab: desk.tab });
    const last = saves.find((each) => each.path.endsWith(".rules"));
    if (!last) {
      desk.say("The workbench has kept no earlier text of these rules. Compare with a commit to see what changed.", true);
      return;
    }
    const { before, now, version } = await desk.ask<{ before: string; now: string; version: string }>("compare/earlier", { path: last.path, at: String(last.at) });
    const sure = await ask("Undo the edit", [
      el("p", {}, `This puts back the text of ${last.path} from before it was saved ${when(last.at)}.`),
      el("div", { class: "story difference" }, ...changed(before, now).map(([sign, line]) => el("div", { class: sign === "-" ? "gone" : "come" }, `${sign} ${line}`))),
    ], [["undo", "Put it back"], ["no", "Cancel"]]);
    if (sure !== "undo") return;
    await desk.write(last.path, before, version);
    desk.say(`${last.path} is as it was before.`);
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

  private async accept(results: readonly Result[]): Promise<void> {
    const files = [...new Set(results.map((each) => each.file))];
    const one = results.length === 1 ? { name: results[0]?.name } : {};
    const shown = await this.desk.ask<Tested>("scenarios/accept", { files, ...one });
    const difference = shown.accept?.difference ?? [];
    const left = shown.accept?.left ?? [];
    if (!difference.length) {
      this.desk.say(left.map((each) => each.message).join("; ") || "There is nothing to accept.", left.length > 0);
      return;
    }
    const sure = await ask("Accept the new result", [
      el("p", {}, "These lines will change. Accept them only if the rules are right and the scenario was wrong."),
      el("div", { class: "story difference" }, ...difference.map((each) => el("div", { class: sign(each) }, each))),
      ...left.map((each) => el("p", { class: "warn" }, each.message)),
    ], [["write", "Write them"], ["no", "Cancel"]]);
    if (sure !== "write") return;
    await this.desk.ask<Tested>("scenarios/accept", { files, ...one, write: true });
    this.desk.say(`Written: ${files.join(", ")}`);
    await this.run();
  }

  close(): void {
    this.asking.stop();
    this.unsaved.close();
    for (const each of this.leave) each();
  }
}

/** How many scenarios have an outcome, as people read it: whatever keeps a scenario from passing, it differs. */
function worded(outcome: string, number: number): string {
  const says: Readonly<Record<string, string>> = { passed: number === 1 ? "passes" : "pass", failed: number === 1 ? "differs" : "differ" };
  return `${number} ${says[outcome] ?? outcome.replace("_", " ")}`;
}

/** What is wrong with an answer that nothing asks for any more. */
const UNASKED = "RW0743";

/** Whether what a scenario gives now can be accepted, without the answers that nothing asks for. */
function isAcceptable({ outcome, wrong }: Result): boolean {
  return outcome === "failed" || (outcome === "wrong" && wrong.length > 0 && wrong.every((each) => each.code === UNASKED));
}

function keyOf({ file, name }: { readonly file: string; readonly name: string }): string {
  return `${file}\n${name}`;
}

function lastPart(name: string): string {
  return name.split(" / ").at(-1) ?? name;
}

/** What scenarios stand under: the one whose cases they are, else their file where there are several. */
function groupOf(result: Result, every: readonly Result[]): string {
  const [first, ...more] = result.name.split(" / ");
  if (more.length && first) return first;
  const files = new Set(every.map((each) => each.file));
  return files.size > 1 ? result.file : "The scenarios";
}

/** What a scenario is about, in a line. */
function about(result: Result, scene: Scene | undefined): string {
  const cast = Object.entries(scene?.with ?? {}).filter(([, each]) => each !== null && typeof each !== "object").map(([role, each]) => `${role.replaceAll("_", " ")} ${String(each).replaceAll("_", " ")}`);
  const title = scene ? scene.title || scene.procedure.replaceAll("_", " ") : "";
  return [title, cast.join(", ")].filter(Boolean).join(": ") || (result.covers.length ? `Covers ${result.covers.join(", ")}` : result.file);
}

/** The lines of two texts that differ, between what both begin and end with. */
function changed(before: string, now: string): (readonly ["-" | "+", string])[] {
  const [was, is] = [before.split("\n"), now.split("\n")];
  let first = 0;
  while (first < was.length && was[first] === is[first]) first += 1;
  let last = 0;
  while (last < was.length - first && last < is.length - first && was.at(-1 - last) === is.at(-1 - last)) last += 1;
  return [...is.slice(first, is.length - last).map((each) => ["-", each] as const), ...was.slice(first, was.length - last).map((each) => ["+", each] as const)];
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
