/** The pane of odds: a question as a sentence, its answer as a headline, a chart and numbers, and what one would ask next. */
import { Asking } from "../asking";
import { askedShares, bar, columns, type Column, download, type Drawing, grid, legend, mark, narrow, painted, pieces, piled, singles, stacks, standing, told } from "../charts";
import { type Desk, type Open, type Pane, Problem } from "../desk";
import { thumbnail } from "../drawing";
import { ask, button, choice, coded, el, fill, reveal } from "../elements";
import { named } from "../fields";
import { filed } from "../names";
import { HALF, shaded, tones, UNKNOWN } from "../outcomes";
import { NEVER, percent, said, STYLES, type Share, type Style, sum } from "../shares";
import { Unsaved } from "../unsaved";
import { type Answer, headline, type Measured, read, type Written } from "./odds_answer";
import { type Asked, type Choices, Question, worthSaid } from "./odds_question";

interface Answered {
  readonly answer: Written;
  readonly remarks: string;
}

interface Scenes {
  readonly scenes: readonly { readonly name: string; readonly boards: readonly { readonly begins: string }[] }[];
}

type Begins = Readonly<Record<string, unknown>>;

const LONGEST = 180;
const STATE = "a state";
/** So many moments of play are followed before more is asked for. */
const FOLLOWED = 20_000;
const COUNTED = 10_000;
/** An answer that took less may bring another one of its own accord. */
const SWIFT_MS = 4000;
/** So long nothing is shown of what is awaited. */
const PATIENCE_MS = 250;
const MOST_ROWS = 60;
const MOST_SCRIPTED = 3;

/** How the fields are called, by the options that they stand for. */
const FIELDS = {
  of: "What it is about",
  vary: "What is varied",
  best: "Who plays for the best result",
  known: "Bags and decks whose contents all players know",
  external: "Answers from outside the rules",
  given: "Only plays of which this holds at the end",
  policy: "Where players choose",
  "policy first": "Where players choose: the first legal answer",
  "policy random": "Where players choose: each legal answer as likely as the others",
  most: "Most moments to follow",
  runs: "How many plays",
  set: "readings",
  record: "Keep",
  script: "the script of a scenario",
  "no-script": "Leave out the script",
} as const;

type Layout = "values" | "at-least" | "at-most";
const LAYOUTS: readonly (readonly [Layout, string])[] = [["values", "Each value"], ["at-least", "This or more"], ["at-most", "This or less"]];
const WRITTEN: Readonly<Record<Style, string>> = { fraction: "1/6", percent: "16.7 %", odds: "1 in 6" };

export const pane: Pane = {
  name: "odds",
  title: "Odds",
  open(host: HTMLElement, desk: Desk): Open {
    const shown = new Odds(host, desk);
    let stale = false;
    const look = (): void => {
      stale = Boolean(host.hidden);
      if (!stale) void shown.look();
    };
    const leave = [desk.on("ruleset", look), desk.on("saved", look), desk.on("changed", look)];
    look();
    return {
      keys: [{ keys: "Ctrl+Enter", says: "Work out the odds again", run: () => void shown.ask() }],
      front: () => {
        if (stale) look();
      },
      show: (place) => {
        if (place.path && place.name) void shown.begin(`${place.path}\n${place.name}`);
      },
      close: () => {
        for (const each of leave) each();
        shown.asking.stop();
        shown.unsaved.close();
        fill(host);
      },
    };
  },
};

/** Lines of one sort, each with a field of its own; the last is empty, to be filled. */
class Lines {
  readonly node: HTMLElement;
  private readonly rows = el("div", { class: "lines" });
  private such = "";

  constructor(
    private readonly label: string,
    private readonly known = "",
  ) {
    this.node = el("fieldset", {}, el("legend", {}, label), this.rows);
    this.set([]);
  }

  /** Shows what could be typed, as it stands; pointed at, in which forms. */
  hint(such = "", forms = ""): void {
    this.such = such;
    this.node.title = forms;
    for (const each of this.fields()) each.placeholder = such;
  }

  get values(): string[] {
    return this.fields().map((each) => each.value.trim()).filter(Boolean);
  }

  set(values: readonly string[]): void {
    fill(this.rows, ...[...values, ""].map((each, at) => this.row(each, at)));
  }

  private fields(): HTMLInputElement[] {
    return [...this.rows.querySelectorAll("input")];
  }

  private row(value: string, at: number): HTMLInputElement {
    const field = el("input", { value, list: this.known || undefined, placeholder: this.such, label: at ? `${this.label}, ${at + 1}` : this.label, spellcheck: "false", autocomplete: "off" });
    field.addEventListener("input", () => {
      const all = this.fields();
      if (all.at(-1)?.value && all.length < 8) this.rows.append(this.row("", all.length));
    });
    return field;
  }
}

