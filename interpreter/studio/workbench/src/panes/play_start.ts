/** What a play begins with: a scenario, or a procedure with a state; seed, dice, readings, overlays. */
import type { Desk, Place } from "../desk";
import { Problem } from "../desk";
import { thumbnail } from "../drawing";
import { button, coded, el, fill, when, type Child } from "../elements";

export interface Begins {
  readonly path?: string;
  readonly name?: string;
  readonly state?: string;
  readonly roles?: Readonly<Record<string, string>>;
  readonly readings?: Readonly<Record<string, string>>;
  readonly overlays?: readonly string[];
  readonly seed?: number | null;
  readonly dice?: "ask" | null;
  readonly scripted?: boolean;
  readonly load?: string;
  /** A starter that is played as it comes, without a copy. */
  readonly source?: string;
}

/** A play that is kept, how many answers it has, when it was changed last, in seconds since 1970, and whether it is over. */
export interface Kept {
  readonly id: string;
  readonly begins: Begins;
  readonly answers: number;
  readonly at: number;
  readonly over: boolean;
}

interface Choices {
  readonly title: string;
  readonly procedures: readonly {
    readonly name: string;
    readonly title: string;
    readonly roles: readonly { readonly name: string; readonly type: string; readonly fits: readonly string[]; readonly optional: boolean }[];
  }[];
  readonly readings: readonly { readonly name: string; readonly title: string; readonly value: string; readonly values: readonly string[] }[];
  readonly scenarios: readonly { readonly file: string; readonly cases: readonly string[]; readonly refused: readonly string[]; readonly procedures: Readonly<Record<string, string>> }[];
}

const MOST_POSITIONS = 24;
/** So many scenarios of a file are drawn on their cards. */
const MOST_DRAWN = 40;
const NONE: Choices = { title: "", procedures: [], readings: [], scenarios: [] };

function options(values: readonly (readonly [string, string])[]): HTMLOptionElement[] {
  return values.map(([value, says]) => el("option", { value }, says));
}

function field(says: string, ...inputs: Child[]): HTMLElement {
  return el("label", { class: "field" }, el("span", {}, says), ...inputs);
}

export class StartOfPlay {
  readonly host: HTMLElement;
  private readonly sort = el("select", {}, ...options([["scenario", "a scenario"], ["procedure", "a procedure and a state"], ["load", "a saved play"]]));
  private readonly file = el("select", {});
  private readonly scenario = el("select", {});
  private readonly procedure = el("select", {});
  private readonly state = el("select", {});
  private readonly load = el("select", {});
  private readonly roles = el("div", { class: "row" });
  private readonly readings = el("div", { class: "row" });
  private readonly overlays = el("div", { class: "row" });
  private readonly seed = el("input", { type: "number", min: 0, placeholder: "any", size: 8 });
  private readonly dice = el("select", {}, ...options([["ask", "you roll or set each"], ["", "fall by themselves"]]));
  private readonly scripted = el("input", { type: "checkbox" });
  private readonly choosing = el("div", { class: "row" }, el("span", { class: "faint" }, "Loading …"));
  private readonly kept = el("div", { class: "kept-plays" });
  private readonly positions = el("div", { class: "positions" });
  private readonly wrong = el("p", { class: "bad" });
  private readonly go = el("button", { type: "submit", class: "primary", disabled: true }, "Play");
  private choices: Choices = NONE;
  private asked = new AbortController();
  private readonly start: (begins: Begins) => Promise<void>;

