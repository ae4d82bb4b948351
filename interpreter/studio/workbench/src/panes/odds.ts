import { type Desk, type Open, type Pane, Problem } from "../desk";
import { Asking } from "../asking";
import { type Drawn, chart } from "../charts";
import { button, choice, coded, el, fill, reveal } from "../elements";
import { named } from "../fields";
import { filed } from "../names";
import { Unsaved } from "../unsaved";

interface Role {
  readonly name: string;
  readonly type: string;
  readonly fits: readonly string[];
  readonly optional: boolean;
}

/** What can be asked about, as `play --list` tells it. */
interface Choices {
  readonly procedures: readonly { readonly name: string; readonly title: string; readonly roles: readonly Role[]; readonly gives: string | null }[];
  readonly players: readonly string[];
  readonly readings: readonly { readonly name: string; readonly title: string; readonly value: string; readonly values: readonly string[] }[];
  readonly measures: readonly { readonly name: string; readonly title: string; readonly of: readonly { readonly name: string; readonly type: string }[]; readonly asked: readonly string[] }[];
  /** What of roles, the game and readings can be varied, with values. */
  readonly varies: readonly string[];
  /** What comes from elsewhere, with likelihoods to change. */
  readonly externals: readonly string[];
  readonly scenarios: readonly {
    readonly file: string;
    readonly cases: readonly string[];
    /** Those that expect that the play cannot begin. */
    readonly refused: readonly string[];
    readonly procedures: Readonly<Record<string, string>>;
    readonly odds: Readonly<Record<string, { readonly of: readonly string[]; readonly policy: string }>>;
  }[];
}

interface Answer {
  readonly said: string;
  readonly pictures: readonly Drawn[];
  readonly remarks: string;
}

const LONGEST = 180;
const STATE = "a state";