class Odds {
  readonly asking: Asking;
  /** Rules are read as they are typed, all else as it is saved. */
  readonly unsaved: Unsaved;
  private readonly beside: Asking;
  /** What the ruleset has, and what can be asked of the start that is chosen. */
  private choices: Choices | null = null;
  private near: Choices | null = null;
  /** The ruleset that the choices are of. */
  private about: string | null = null;
  private from = "";
  private state = "";
  private procedure = "";
  private simulated = false;
  private layout: Layout = "values";
  private style: Style = STYLES.find((each) => each === localStorage.getItem("odds-style")) ?? "fraction";
  private answer: Answer | null = null;
  private asked: Asked | null = null;
  private took = 0;
  private most = FOLLOWED;
  private words: (() => Promise<string>) | null = null;
  private remarks = "";
  private turn = 0;
  private readonly question: Question;
  private readonly also = new Lines("Find out at once, too", "odds-measures");
  private readonly given = new Lines(FIELDS.given, "odds-measures");
  private readonly vary = new Lines("Vary, too", "odds-places");
  private readonly best = new Lines(FIELDS.best);
  private readonly deciding = new Lines("How one player chooses");
  private readonly decks = new Lines(FIELDS.known);
  private readonly externals = new Lines(FIELDS.external, "odds-externals");
  private readonly settings = el("div", { class: "row" });
  private readonly stated = el("div", { class: "row stated" });
  private readonly measures = el("datalist", { id: "odds-measures" });
  private readonly places = el("datalist", { id: "odds-places" });
  private readonly elsewhere = el("datalist", { id: "odds-externals" });
  private readonly unscripted = el("input", { type: "checkbox", checked: true });
  private readonly runs = el("input", { type: "number", min: "1", max: "1000000", value: String(COUNTED), label: FIELDS.runs });
  private readonly limit = el("input", { type: "number", min: "1", placeholder: FOLLOWED.toLocaleString("en") });
  private readonly board = el("figure", { class: "odds-board", hidden: true });
  private readonly told = el("div", { class: "odds-answer" });
  private readonly next = el("section", { class: "odds-next", "aria-labelledby": "odds-next", hidden: true });
  private readonly form: HTMLElement;

  constructor(
    host: HTMLElement,
    private readonly desk: Desk,
  ) {
    this.question = new Question(() => this.starts(), () => void this.ask(), (procedure) => void this.beginWith(procedure), () => this.playable());
    const exactly = choice("Worked out", [["exact", "exactly"], ["simulated", "by counting many plays"]], "exact", (value) => {
      this.simulated = value === "simulated";
      this.runs.hidden = !this.simulated;
      void this.ask();
    });
    this.runs.hidden = true;
    const more = el("details", { class: "odds-more" },
      el("summary", {}, "More: best play, readings, dice that a script fixes"),
      el("div", { class: "row" }, exactly, this.runs, el("label", { class: "field" }, el("span", {}, FIELDS.most), this.limit), el("label", { class: "field" }, this.unscripted, el("span", {}, FIELDS["no-script"]))),
      el("div", { class: "columns" }, this.also.node, this.vary.node, this.given.node, this.best.node, this.deciding.node, this.decks.node, this.externals.node),
      this.settings,
      button("Work out the odds", () => void this.ask(), { primary: true }));
    for (const each of [this.unscripted, this.runs, this.limit]) each.addEventListener("change", () => void this.ask());
    this.form = el("form", { class: "card odds-question", label: "A question of odds" },
      el("div", { class: "odds-asks" }, el("div", {}, this.question.node, this.stated, this.question.below), this.board),
      more, this.measures, this.places, this.elsewhere);
    this.form.addEventListener("submit", (event) => { event.preventDefault(); void this.ask(); });
    this.form.hidden = true;
    this.asking = new Asking(desk, "Working it out", LONGEST, { says: "Estimate instead", run: () => this.estimate() });
    this.beside = new Asking(desk, "Working it out", LONGEST);
    this.unsaved = new Unsaved(desk, "The odds begin with the saved scenarios", { says: "Save", run: () => undefined }, (path) => !path.endsWith(".rules"));
    fill(host, el("h2", { class: "sr" }, "Odds"), this.unsaved.note, this.form, this.asking.bar, this.told, this.next);
  }

  /** Asks what can be asked about; then the question that stands there. */
  async look(): Promise<void> {
    const path = this.desk.ruleset;
    if (path === null) {
      this.form.hidden = this.next.hidden = true;
      fill(this.told, el("p", {}, "There is no ruleset in this folder yet."));
      return;
    }
    const other = path !== this.about;
    if (other) {
      this.about = path;
      this.from = this.state = this.procedure = "";
      this.answer = null;
      for (const each of [this.also, this.given, this.vary, this.best, this.deciding, this.decks, this.externals]) each.set([]);
      this.question.forget();
      fill(this.told, outline());
      fill(this.board);
      this.board.hidden = this.next.hidden = true;
    }
    let choices: Choices;
    try {
      choices = await this.desk.ask<Choices>("odds/choices", { path, tab: this.desk.tab });
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      if (path !== this.desk.ruleset) return;
      if (other) this.form.hidden = true;
      this.fails(fault.message);
      return;
    }
    if (path !== this.desk.ruleset) return;
    this.choices = choices;
    this.readings(choices);
    await this.propose(other);
  }

  /** Begins with a scenario: its file and its name, in two lines. */
  async begin(from: string): Promise<void> {
    this.from = from;
    if (this.choices) await this.propose(true);
  }

  private async beginWith(procedure: string): Promise<void> {
    const found = this.every().find((each) => this.playedBy(each) === procedure && !this.refuses(each));
    if (found) await this.begin(found);
  }

  private get scenarios(): Choices["scenarios"] {
    return this.choices?.scenarios.filter((each) => each.cases.length) ?? [];
  }

  private every(): string[] {
    return this.scenarios.flatMap((file) => file.cases.map((each) => `${file.file}\n${each}`));
  }

  private fileOf(from: string): Choices["scenarios"][number] | undefined {
    return this.scenarios.find((each) => each.file === from.split("\n")[0]);
  }

  private playedBy(from: string): string | undefined {
    return this.fileOf(from)?.procedures[from.split("\n")[1] ?? ""];
  }

  private refuses(from: string): boolean {
    return this.fileOf(from)?.refused.includes(from.split("\n")[1] ?? "") ?? false;
  }

  private kept(from: string): { readonly of: readonly string[]; readonly policy: string } | undefined {
    return this.fileOf(from)?.odds[from.split("\n")[1] ?? ""];
  }

  private playable(): string[] {
    if (this.from === STATE) return this.choices?.procedures.map((each) => each.name) ?? [];
    return [...new Set(this.every().filter((each) => !this.refuses(each)).map((each) => this.playedBy(each)).filter((each) => each !== undefined))];
  }