  constructor(
    private readonly desk: Desk,
    begin: (begins: Begins) => Promise<void>,
    private readonly open: (id: string) => Promise<void>,
    private readonly end: (id: string) => Promise<void>,
    putUp: () => void,
  ) {
    const form = el("form", {
      on: {
        submit: (event) => {
          event.preventDefault();
          fill(this.wrong);
          this.go.disabled = true;
          void begin(this.begins()).catch((fault: unknown) => this.refused(fault)).finally(() => this.ready());
        },
      },
    },
      el("div", { class: "row" }, field("Begin with", this.sort), this.choosing, this.go),
      this.wrong,
      el("details", {}, el("summary", {}, "Dice, readings, overlays"),
        el("div", { class: "row" }, field("Dice", this.dice), field("Seed", this.seed), el("label", { class: "field" }, this.scripted, el("span", {}, "The scenario's script answers first"))),
        this.readings, this.overlays),
    );
    this.start = begin;
    this.host = el("section", { class: "card play-start", label: "Begin a play" }, el("div", { class: "row between" }, el("h2", {}, "Begin a play"), button("Put up a position…", putUp)), this.positions, form, this.kept);
    this.sort.addEventListener("change", () => this.chosen());
    this.file.addEventListener("change", () => this.cases());
    this.procedure.addEventListener("change", () => this.asks());
    this.state.addEventListener("change", () => void this.fill());
  }

  fold(): void {
    this.host.hidden = true;
  }

  unfold(): void {
    this.host.hidden = false;
  }

  toggle(): void {
    this.host.hidden = !this.host.hidden;
  }

  get isOpen(): boolean {
    return !this.host.hidden;
  }

  private refused(fault: unknown): void {
    if (!(fault instanceof Problem)) throw fault;
    fill(this.wrong, ...coded(fault.message));
    this.unfold();
  }

  /** Whether there is anything to play. */
  get offers(): boolean {
    return this.choices !== NONE;
  }

  private get path(): string | null {
    return this.desk.ruleset;
  }

  /** Asks what of the ruleset can be played. */
  async fill(): Promise<void> {
    this.files();
    this.asked.abort();
    const own = (this.asked = new AbortController());
    if (this.path === null) {
      this.choices = NONE;
      fill(this.wrong, "There is no ruleset here yet; the pane Start makes one.");
      return;
    }
    fill(this.wrong);
    const state = this.sort.value === "procedure" && this.state.value ? { state: this.state.value } : {};
    try {
      this.choices = await this.desk.ask<Choices>("play/choices", { path: this.path, ...state }, own.signal);
    } catch (fault) {
      if (own.signal.aborted) return;
      this.choices = NONE;
      this.refused(fault);
    }
    this.offered();
  }

  private offered(): void {
    const { procedures, scenarios, readings } = this.choices;
    const [file, procedure] = [this.file.value, this.procedure.value];
    fill(this.file, ...options(scenarios.filter((each) => each.cases.length).map((each) => [each.file, each.file])));
    fill(this.procedure, ...options(procedures.map((each) => [each.name, each.title ? `${each.title} (${each.name})` : each.name])));
    if (scenarios.some((each) => each.file === file)) this.file.value = file;
    if (procedures.some((each) => each.name === procedure)) this.procedure.value = procedure;
    fill(this.readings, ...readings.map((each) => field(each.title || each.name, each.values.length
      ? el("select", { name: each.name }, ...options([["", `${each.value} (default)`], ...each.values.filter((one) => one !== each.value).map((one) => [one, one] as const)]))
      : el("input", { name: each.name, type: "text", placeholder: each.value, size: 8 }))));
    if (!scenarios.length && this.sort.value === "scenario" && procedures.length) this.sort.value = "procedure";
    this.chosen();
    this.offer();
  }

  /** The positions of scenarios, each of them a press away. */
  private offer(): void {
    const files = this.choices.scenarios.filter((each) => each.cases.length);
    const shown = files.flatMap((file) => file.cases.filter((each) => !file.refused.includes(each)).map((name) => ({ file: file.file, name })));
    const cards = new Map<string, HTMLButtonElement>();
    const cases = shown.slice(0, MOST_POSITIONS).map(({ file, name }) => {
      const made = button("", () => void this.start({ ...this.begins("scenario"), path: file, name }).catch((fault: unknown) => this.refused(fault)), { title: file });
      const parts = name.split(" / ");
      fill(made, el("span", {}, parts.length > 1 ? el("small", {}, parts.slice(0, -1).join(" / "), el("span", { class: "sr" }, " / ")) : null, el("b", {}, parts.at(-1))));
      cards.set(`${file}\n${name}`, made);
      return el("li", {}, made);
    });
    fill(this.positions, cases.length
      ? el("p", { class: "faint" }, "From the position of a scenario: ", shown.length > cases.length ? `the first ${cases.length} of ${shown.length}; choose any below.` : null)
      : null, cases.length ? el("ul", { class: "list" }, ...cases) : null);
    for (const { file, cases: own } of files) if (own.length <= MOST_DRAWN) void this.picture(file, cards);
  }