/** How the fields are called, by the options that they stand for. */
const FIELDS = {
  of: "What to find out at the end",
  vary: "What to vary",
  best: "Who plays for the best result",
  known: "Bags and decks whose contents all players know",
  external: "Answers from outside the rules",
  policy: "Who chooses",
  "policy first": "Who chooses: the first legal answer",
  "policy random": "Who chooses: each legal answer equally likely",
  most: "Most moments to follow",
  runs: "How many plays",
  show: "Show",
  "show grid": "Show: a heat map",
  set: "readings",
  record: "Keep the question",
  script: "the script of a scenario",
  "no-script": "leave out the script",
} as const;

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
      keys: [{ keys: "Ctrl+Enter", says: "Work out the odds", run: () => void shown.ask() }],
      front: () => {
        if (stale) look();
      },
      show: (place) => {
        if (place.path && place.name) shown.begin(`${place.path}\n${place.name}`);
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
  private choices: Choices | null = null;
  /** The ruleset that the choices are of. */
  private about: string | null = null;
  private from = "";
  private state = "";
  private procedure = "";
  private policy = "";
  private as = "";
  private layout = "values";
  private simulated = false;
  private readonly of = new Lines(FIELDS.of, "odds-measures");
  private readonly vary = new Lines(FIELDS.vary, "odds-places");
  private readonly best = new Lines(FIELDS.best);
  private readonly deciding = new Lines("How one player chooses");
  private readonly decks = new Lines(FIELDS.known);
  private readonly externals = new Lines(FIELDS.external, "odds-externals");
  private readonly settings = el("div", { class: "row" });
  private readonly start = el("div", { class: "row" });
  private readonly roles = el("div", { class: "row" });
  private readonly measures = el("datalist", { id: "odds-measures" });
  private readonly places = el("datalist", { id: "odds-places" });
  private readonly elsewhere = el("datalist", { id: "odds-externals" });
  private readonly policies = choice(
    FIELDS.policy,
    [["", "only the scenario"], ["first", "the first legal answer"], ["random", "each legal answer equally likely"]],
    "",
    (value) => (this.policy = value),
  );
  private readonly unscripted = el("input", { type: "checkbox" });
  private readonly runs = el("input", { type: "number", min: "1", max: "1000000", value: "10000", label: FIELDS.runs });
  private readonly most = el("input", { type: "number", min: "1", placeholder: "200000" });
  private readonly name = el("input", { value: "odds.scenario.yaml", size: 34, spellcheck: "false", label: "Name of the file" });
  private readonly press = button("Work out the odds", () => void this.ask(), { primary: true });
  private readonly told = el("div", { class: "odds-answer" });
  private readonly form: HTMLElement;

  constructor(
    private readonly host: HTMLElement,
    private readonly desk: Desk,
  ) {
    const kept = button(FIELDS.record, () => void this.ask(true), { title: "Writes a scenario that expects this answer" });
    const exactly = choice("How", [["exact", "exactly"], ["simulated", "by counting many plays"]], "exact", (value) => {
      this.simulated = value === "simulated";
      this.runs.hidden = !this.simulated;
      kept.disabled = this.simulated;
    });
    this.runs.hidden = true;
    this.form = el(
      "div",
      { class: "odds-question" },
      this.start,
      this.roles,
      el("div", { class: "columns" }, this.of.node, this.vary.node),
      el(
        "div",
        { class: "row" },
        this.policies,
        el("label", { class: "field" }, this.unscripted, el("span", {}, FIELDS["no-script"])),
        exactly,
        this.runs,
      ),
      el(
        "details",
        {},
        el("summary", {}, "More: best play, readings, answers from outside the rules"),
        el("div", { class: "columns" }, this.best.node, this.deciding.node, this.decks.node, this.externals.node),
        this.settings,
        el("label", { class: "field" }, el("span", {}, FIELDS.most), this.most),
      ),
      el(
        "div",
        { class: "row" },
        choice("Likelihoods", [["", "percent, and the fraction if nothing is varied"], ["percent", "percent"], ["fraction", "fractions"], ["odds", "1 in 6"]], "", (value) => (this.as = value)),
        choice(FIELDS.show, [["values", "each value"], ["at-least", "this much or more"], ["at-most", "this much or less"], ["grid", "a heat map of two things that vary"]], "values", (value) => (this.layout = value)),
        this.press,
        el("span", { class: "keep row" }, this.name, kept),
      ),
      this.measures,
      this.places,
      this.elsewhere,
    );
    this.form.hidden = true;
    fill(this.told, el("p", { class: "faint" }, "Loading …"));
    this.asking = new Asking(desk, "Working it out", LONGEST);
    this.unsaved = new Unsaved(desk, "The odds begin with the saved scenarios", { says: "Save", run: () => undefined }, (path) => !path.endsWith(".rules"));
    fill(host, this.unsaved.note, this.form, this.asking.bar, this.told);
  }

  /** Asks what can be asked about. */
  async look(): Promise<void> {
    const path = this.desk.ruleset;
    if (path === null) {
      this.form.hidden = true;
      fill(this.told, el("p", {}, "There is no ruleset in this folder yet."));
      return;
    }
    const other = path !== this.about;
    if (other) {
      this.about = path;
      this.from = this.state = this.procedure = "";
      for (const each of [this.of, this.vary, this.best, this.deciding, this.decks, this.externals]) each.set([]);
      this.choose("");
      this.name.value = `${path.replace(/[^/]*$/, "")}odds.scenario.yaml`;
      fill(this.told);
    }
    const state = this.from === STATE && this.state ? { state: this.state } : {};
    try {
      this.choices = await this.desk.post<Choices>("/api/odds/choices", { path, tab: this.desk.tab, ...state });
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      if (other) this.form.hidden = true;
      fill(this.told, el("pre", { class: "story bad" }, fault.message));
      return;
    }
    if (path !== this.desk.ruleset) return;
    if (this.form.hidden) fill(this.told);
    this.form.hidden = false;
    if (other || !this.host.contains(document.activeElement)) this.offer();
  }

  /** Begins with a scenario: its file and its name, in two lines. */
  begin(from: string): void {
    this.from = from;
    this.offer();
  }

  private offer(): void {
    const choices = this.choices;
    if (!choices) return;
    const scenarios = choices.scenarios.filter((each) => each.cases.length);
    const every = scenarios.flatMap((file) => file.cases.map((each) => `${file.file}\n${each}`));
    const asked = scenarios.flatMap((file) => Object.keys(file.odds).map((each) => `${file.file}\n${each}`));
    const chosen = every.includes(this.from) || this.from === STATE;
    const refused = scenarios.flatMap((file) => file.refused.map((each) => `${file.file}\n${each}`));
    if (!chosen) this.from = asked[0] ?? every.find((each) => !refused.includes(each)) ?? every[0] ?? STATE;
    const list = el(
      "select",
      {},
      group("Kept questions", asked.map((each) => [each, each.split("\n")[1] ?? ""])),
      ...scenarios.map((file) => group(file.file, file.cases.filter((each) => !file.odds[each]).map((each) => [`${file.file}\n${each}`, each]))),
      el("option", { value: STATE }, "a state and a procedure"),
    );
    for (const each of list.querySelectorAll("optgroup")) if (!each.childElementCount) each.remove();
    list.value = this.from;
    list.addEventListener("change", () => {
      this.from = list.value;
      this.filled();
      if (this.from === STATE) void this.look().then(() => this.stated());
      else this.stated();
      void this.propose();
    });
    fill(this.start, el("label", { class: "field" }, el("span", {}, "Begin with"), list));
    if (!chosen) this.filled();
    this.stated();
    this.set(choices);
    void this.propose();
  }

  /** Takes over what a kept question asks. */
  private filled(): void {
    const [file, name] = this.from.split("\n");
    const kept = this.choices?.scenarios.find((each) => each.file === file)?.odds[name ?? ""];
    if (!kept) return;
    this.of.set(kept.of);
    this.choose(kept.policy);
  }

  private choose(policy: string): void {
    this.policy = policy;
    const list = this.policies.querySelector("select");
    if (list) list.value = policy;
  }

  /** Fields for a state, a procedure and its roles, where no scenario says them. */
  private stated(): void {
    const choices = this.choices;
    for (const each of [...this.start.querySelectorAll(".stated")]) each.remove();
    fill(this.roles);
    if (this.from !== STATE || !choices) return;
    const folder = (this.desk.ruleset ?? "").replace(/[^/]*$/, "");
    const files = this.desk.files.filter(
      (each) => each.path.startsWith(folder) && (each.sort === "state" || (each.sort === "other" && /\.(ya?ml|json)$/.test(each.path))),
    );
    if (!files.some((each) => each.path === this.state)) this.state = files[0]?.path ?? "";
    if (!choices.procedures.some((each) => each.name === this.procedure)) this.procedure = choices.procedures[0]?.name ?? "";
    const states = choice("State", files.map((each) => [each.path, each.path]), this.state, (value) => {
      this.state = value;
      void this.look().then(() => this.stated());
      void this.propose();
    });
    const procedures = choice("Procedure", choices.procedures.map((each) => [each.name, each.title || each.name]), this.procedure, (value) => {
      this.procedure = value;
      this.stated();
      void this.propose();
    });
    for (const each of [states, procedures]) each.classList.add("stated");
    this.start.append(states, procedures);
    const roles = choices.procedures.find((each) => each.name === this.procedure)?.roles ?? [];
    fill(
      this.roles,
      ...roles.map((each) => {
        const values = each.fits.map((one) => [one, one] as const);
        const field = each.fits.length
          ? el("select", {}, ...[...(each.optional ? [["", "as it is"] as const] : []), ...values].map(([value, says]) => el("option", { value }, says)))
          : el("input", { placeholder: each.type });
        field.dataset["role"] = each.name;
        return el("label", { class: "field" }, el("span", {}, each.name), field);
      }),
    );
  }

  /** Proposes what can be typed for the start that is chosen: declared measures first. */
  private async propose(): Promise<void> {
    const { from, state, procedure } = this;
    const [file = "", name = ""] = from.split("\n");
    const asked = from === STATE ? { path: this.desk.ruleset, state, name: procedure } : { path: file, name };
    const found = await this.desk.post<Choices>("/api/odds/choices", { ...asked, tab: this.desk.tab }).catch((fault: unknown) => {
      if (!(fault instanceof Problem)) throw fault;
      return null; // it cannot begin; the answer will say why
    });
    if (from !== this.from || state !== this.state || procedure !== this.procedure) return;
    const begins = from === STATE ? procedure : this.choices?.scenarios.find((each) => each.file === file)?.procedures[name];
    const measures = found?.measures.flatMap((each) => each.asked.map((one) => [one, each.title] as const)) ?? [];
    const worths = [...measures, ...(found?.procedures.find((each) => each.name === begins)?.gives ? [["result", "the result of the procedure"] as const] : [])];
    fill(this.measures, ...worths.map(([value, says]) => el("option", { value }, says)));
    fill(this.places, ...(found?.varies.map((value) => el("option", { value })) ?? []));
    const [player] = found?.players ?? [];
    const [[worth] = []] = measures;
    this.of.hint(worths[0]?.[0]);
    this.vary.hint(found?.varies[0]);
    this.best.hint(player && worth ? `${player}: ${worth}` : "", "PLAYER: EXPRESSION");
    this.deciding.hint(player ? `${player}=first` : "", "PLAYER=first, or PLAYER/QUESTION=highest EXPRESSION");
    this.decks.hint("", "The name of a bag or deck");
  }

  /** Externals and readings of the ruleset. */
  private set(choices: Choices): void {
    fill(this.elsewhere, ...choices.externals.map((value) => el("option", { value })));
    this.externals.hint(choices.externals.find((each) => !each.includes("…")));
    this.vary.node.hidden = !choices.varies.length;
    this.externals.node.hidden = !choices.externals.length;
    const before = this.readings();
    fill(
      this.settings,
      ...choices.readings.map((each) => {
        const field = each.values.length
          ? el("select", {}, el("option", { value: "" }, `as it is: ${each.value}`), ...each.values.map((one) => el("option", { value: one }, one)))
          : el("input", { placeholder: each.value });
        field.dataset["reading"] = each.name;
        field.value = before.get(each.name) ?? "";
        return el("label", { class: "field" }, el("span", {}, each.title || each.name), field);
      }),
    );
  }

  private readings(): Map<string, string> {
    return fields(this.settings, "reading");
  }

  /** The field that leaves out the script, once more; the question is asked again at once. */
  private fixed(): HTMLElement {
    const field = el("input", { type: "checkbox" });
    field.addEventListener("change", () => {
      this.unscripted.checked = field.checked;
      void this.ask();
    });
    return el("label", { class: "field" }, field, el("span", {}, FIELDS["no-script"]));
  }

  async ask(keep = false): Promise<void> {
    const path = this.desk.ruleset;
    if (path === null) return;
    const [scenario, name] = this.from.split("\n");
    const begins = this.from === STATE ? { state: this.state, procedure: this.procedure, with: pairs(fields(this.roles, "role")) } : { scenario, name };
    const question = {
      path,
      tab: this.desk.tab,
      ...begins,
      of: this.of.values,
      vary: this.vary.values,
      best: this.best.values,
      known: this.simulated ? [] : this.decks.values,
      external: this.externals.values,
      set: pairs(this.readings()),
      policy: [...(this.policy ? [this.policy] : []), ...this.deciding.values],
      unscripted: this.unscripted.checked && this.from !== STATE,
      show: this.layout === "values" ? "" : this.layout,
      as: this.as,
      simulated: this.simulated,
      runs: this.simulated ? this.runs.value : "",
      most: this.simulated ? "" : this.most.value,
      record: keep ? (this.name.value = filed(this.name.value, ".scenario.yaml", path.replace(/[^/]*$/, ""))) : "",
    };
    this.press.disabled = true;
    try {
      const found = await this.asking.run((signal, asking) => this.desk.post<Answer>("/api/odds", { ...question, asking }, signal));
      if (found === null) {
        this.desk.say("The question was stopped.");
        return;
      }
      fill(this.told, ...answered(found, () => this.fixed()));
      reveal(this.told);
      this.desk.say(keep ? `The question is kept in ${question.record}.` : "The answer is below.");
      if (keep) await this.desk.refresh();
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      fill(this.told, el("pre", { class: "story bad", role: "alert" }, named(fault.message, FIELDS)));
      reveal(this.told);
      this.desk.say("There is no answer; the reason is below.");
    } finally {
      this.press.disabled = false;
    }
  }
}