  /** Where the play begins, as a list: kept questions, then what plays the same, then all else. */
  private starts(): HTMLSelectElement {
    const asked = this.every().filter((each) => this.kept(each));
    const option = (each: string): readonly [string, string] => [each, each.split("\n")[1] ?? ""];
    const list = el("select", { label: "Begins as in" },
      ...[["Kept questions", asked.map(option)] as const, ...this.scenarios.map((file) => [file.file, file.cases.map((each) => `${file.file}\n${each}`).filter((each) => !asked.includes(each)).map(option)] as const), ["", [[STATE, "a state file and a procedure"]]] as const]
        .filter(([, each]) => each.length).map(([label, each]) => group(label, each)));
    list.value = this.from;
    list.addEventListener("change", () => void this.begin(list.value));
    return list;
  }

  /** The start to begin with: a kept question, else a scenario whose procedure gives a result. */
  private first(): string {
    const able = this.every().filter((each) => !this.refuses(each));
    const gives = new Set(this.choices?.procedures.filter((each) => each.gives).map((each) => each.name));
    return able.find((each) => this.kept(each)) ?? able.find((each) => gives.has(this.playedBy(each) ?? "")) ?? able[0] ?? STATE;
  }

  private async propose(other: boolean): Promise<void> {
    if (this.from !== STATE && !this.every().includes(this.from)) this.from = this.first();
    const turn = (this.turn += 1);
    if (this.from === STATE) this.states();
    else fill(this.stated);
    const [file = "", name = ""] = this.from.split("\n");
    const asked = this.from === STATE ? { path: this.desk.ruleset, name: this.procedure, ...(this.state ? { state: this.state } : {}) } : { path: file, name };
    if (this.from === STATE && !this.state) {
      this.form.hidden = this.next.hidden = true;
      fill(this.told, this.empty());
      return;
    }
    let near: Choices;
    try {
      near = await this.desk.ask<Choices>("odds/choices", { ...asked, tab: this.desk.tab });
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      if (turn !== this.turn) return;
      this.near ??= this.choices;
      this.form.hidden = false;
      if (this.near) this.question.take({ ...this.near, begins: this.near.begins }, this.from, undefined);
      this.fails(fault.message);
      return;
    }
    if (turn !== this.turn) return;
    this.near = this.from === STATE ? { ...near, begins: { procedure: this.procedure, with: {}, worths: near.measures.flatMap((each) => each.asked) } } : near;
    this.form.hidden = false;
    const begins = this.near.begins;
    this.question.take(this.near, this.from, this.kept(this.from));
    if (other && !this.question.varied.length && begins) this.proposeAxis();
    this.hints(near);
    void this.draw(file, name);
    await this.ask();
  }

  /** What is varied where nobody chose it: the first number of the first who has a role. */
  private proposeAxis(): void {
    const { question } = this;
    const holders = new Set(Object.values(this.near?.begins?.with ?? {}));
    const axis = question.axes().find((each) => each.low !== null && holders.has(each.of));
    if (!axis || !question.procedure?.gives) return;
    question.varies(axis);
    question.show();
  }

  private hints(found: Choices): void {
    const measures = found.measures.flatMap((each) => each.asked.map((one) => [one, each.title] as const));
    const worths = [...measures, ...(this.question.procedure?.gives ? [["result", "the result of the procedure"] as const] : [])];
    fill(this.measures, ...worths.map(([value, says]) => el("option", { value }, says)));
    fill(this.places, ...found.varies.map((value) => el("option", { value })));
    const [player] = found.players;
    const [[worth] = []] = measures;
    this.also.hint(worths[0]?.[0]);
    this.given.hint(worth ? `${worth} > 0` : "");
    this.vary.hint(found.varies[0]);
    this.best.hint(player && worth ? `${player}: ${worth}` : "", "PLAYER: EXPRESSION");
    this.deciding.hint(player ? `${player}=first` : "", "PLAYER=first, or PLAYER/QUESTION=highest EXPRESSION");
    this.decks.hint("", "The name of a bag or deck");
  }

  /** Fields for a state and a procedure, where no scenario says them. */
  private states(): void {
    const choices = this.choices;
    if (!choices) return;
    const folder = (this.desk.ruleset ?? "").replace(/[^/]*$/, "");
    const files = this.desk.files.filter((each) => each.path.startsWith(folder) && (each.sort === "state" || (each.sort === "other" && /\.(ya?ml|json)$/.test(each.path))));
    if (!files.some((each) => each.path === this.state)) this.state = files[0]?.path ?? "";
    if (!choices.procedures.some((each) => each.name === this.procedure)) this.procedure = choices.procedures[0]?.name ?? "";
    const procedures = choice("Procedure", choices.procedures.map((each) => [each.name, each.title || each.name]), this.procedure, (value) => { this.procedure = value; void this.propose(true); });
    const roles = choices.procedures.find((each) => each.name === this.procedure)?.roles ?? [];
    fill(this.stated,
      choice("State", files.map((each) => [each.path, each.path]), this.state, (value) => { this.state = value; void this.propose(true); }),
      procedures,
      ...roles.filter((each) => !each.fits.length).map((each) => {
        const field = el("input", { placeholder: each.type, "data-role": each.name });
        field.addEventListener("change", () => void this.ask());
        return el("label", { class: "field" }, el("span", {}, each.name), field);
      }));
  }