  /** Shows on the cards of a file the boards where its scenarios begin. */
  private async picture(file: string, cards: ReadonlyMap<string, HTMLButtonElement>): Promise<void> {
    const found = await this.desk.ask<{ scenes: readonly { readonly name: string; readonly boards: readonly { readonly begins: string }[] }[] }>("scenarios/scenes", { file }).catch((fault: unknown) => {
      if (fault instanceof Problem) return { scenes: [] };
      throw fault;
    });
    for (const { name, boards } of found.scenes) {
      const [board] = boards;
      if (board) cards.get(`${file}\n${name}`)?.prepend(el("span", { class: "thumb", "aria-hidden": "true" }, thumbnail(board.begins, "")));
    }
  }

  /** What lies in the folder: states, kept plays, files that may amend the ruleset. */
  files(): void {
    const [state, load] = [this.state.value, this.load.value];
    const folder = (this.path ?? "").slice(0, (this.path ?? "").lastIndexOf("/") + 1);
    const beside = this.desk.files.filter((each) => each.path.startsWith(folder) && (each.ruleset === this.path || each.ruleset === null));
    const states = beside.filter((each) => each.sort === "state" || (each.sort === "other" && /\.ya?ml$/.test(each.path)));
    fill(this.state, ...options([["", "choose a state"], ...states.map((each) => [each.path, each.path] as const)]));
    fill(this.load, ...options(this.desk.files.filter((each) => each.path.endsWith(".save.json")).map((each) => [each.path, each.path])));
    this.state.value = states.some((each) => each.path === state) ? state : "";
    if (load) this.load.value = load;
    this.ready();
    const texts = this.desk.files.filter((each) => each.sort === "rules" && each.ruleset === this.path && each.path !== this.path);
    fill(this.overlays, texts.length ? el("details", {}, el("summary", {}, "Overlays that amend the ruleset"), ...texts.map((each) =>
      el("label", { class: "choice" }, el("input", { type: "checkbox", value: each.path }), el("span", {}, each.path)))) : null);
  }

  private chosen(): void {
    const parts: Record<string, Child[]> = {
      scenario: [field("File", this.file), field("Scenario", this.scenario)],
      procedure: [field("Procedure", this.procedure), field("State", this.state), this.roles],
      load: [field("File", this.load)],
    };
    fill(this.choosing, ...(parts[this.sort.value] ?? []));
    this.cases();
    this.asks();
  }

  private cases(): void {
    const found = this.choices.scenarios.find((each) => each.file === this.file.value);
    const before = this.scenario.value;
    fill(this.scenario, ...options((found?.cases ?? []).map((each) => [each, each])));
    const begins = found?.cases.includes(before) ? before : found?.cases.find((each) => !found.refused.includes(each));
    if (begins !== undefined) this.scenario.value = begins;
    this.ready();
  }

  /** A play can begin once it is known with what. */
  private ready(): void {
    const chosen = { scenario: this.scenario, procedure: this.procedure, load: this.load }[this.sort.value];
    this.go.disabled = !chosen?.value;
  }

  private asks(): void {
    const found = this.choices.procedures.find((each) => each.name === this.procedure.value);
    fill(this.roles, ...(found?.roles ?? []).map((each) => {
      const left = each.optional ? [["", "left out"] as const] : [];
      return field(each.name, each.fits.length
        ? el("select", { name: each.name }, ...options([...left, ...each.fits.map((one) => [one, one] as const)]))
        : el("input", { name: each.name, type: "text", placeholder: each.type, size: 10 }));
    }));
  }