function group(label: string, values: readonly (readonly [string, string])[]): HTMLOptGroupElement {
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

/** How the command says which rolls and draws a script answers. */
const SCRIPTED = /^(the script gives .*); `--no-script` leaves (?:it|them) to chance$/;

/** What is to be known of the answer; beside what a script answers in place of chance stands `fixed`. */
function remarked(said: string, fixed: () => Node): Node {
  const scripted = SCRIPTED.exec(said)?.[1];
  if (scripted === undefined) return el("p", { class: "warn story" }, named(said, FIELDS));
  return el("p", { class: "warn row" }, el("span", {}, ...coded(`${scripted.replace(/^t/, "T")}. So this is not left to chance.`)), fixed());
}

/** The pictures with their tables, then the words of the command. */
function answered(found: Answer, fixed: () => Node): Node[] {
  const drawn = found.pictures.map((each) =>
    el(
      "section",
      { class: "card" },
      el("h3", {}, each.heading),
      chart(each.picture, `${each.heading}: the table below has the same numbers`),
      el("div", { class: "wide", tabindex: "0", role: "group", label: `Table: ${each.heading}` }, table(each)),
    ),
  );
  const words = el("pre", { class: "story", tabindex: "0", label: "The answer in words" }, named(found.said, FIELDS));
  return [
    ...found.remarks.split("\n").filter(Boolean).map((each) => remarked(each, fixed)),
    ...(drawn.length ? [el("div", { class: "odds-drawn" }, ...drawn), el("details", {}, el("summary", {}, "In words"), words)] : [words]),
  ];
}

function table(drawn: Drawn): HTMLTableElement {
  return el(
    "table",
    {},
    el("thead", {}, el("tr", {}, ...drawn.heads.map((each) => el("th", { scope: "col" }, each)))),
    el("tbody", {}, ...drawn.rows.map((row) => el("tr", {}, ...row.map((each) => el("td", {}, each))))),
  );
}