  /** Externals and readings of the ruleset. */
  private readings(choices: Choices): void {
    fill(this.elsewhere, ...choices.externals.map((value) => el("option", { value })));
    this.externals.hint(choices.externals.find((each) => !each.includes("…")));
    this.vary.node.hidden = !choices.varies.length;
    this.externals.node.hidden = !choices.externals.length;
    const before = fields(this.settings, "reading");
    fill(this.settings, ...choices.readings.map((each) => {
      const field = each.values.length
        ? el("select", {}, el("option", { value: "" }, `as it is: ${each.value}`), ...each.values.map((one) => el("option", { value: one }, one)))
        : el("input", { placeholder: each.value });
      field.dataset["reading"] = each.name;
      field.value = before.get(each.name) ?? "";
      field.addEventListener("change", () => void this.ask());
      return el("label", { class: "field" }, el("span", {}, each.title || each.name), field);
    }));
  }

  /** The board of the start, beside the question. */
  private async draw(file: string, name: string): Promise<void> {
    const from = this.from;
    const found = file && name ? await this.desk.ask<Scenes>("scenarios/scenes", { file, name }).catch((fault: unknown) => { if (fault instanceof Problem) return null; throw fault; }) : null;
    if (from !== this.from) return;
    const board = found?.scenes.find((each) => each.name === name)?.boards[0];
    this.board.hidden = !board;
    if (board) fill(this.board, thumbnail(board.begins, "The board where the play begins"));
  }

  private begins(): Begins {
    const roles = [...this.question.given, ...pairs(fields(this.stated, "role"))];
    const [scenario, name] = this.from.split("\n");
    return this.from === STATE ? { state: this.state, procedure: this.procedure, with: roles } : { scenario, name, with: roles };
  }

  /** What is asked, as the server wants it. */
  private asks(vary: readonly string[], of: readonly string[]): Readonly<Record<string, unknown>> {
    const { question, simulated } = this;
    return {
      path: this.desk.ruleset,
      tab: this.desk.tab,
      ...this.begins(),
      of,
      given: this.given.values,
      vary,
      best: this.best.values,
      known: simulated ? [] : this.decks.values,
      external: this.externals.values,
      set: pairs(fields(this.settings, "reading")),
      policy: [...(question.chooser && !this.best.values.length ? [question.chooser] : []), ...this.deciding.values],
      unscripted: this.unscripted.checked && this.from !== STATE,
      simulated,
      runs: simulated ? this.runs.value : "",
      most: simulated ? "" : this.limit.value || String(this.most),
    };
  }

  private estimate(): void {
    this.simulated = true;
    this.runs.hidden = false;
    const list = this.form.querySelector<HTMLSelectElement>(".odds-more select");
    if (list) list.value = "simulated";
    void this.ask();
  }

  async ask(most = FOLLOWED): Promise<void> {
    const path = this.desk.ruleset;
    if (path === null || this.near === null) return;
    const asked = this.question.asked;
    if (!asked.expression) {
      fill(this.told, el("p", { class: "card" }, "Type what you want to know of the end of the play, in the words of the rules, such as ", el("code", {}, this.near.begins?.worths[0] ?? "result"), "."));
      return;
    }
    this.most = most;
    this.beside.stop();
    const turn = (this.turn += 1);
    const question = this.asks([...this.question.vary, ...this.vary.values], [asked.expression, ...this.also.values]);
    const waits = setTimeout(() => this.awaits(), PATIENCE_MS);
    const begun = performance.now();
    try {
      const found = await this.asking.run((signal, asking) => this.answered({ ...question, asking }, signal));
      if (turn !== this.turn) return;
      if (found === null) {
        this.desk.say("The question was stopped.");
        return;
      }
      this.took = performance.now() - begun;
      this.remarks = found.remarks;
      if (found.answer.refused) {
        this.refused(found.answer.refused);
        return;
      }
      this.answer = read(found.answer);
      if (this.isSettled(this.answer)) {
        this.question.chooser = "random"; // the first answer of everybody leaves nothing to chance
        this.question.show();
        return void this.ask(most);
      }
      this.asked = asked;
      this.words = async () => (await this.desk.ask<{ said: string }>("odds", { ...question, words: true })).said;
      this.show();
      if (this.took < SWIFT_MS) void this.further(turn);
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      if (turn === this.turn) this.fails(fault.message);
    } finally {
      clearTimeout(waits);
      if (turn === this.turn || !this.asking.isUnderWay) this.told.removeAttribute("aria-busy");
    }
  }

  /** Whether nobody chose how players choose, and what is proposed makes every play end alike. */
  private isSettled(answer: Answer): boolean {
    const { question } = this;
    if (question.isChooserChosen || question.chooser !== "first" || this.best.values.length || this.deciding.values.length) return false;
    question.isChooserChosen = true;
    return answer.measured.every((each) => each.starts.every((start) => start.refused === null && [...start.shares.values()].filter((share) => share.about > 0).length === 1));
  }