  begins(sort = this.sort.value): Begins {
    const named = (host: HTMLElement): Record<string, string> => Object.fromEntries(
      [...host.querySelectorAll<HTMLSelectElement | HTMLInputElement>("[name]")].filter((each) => each.value).map((each) => [each.name, each.value]));
    const overlays = [...this.overlays.querySelectorAll<HTMLInputElement>("input:checked")].map((each) => each.value);
    const shared = { readings: named(this.readings), overlays, seed: this.seed.value ? Number(this.seed.value) : null, dice: this.dice.value === "ask" ? "ask" as const : null };
    switch (sort) {
      case "load": return { load: this.load.value };
      case "procedure": return { path: this.path ?? "", name: this.procedure.value, ...(this.state.value ? { state: this.state.value } : {}), roles: named(this.roles), ...shared };
      default: return { path: this.file.value, name: this.scenario.value, scripted: this.scripted.checked, ...shared };
    }
  }

  /**
   * What another pane points to: a scenario, which begins at once, or a procedure. A procedure begins as the first scenario
   * that begins with it does; without one, with the first state of the folder, once its roles are chosen.
   */
  async choose(place: Place): Promise<Begins | null> {
    const own = this.desk.files.find((each) => each.path === place.path)?.ruleset;
    if (own && place.path?.endsWith(".scenario.yaml") && place.name) return { path: place.path, name: place.name, scripted: false, dice: "ask" };
    if (own) this.desk.choose(own);
    await this.fill();
    const [only] = this.choices.scenarios.find((each) => each.file === place.path)?.cases ?? [];
    if (place.path && only !== undefined) return { path: place.path, name: place.name ?? only, scripted: false, dice: "ask" };
    const procedure = place.address?.split("/")[0] ?? "";
    for (const each of this.choices.scenarios) {
      const name = each.cases.find((one) => each.procedures[one] === procedure && !each.refused.includes(one));
      if (name !== undefined) return { path: each.file, name, scripted: false, dice: "ask" };
    }
    this.sort.value = "procedure";
    const states = [...this.state.options].map((each) => each.value).filter(Boolean);
    const first = states.find((each) => /\bstate\b[^/]*$/.test(each));
    if (!this.state.value && first !== undefined) {
      this.state.value = first;
      await this.fill();
    }
    if (procedure) this.procedure.value = procedure;
    this.chosen();
    if (procedure && !states.length) fill(this.wrong, ...coded(`No scenario begins with \`${procedure}\`, and this folder has no state to begin with. Write a file that ends in \`.state.yaml\`, or a scenario.`));
    this.unfold();
    return null;
  }

  /** The plays that are kept, to go on with or to end; those that are over, to look at or to put away. */
  plays(plays: readonly Kept[]): void {
    fill(this.kept,
      this.listed("Plays that are not over", plays.filter((each) => !each.over), "Go on", "End"),
      this.listed("Plays that are over", plays.filter((each) => each.over), "Look", "Remove"));
  }

  private listed(says: string, plays: readonly Kept[], opens: string, ends: string): Child {
    if (!plays.length) return null;
    const rows = plays.map((each) => {
      const { begins } = each;
      const name = begins.load ?? begins.source ?? `${begins.path ?? ""}${begins.name ? `: ${begins.name}` : ""}`;
      const said = `${each.answers} ${each.answers === 1 ? "answer" : "answers"}, ${when(each.at)}`;
      return el("li", { class: "row" },
        button(opens, () => void this.open(each.id).catch((fault: unknown) => this.refused(fault)), { label: `${opens}${opens === "Go on" ? " with" : " at"} ${name}, ${said}` }), el("span", {}, name), el("span", { class: "faint" }, said),
        button(ends, () => void this.end(each.id), { label: `${ends} ${name}, ${said}` }));
    });
    return el("details", { open: plays.length < 4 }, el("summary", {}, `${says}: ${plays.length}`), el("ul", { class: "list" }, ...rows));
  }
}