  /** Asks without the script of the scenario; what cannot be answered so, such as results from elsewhere, with it. */
  private async answered(question: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Answered> {
    try {
      return await this.desk.ask<Answered>("odds", question, signal);
    } catch (fault) {
      if (!(fault instanceof Problem) || !question["unscripted"] || !this.question.chooser) throw fault;
      const scripted = await this.desk.ask<Answered>("odds", { ...question, unscripted: false }, signal).catch(() => null);
      if (scripted === null) throw fault;
      this.unscripted.checked = false;
      return scripted;
    }
  }

  /** What is shown while an answer is awaited: the one before it, said to be so, or a still outline. */
  private awaits(): void {
    this.told.setAttribute("aria-busy", "true");
    if (!this.answer) fill(this.told, outline());
  }

  private refused(reasons: readonly string[]): void {
    this.answer = null;
    fill(this.told, el("section", { class: "card odds-refused" }, el("h3", {}, "The play cannot begin like this"), el("ul", {}, ...reasons.map((each) => el("li", {}, ...coded(each)))), el("p", { class: "faint" }, "Choose others in the sentence, or another scenario to begin with.")));
    this.offer();
  }

  private fails(message: string): void {
    this.answer = null;
    this.words = null;
    this.told.removeAttribute("aria-busy");
    const open = /is left open/.test(message) && !this.question.chooser;
    fill(this.told, el("section", { class: "card odds-refused", role: "alert" }, el("h3", {}, "There is no answer yet"),
      ...message.split("\n").map((each) => el("p", {}, ...coded(named(each, FIELDS)))),
      open ? button("Let the first legal answer be given", () => { this.question.chooser = "first"; this.question.show(); void this.ask(); }) : null));
    this.desk.say("There is no answer; the reason is below.");
    this.offer();
  }

  private empty(): HTMLElement {
    return el("section", { class: "card odds-refused" }, el("h3", {}, "Odds begin with a position"),
      el("p", {}, "Nothing says yet where pieces stand when the play begins. Play the ruleset and keep the play as a scenario: every scenario is a start to ask from."),
      button("Play it", () => this.desk.go("play"), { primary: true }));
  }

  private drawn(of: Measured, asked: ReadonlySet<string> | null, point: (at: number) => void): Drawing {
    return { of, asked, style: this.style, axis: this.question.axis || (this.answer?.vary.join(", ") ?? ""), point };
  }

  private heading(): string {
    const [main] = this.answer?.measured ?? [];
    if (!main || !this.asked) return "";
    return headline(main, this.asked.values(main), this.asked.clause, this.question.noun);
  }

  /** The answer: a headline, a chart as wide as the page, the numbers. */
  private show(): void {
    const { answer, asked } = this;
    if (!answer || !asked) return;
    const [main, ...others] = answer.measured;
    if (!main) return;
    const wanted = asked.values(main);
    const how = answer.counted === null ? "exact" : `counted in ${answer.counted.toLocaleString("en")} plays`;
    const starts = main.starts.length > 1 ? ` · ${main.starts.length} starts` : "";
    const open = answer.open > 0 ? ` · ${percent(answer.open)} of the plays not followed` : "";
    const chart = el("div", { class: "odds-figure-host" });
    const styles = el("div", { class: "seg", role: "group", label: "Written as" }, ...STYLES.map((each) => button(WRITTEN[each], () => {
      this.style = each;
      localStorage.setItem("odds-style", each);
      this.show();
      this.told.querySelector<HTMLElement>(`.seg [data-style="${each}"]`)?.focus();
    }, { "data-style": each, "aria-pressed": String(this.style === each) })));
    const section = this.charted(main, wanted, chart);
    fill(this.told,
      el("div", { class: "odds-head" }, el("h3", {}, this.heading()), el("span", { class: "sr", role: "status" }, this.heading()), el("span", { class: "faint" }, `${answer.open > 0 ? how.replace("exact", "exact as far as it goes") : how}${starts}${open}`),
        el("div", { class: "odds-tools" }, styles, answer.counted === null && answer.open === 0 ? button("Keep", () => void this.keep(), { title: "Keep the question as a scenario that expects this answer" }) : null, this.pictures(chart))),
      ...this.remarked(),
      answer.open > 0 ? el("p", { class: "row bar-note" }, `The play goes on longer than was followed, so each likelihood may be up to ${percent(answer.open)} more.`, button("Follow more", () => void this.ask(this.most * 10)), button("Estimate instead", () => this.estimate())) : null,
      section,
      el("div", { class: "odds-two" }, this.numbers(main, wanted), el("div", { class: "odds-further" })),
      ...others.map((each) => el("section", { class: "card odds-card", label: worthSaid(each.of) }, el("h3", {}, worthSaid(each.of)), this.chartOf(each, null, () => undefined), this.tableOf(each, null))),
      this.inWords());
    this.offer();
  }

  private remarked(): Node[] {
    const { scripted } = this.answer ?? { scripted: [] };
    const fixed = scripted.length
      ? [el("p", { class: "warn row" }, el("span", {}, "The script gives ", el("code", {}, scripted.slice(0, MOST_SCRIPTED).join(", ")), `${scripted.length > MOST_SCRIPTED ? ` and ${scripted.length - MOST_SCRIPTED} more` : ""}. So this is not left to chance.`), button("Leave it to chance", () => { this.unscripted.checked = true; void this.ask(); }))]
      : [];
    return [...fixed, ...this.remarks.split("\n").filter(Boolean).map((each) => el("p", { class: "warn story" }, ...coded(named(each, FIELDS))))];
  }

  /** The chart in its card, with what the colours mean and what the pointer is at. */
  private charted(of: Measured, asked: ReadonlySet<string> | null, host: HTMLElement): HTMLElement {
    const readout = el("p", { class: "odds-read", "aria-live": "polite" });
    const many = of.starts.length > 1;
    const draw = this.drawn(of, asked, (at) => {
      const start = of.starts[many ? at : 0];
      if (!start) return;
      if (many) fill(readout, el("strong", {}, `${capital(this.question.noun)} ${start.at.join(", ")}`), el("span", { class: "game" }, told(start, draw)));
      for (const each of this.told.querySelectorAll("[data-row]")) each.classList.toggle("on", each.getAttribute("data-row") === String(at));
    });
    const made = this.chartOf(of, asked, draw.point);
    fill(host, made);
    const layouts = !many && of.scale === "number" && of.values.length > 2
      ? el("div", { class: "seg", role: "group", label: "Which values a column stands for" }, ...LAYOUTS.map(([layout, says]) => button(says, () => { this.layout = layout; this.show(); }, { "aria-pressed": String(this.layout === layout) })))
      : null;
    const section = el("section", { class: "card odds-card", label: "Chart" }, el("div", { class: "odds-over" }, legend({ of, asked }), layouts), many && stacks(of) ? readout : null, host);
    if (many && stacks(of)) {
      section.append(narrow(draw));
      section.classList.add("stacked");
      const shares = asked ? askedShares(of, asked) : [];
      const best = shares.findIndex((each) => each && each.about === Math.max(...shares.map((one) => one?.about ?? 0)));
      const at = Math.max(best, 0);
      requestAnimationFrame(() => { const shown = host.querySelector("svg"); if (shown) mark(shown, at); draw.point(at); });
    }
    return section;
  }

  private chartOf(of: Measured, asked: ReadonlySet<string> | null, point: (at: number) => void): SVGSVGElement {
    const draw = this.drawn(of, asked, point);
    const label = `Chart: ${this.heading()}. The table below has the same numbers.`;
    if (of.starts.length === 1) return singles(draw, this.cumulated(of), label);
    const colours = tones(of.values, of.scale, asked);
    const wanted = [...(asked ?? [])][0];
    const tone = (wanted === undefined ? undefined : colours.get(wanted)) ?? [...tones([{ key: "1", says: "" }], "flag", new Set(["1"])).values()][0] ?? UNKNOWN;
    if (of.starts[0]?.at.length === 2) {
      const [rows, across] = [0, 1].map((at) => [...new Set(of.starts.map((each) => each.at[at] ?? ""))]) as [string[], string[]];
      const cell = (row: string, column: string): Share | number | null => {
        const start = of.starts.find((each) => each.at[0] === row && each.at[1] === column);
        if (!start || start.refused !== null) return null;
        return asked ? sum([...asked].map((each) => start.shares.get(each) ?? NEVER)) : start.mean ?? Math.max(...[...start.shares.values()].map((each) => each.about));
      };
      const [down = "", along = ""] = this.question.varied.length === 2 ? this.question.varied.map((each) => each.axis.says) : this.answer?.vary ?? [];
      return grid(draw, { rows, columns: across, down, across: along, tone, cells: rows.map((row) => across.map((column) => cell(row, column))) }, label);
    }
    if (stacks(of)) return columns(draw, label);
    const values = of.values.slice(0, MOST_ROWS).reverse();
    return grid(draw, { rows: values.map((each) => each.says), columns: of.starts.map((each) => each.at.join(", ")), down: worthSaid(of.of), across: draw.axis, tone, cells: values.map((value) => of.starts.map((each) => (each.refused === null ? each.shares.get(value.key) ?? NEVER : null))) }, label);
  }

  /** Of one start each value, or so much of it and more, or less. */
  private cumulated(of: Measured): Column[] {
    const layout = of.scale === "number" ? this.layout : "values";
    return of.values.map((value, at) => {
      const of_ = layout === "at-least" ? of.values.slice(at) : layout === "at-most" ? of.values.slice(0, at + 1) : [value];
      return { value, share: layout === "values" ? of.starts[0]?.shares.get(value.key) ?? NEVER : sum(of_.map((each) => of.starts[0]?.shares.get(each.key) ?? NEVER)) };
    });
  }

  private numbers(of: Measured, asked: ReadonlySet<string> | null): HTMLElement {
    return el("section", { class: "card odds-card", "aria-labelledby": "odds-numbers" }, el("h3", { id: "odds-numbers" }, "The numbers"), this.tableOf(of, asked));
  }

  /** What is asked for first, then all else. */
  private tableOf(of: Measured, asked: ReadonlySet<string> | null): HTMLElement {
    const met = piled({ of, asked }).filter((each) => asked?.has(each.key) || of.starts.some((one) => (one.shares.get(each.key)?.about ?? 0) > 0)).slice(0, MOST_ROWS);
    const colours = tones(of.values, of.scale, asked);
    const lost = [...new Set(of.starts.flatMap((each) => each.lost.map((one) => one.says)))];
    const means = of.starts.some((each) => each.mean !== null);
    const given = of.starts.some((each) => each.given !== null);
    const ground = (key: string): string | undefined => (asked?.has(key) ? colours.get(key)?.soft : undefined);
    const tinted = (cell: HTMLElement, key: string): HTMLElement => {
      const soft = ground(key);
      if (soft) {
        cell.classList.add("is-asked");
        cell.style.backgroundColor = soft;
      }
      return cell;
    };
    const figure = (share: Share | undefined, strong: boolean): (Node | string)[] => {
      const one = share ?? NEVER;
      const main = said(one, this.style);
      const beside = this.style === "percent" ? (one.exact?.includes("/") && one.exact.length < 10 ? one.exact : "") : percent(one.about);
      return [strong ? el("b", {}, main) : main, beside && beside !== main ? el("span", { class: "faint" }, ` ${beside}`) : ""];
    };
    const several = asked !== null && asked.size > 1;
    const one = of.starts.length === 1;
    if (one && of.starts[0]) {
      const [start] = of.starts;
      const beyond = of.scale === "number" && of.values.length > 2;
      const rows = beyond ? of.values.filter((each) => met.includes(each)) : met;
      return el("div", { class: "wide", tabindex: "0", role: "group", label: "Table of the numbers" }, el("table", {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Value"), el("th", { scope: "col" }, "How likely"), beyond ? el("th", { scope: "col" }, "This or more") : null)),
        el("tbody", {}, ...rows.map((each, at) => el("tr", { "data-row": at }, tinted(el("th", { scope: "row" }, each.says), each.key), tinted(el("td", {}, ...figure(start.shares.get(each.key), asked?.has(each.key) ?? false)), each.key),
          beyond ? el("td", {}, ...figure(sum(of.values.slice(of.values.indexOf(each)).map((value) => start.shares.get(value.key) ?? NEVER)), false)) : null)),
        ...start.lost.map((each) => el("tr", {}, el("th", { scope: "row" }, each.sort === "stops" ? `the play stops: ${each.says}` : each.says), el("td", {}, ...figure(each.share, false)))),
        several ? el("tr", {}, el("th", { scope: "row" }, "together"), el("td", {}, ...figure(sum([...(asked ?? [])].map((key) => start.shares.get(key) ?? NEVER)), true))) : null,
        start.mean === null ? null : el("tr", {}, el("th", { scope: "row" }, "on average"), el("td", {}, String(Number(start.mean.toPrecision(4))))),
        start.given === null ? null : el("tr", {}, el("th", { scope: "row" }, "of all plays"), el("td", {}, ...figure(start.given, false))))));
    }
    const heads = of.starts[0]?.at.length === 2 && this.question.varied.length === 2 ? this.question.varied.map((each) => each.axis.says) : [this.question.noun ? capital(this.question.noun) : "Start"];
    const wide = of.starts[0]?.at.length ?? 1;
    return el("div", { class: "wide", tabindex: "0", role: "group", label: "Table of the numbers" }, el("table", {},
      el("thead", {}, el("tr", {}, ...(heads.length === wide ? heads : Array.from({ length: wide }, (_, at) => this.answer?.vary[at] ?? "")).map((each) => el("th", { scope: "col" }, each)),
        several ? el("th", { scope: "col", class: "is-asked" }, "Asked") : null,
        ...met.map((each) => tinted(el("th", { scope: "col" }, each.says), each.key)), ...lost.map((each) => el("th", { scope: "col" }, each)), means ? el("th", { scope: "col" }, "On average") : null, given ? el("th", { scope: "col" }, "Of all plays") : null)),
      el("tbody", {}, ...of.starts.map((start, at) => el("tr", { "data-row": at }, ...start.at.map((each, first) => (first ? el("td", {}, each) : el("th", { scope: "row" }, each))),
        ...(start.refused !== null ? [el("td", { colspan: String(met.length + lost.length + 1), class: "faint" }, `cannot begin: ${start.refused}`)] : [
          several ? el("td", { class: "is-asked" }, ...figure(sum([...(asked ?? [])].map((key) => start.shares.get(key) ?? NEVER)), true)) : null,
          ...met.map((each) => tinted(el("td", {}, ...figure(start.shares.get(each.key), asked?.has(each.key) ?? false)), each.key)),
          ...lost.map((each) => el("td", {}, ...figure(start.lost.find((one) => one.says === each)?.share, false))),
          means ? el("td", {}, start.mean === null ? "" : String(Number(start.mean.toPrecision(4)))) : null,
          given ? el("td", {}, ...figure(start.given ?? undefined, false)) : null])))),
    ));
  }

  /** A chart to take away. */
  private pictures(host: HTMLElement): HTMLElement {
    const drawn = (): SVGSVGElement | null => host.querySelector("svg");
    const name = (ending: string): string => `${(this.desk.ruleset ?? "odds").replace(/^.*\/|\.rules$/g, "")}-odds.${ending}`;
    const shut = (): void => made.removeAttribute("open");
    const does = (what: (shown: SVGSVGElement) => Promise<void>) => (): void => {
      const shown = drawn();
      shut();
      if (shown) what(shown).catch(() => this.desk.say("The browser does not let the page do this.", true));
    };
    const made = el("details", { class: "menu" }, el("summary", {}, "Picture"), el("div", {},
      button("Copy", does(async (shown) => { await navigator.clipboard.write([new ClipboardItem({ "image/png": painted(shown) })]); this.desk.say("Copied the picture."); }), { class: "quiet" }),
      button("Save as PNG", does(async (shown) => download(name("png"), await painted(shown))), { class: "quiet" }),
      button("Save as SVG", does(async (shown) => download(name("svg"), new Blob([standing(shown)], { type: "image/svg+xml" }))), { class: "quiet" })));
    return made;
  }

  private inWords(): HTMLElement {
    const words = el("pre", { class: "story", tabindex: "0", label: "The answer in words" }, "…");
    const made = el("details", { class: "odds-words" }, el("summary", {}, "The answer in words"), words);
    made.addEventListener("toggle", () => {
      if (!made.open || words.dataset["told"] || !this.words) return;
      words.dataset["told"] = "yes";
      this.words().then((text) => fill(words, named(text, FIELDS)), (fault: unknown) => { if (fault instanceof Problem) fill(words, fault.message); else throw fault; });
    });
    return made;
  }

  /** Another answer beside the numbers, where the first one came at once: what if a second thing varied, too. */
  private async further(turn: number): Promise<void> {
    const { question, asked } = this;
    const first = question.varied[0];
    const place = this.told.querySelector<HTMLElement>(".odds-further");
    if (!place || !asked || question.varied.length > 1 || this.vary.values.length || this.simulated) return;
    const second = first ? question.second() : question.axes().find((each) => each.low !== null);
    if (!second || (first && first.axis.low === null)) return;
    const low = second.low ?? 0;
    const span = `${second.path}=${low}..${Math.min(second.high ?? low + 5, low + 5)}`;
    const vary = first ? [...question.vary, span] : [span];
    try {
      const found = await this.beside.run((signal, asking) => this.desk.ask<Answered>("odds", { ...this.asks(vary, [asked.expression]), asking }, signal));
      if (turn !== this.turn || !found || found.answer.refused) return;
      const answer = read(found.answer);
      const [of] = answer.measured;
      if (!of) return;
      fill(place, this.furtherCard(of, second.says, first?.axis.says ?? ""));
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault; // nobody asked for it
    }
  }

  private furtherCard(of: Measured, second: string, first: string): HTMLElement {
    const asked = this.asked?.values(of) ?? null;
    const go = button("Ask this", () => { const axis = first ? this.question.second() : this.question.axes().find((each) => each.low !== null); if (axis) { this.question.varies(axis, Boolean(first)); this.question.show(); void this.ask(); } }, { class: "more" });
    if (!first) {
      const draw = this.drawn(of, asked, () => undefined);
      return el("section", { class: "card odds-card" }, el("h3", {}, `And with the ${second} varied?`),
        el("ol", { class: "odds-narrow shown" }, ...of.starts.map((start) => el("li", {}, el("b", {}, start.at.join(", ")), start.refused !== null ? el("span", { class: "faint" }, "cannot begin") : bar(pieces(start, draw), this.style)))), go);
    }
    const cell = (start: Measured["starts"][number] | undefined): Share | number | null => (!start || start.refused !== null ? null : asked ? sum([...asked].map((each) => start.shares.get(each) ?? NEVER)) : start.mean);
    const tone = tones(of.values, of.scale, asked).get([...(asked ?? [])][0] ?? "");
    const [rows, across] = [0, 1].map((at) => [...new Set(of.starts.map((each) => each.at[at] ?? ""))]) as [string[], string[]];
    const most = Math.max(0.001, ...of.starts.map((each) => { const found = cell(each); return typeof found === "number" ? found : found?.about ?? 0; }));
    const shade = (share: Share | number | null): HTMLElement => {
      const about = share === null ? 0 : typeof share === "number" ? share : share.about;
      const made = el("td", {}, share === null ? "–" : typeof share === "number" ? String(Number(share.toPrecision(3))) : said(share, this.style));
      const depth = about / most;
      if (about > 0) {
        made.style.backgroundColor = shaded(tone?.fill ?? "var(--accent)", depth);
        if (depth > HALF) made.style.color = tone?.ink ?? "var(--on-accent)";
      }
      return made;
    };
    return el("section", { class: "card odds-card" }, el("h3", {}, `And with the ${second} varied, too?`), el("p", { class: "faint" }, `${capital(this.asked?.clause ?? "")}: the ${first} down, the ${second} across.`),
      el("div", { class: "wide" }, el("table", { class: "heat" }, el("caption", { class: "sr" }, `How likely it is that ${this.asked?.clause ?? ""}: the ${first} down, the ${second} across`),
        el("thead", {}, el("tr", {}, el("td", {}), ...across.map((each) => el("th", { scope: "col" }, each)))),
        el("tbody", {}, ...rows.map((row) => el("tr", {}, el("th", { scope: "row" }, row), ...across.map((column) => shade(cell(of.starts.find((each) => each.at[0] === row && each.at[1] === column)))))))), go));
  }

  /** What one would ask next. */
  private offer(): void {
    const { question } = this;
    const next: (readonly [says: string, does: () => void])[] = [];
    const procedure = question.procedure;
    const other = procedure?.outcomes.find((each) => each.value !== question.predicate && question.subject === "result");
    if (other) next.push([`…that the result is ${other.says}?`, () => { question.predicate = other.value; }]);
    const worth = this.near?.begins?.worths.find((each) => each !== question.subject);
    if (worth) next.push([`What about ${worthSaid(worth)}?`, () => question.asks(worth, true)]);
    const axis = question.axes().find((each) => each.low !== null && !question.varied.some((one) => one.axis.path === each.path || one.axis.of === each.of));
    if (axis) next.push([`…with the ${axis.says} varied?`, () => question.varies(axis)]);
    if (question.varied.length) next.push(["…as things stand?", () => { question.varied = []; }]);
    const begins = this.every().filter((each) => each !== this.from && !this.refuses(each) && this.playedBy(each) === procedure?.name).slice(0, 2);
    this.next.hidden = !next.length && !begins.length;
    fill(this.next, el("h3", { id: "odds-next" }, "Ask next"), el("div", { class: "odds-chips" },
      ...next.map(([says, does]) => button(says, () => { does(); question.show(); void this.ask(); })),
      ...begins.map((each) => button(`…as in “${each.split(/\n| \/ /).at(-1)}”?`, () => void this.begin(each)))));
  }

  /** Keeps the question as a scenario that expects this answer. */
  private async keep(): Promise<void> {
    const { asked, desk } = this;
    const path = desk.ruleset;
    if (!asked || path === null) return;
    const folder = path.replace(/[^/]*$/, "");
    const name = el("input", { value: "odds.scenario.yaml", size: 34, spellcheck: "false", label: "Name of the file" });
    const sure = await ask("Keep the question", [el("p", {}, "It is kept as a scenario that expects this answer. It is asked again whenever the scenarios are played."), el("label", { class: "field" }, el("span", {}, "File"), name)], [["keep", "Keep"], ["no", "Cancel"]]);
    if (sure !== "keep") return;
    const record = filed(name.value, ".scenario.yaml", folder);
    const question = this.asks([...this.question.vary, ...this.vary.values], [asked.expression, ...this.also.values]);
    await desk.ask<Answered>("odds", { ...question, record });
    desk.say(`The question is kept in ${record}.`);
    await desk.refresh();
  }

  /** Brings the answer into view. */
  reveal(): void {
    reveal(this.told);
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A still outline of an answer. */
function outline(): HTMLElement {
  return el("div", { class: "odds-outline", "aria-hidden": "true" }, el("i", {}), el("i", {}), el("i", {}));
}

function group(label: string, values: readonly (readonly [string, string])[]): HTMLOptGroupElement | HTMLOptionElement {
  if (!label) return el("option", { value: values[0]?.[0] ?? "" }, values[0]?.[1] ?? "");
  const made = el("optgroup", {}, ...values.map(([value, says]) => el("option", { value }, says)));
  made.label = label;
  return made;
}

/** What stands in the fields of a part, by their names; empty ones left out. */
function fields(host: HTMLElement, sort: string): Map<string, string> {
  const found = [...host.querySelectorAll<HTMLInputElement | HTMLSelectElement>(`[data-${sort}]`)];
  return new Map(found.filter((each) => each.value.trim()).map((each) => [each.dataset[sort] ?? "", each.value.trim()]));
}

function pairs(values: Map<string, string>): string[] {
  return [...values].map(([name, value]) => `${name}=${value}`);
}
