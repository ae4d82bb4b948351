/** A question of odds as a sentence to fill in: what it is about, what becomes of it, where the play begins, what is varied. */
import { button, type Child, el, fill } from "../elements";
import { sides } from "../sides";
import type { Measured } from "./odds_answer";

interface Role {
  readonly name: string;
  readonly type: string;
  readonly fits: readonly string[];
  readonly optional: boolean;
}

export interface Procedure {
  readonly name: string;
  readonly title: string;
  readonly roles: readonly Role[];
  readonly gives: string | null;
  readonly outcomes: readonly { readonly value: string; readonly says: string }[];
}

interface Kind {
  readonly plural: string;
  readonly kind: string;
  readonly title: string;
  readonly things: readonly { readonly id: string; readonly owner: string | null; readonly values: Readonly<Record<string, unknown>> }[];
  readonly attributes: readonly { readonly name: string; readonly title: string; readonly type: string }[];
}

/** What can be asked about, as `play --list` tells it. */
export interface Choices {
  readonly procedures: readonly Procedure[];
  readonly players: readonly string[];
  /** Of a scenario: what it plays, with whom, and which numbers of its end can be asked for. */
  readonly begins: { readonly procedure: string; readonly with: Readonly<Record<string, unknown>>; readonly worths: readonly string[] } | null;
  readonly things: readonly Kind[];
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

/** Something that is varied: a path, the word for it, and its bounds if it is a number. */
export interface Axis {
  readonly path: string;
  readonly says: string;
  /** In a word, as it stands beside a value: `strength`. */
  readonly noun: string;
  /** Whose attribute it is. */
  readonly of: string;
  readonly low: number | null;
  readonly high: number | null;
}

interface Varied {
  axis: Axis;
  from: number;
  to: number;
}

/** What is asked for, and how its answer reads. */
export interface Asked {
  readonly expression: string;
  /** Keys of the values that are asked for, of those that came; null: each of them. */
  values(of: Measured): ReadonlySet<string> | null;
  /** What is asked, as a clause: "the rangers are out of play". */
  readonly clause: string;
}

export const OWN = "own";
const OUT = "out";
const IN = "in";
const EACH = "each";
const RESULT = "result";
const NOBODY = "nobody at all";
const COMPARED: Readonly<Record<string, string>> = { ">=": "least", "<=": "most", "=": "exactly" };
const LONGEST_SPAN = 6;

export function spoken(name: string): string {
  return name.replaceAll("_", " ");
}

/** `the rangers`, `blue`: a thing in a sentence. */
function theThing(id: string, players: readonly string[]): string {
  return players.includes(id) ? spoken(id) : `the ${spoken(id)}`;
}

function isMany(id: string): boolean {
  return /[^su]s$/.test(id) || /(men|mice|feet)$/.test(id);
}

export function possessive(id: string): string {
  return `${spoken(id)}${/s$/.test(id) ? "’" : "’s"}`;
}

/** A title within a sentence: `an attack` of "An attack". */
export function within(title: string): string {
  return /^(An?|The) /.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}

/** A worth as people say it: `units left (blue)`, `the rangers’ strength`. */
export function worthSaid(worth: string): string {
  const [, name, given] = /^(\w+)\((.*)\)$/.exec(worth) ?? [];
  if (name) return `${spoken(name)}${given ? ` (${spoken(given)})` : ""}`;
  const [, id, attribute] = /^(\w+)\.(\w+)$/.exec(worth) ?? [];
  return id && attribute ? `the ${possessive(id)} ${spoken(attribute)}` : spoken(worth);
}

/** The sentence and what it stands for. */
export class Question {
  readonly node = el("p", { class: "odds-sentence" });
  /** What is said below the sentence: where it begins, who chooses. */
  readonly below = el("div", { class: "odds-below" });
  subject = RESULT;
  predicate = EACH;
  number = 1;
  own = "";
  varied: Varied[] = [];
  chooser = "first";
  /** Whether somebody chose it, or it was found to be worth asking with. */
  isChooserChosen = false;
  private roles = new Map<string, string>();
  private choices: Choices | null = null;
  private scenario = "";

  constructor(
    private readonly starts: () => HTMLElement,
    private readonly changed: () => void,
    private readonly begin: (procedure: string) => void,
    /** The procedures that something begins with. */
    private readonly playable: () => readonly string[],
  ) {}

  get procedure(): Procedure | undefined {
    return this.choices?.procedures.find((each) => each.name === this.choices?.begins?.procedure);
  }

  get players(): readonly string[] {
    return this.choices?.players ?? [];
  }

  /** Takes what can be asked of a start; keeps what was chosen where it still fits. */
  take(choices: Choices, scenario: string, kept: { readonly of: readonly string[]; readonly policy: string } | undefined): void {
    const isOther = scenario !== this.scenario;
    const before = this.casts();
    this.choices = choices;
    if (isOther) {
      this.scenario = scenario;
      this.roles = new Map();
      this.recast(before);
      if (kept) {
        [this.chooser, this.isChooserChosen] = [kept.policy || "first", kept.policy !== ""];
        this.asks(kept.of[0] ?? RESULT);
      }
    }
    const subjects = this.subjects().flatMap(([, each]) => each.map(([value]) => value));
    if (!subjects.includes(this.subject)) this.asks(this.procedure?.gives ? RESULT : choices.begins?.worths[0] ?? subjects[0] ?? OWN, true);
    if (!this.predicates().some(([value]) => value === this.predicate)) this.predicate = this.predicates()[0]?.[0] ?? EACH;
    const axes = this.axes();
    this.varied = this.varied.filter((each) => axes.some((axis) => axis.path === each.axis.path));
    this.show();
  }

  /** What is varied of who had a role is varied of who has it now; if nobody has it, it is not. */
  private recast(before: Readonly<Record<string, unknown>>): void {
    const now = this.casts();
    const axes = this.axes();
    this.varied = this.varied.flatMap((each): Varied[] => {
      const role = Object.keys(before).find((name) => before[name] === each.axis.of);
      if (role === undefined || Object.values(now).includes(each.axis.of)) return [each];
      const axis = axes.find((one) => one.of === now[role] && one.noun === each.axis.noun);
      return axis ? [{ ...each, axis }] : [];
    }).filter((each, at, every) => every.findIndex((one) => one.axis.path === each.axis.path) === at);
  }

  /** Begins anew, for another ruleset. */
  forget(): void {
    [this.subject, this.predicate, this.own, this.chooser, this.isChooserChosen] = [RESULT, EACH, "", "first", false];
    this.varied = [];
    this.scenario = "";
  }

  /** Chooses what an expression asks, as far as the sentence can say it; `whole`: each of its values. */
  asks(expression: string, whole = false): void {
    const [, value] = /^result = (\w+)$/.exec(expression) ?? [];
    if (value && this.outcomes().some(([each]) => each === value)) {
      [this.subject, this.predicate] = [RESULT, value];
      return;
    }
    const knows = (asked: string): boolean => this.subjects().some(([, each]) => each.some(([one]) => one === asked));
    const [, counted = "", sign = "", bound = ""] = /^(.+?) (>=|<=|=) (\d+)$/.exec(expression) ?? [];
    if (counted && knows(counted)) {
      [this.subject, this.predicate, this.number] = [counted, COMPARED[sign] ?? EACH, Number(bound)];
      return;
    }
    const known = knows(expression);
    this.subject = known ? expression : OWN;
    if (!known) this.own = expression;
    this.predicate = whole || expression !== RESULT || !this.procedure?.outcomes.length ? EACH : this.procedure.outcomes.at(-1)?.value ?? EACH;
    if (known && this.things().includes(expression)) this.predicate = OUT;
  }

  /** Options such as `attacker=lancers` for roles that were given to others than the scenario gives them to. */
  get given(): string[] {
    const own = this.choices?.begins?.with ?? {};
    return [...this.roles].filter(([role, id]) => own[role] !== id).map(([role, id]) => `${role}=${id}`);
  }

  get asked(): Asked {
    const { subject, predicate, number } = this;
    const clause = `${this.subjectSaid()} ${this.predicateSaid()}`;
    if (this.things().includes(subject)) {
      return { expression: predicate === OUT ? `not (${subject} in ${this.pluralOf(subject)})` : `${subject} in ${this.pluralOf(subject)}`, clause, values: () => new Set(["true"]) };
    }
    const expression = subject === OWN ? this.own : subject;
    if (predicate === EACH) return { expression, clause, values: (of) => (of.scale === "flag" ? new Set(["true"]) : null) };
    const meets: Readonly<Record<string, (value: number) => boolean>> = { least: (value) => value >= number, most: (value) => value <= number, exactly: (value) => value === number };
    const test = meets[predicate];
    if (test) return { expression, clause, values: (of) => new Set(of.values.filter((each) => each.key !== "null" && test(Number(each.key))).map((each) => each.key)) };
    return { expression, clause, values: () => new Set([predicate === NOBODY ? "null" : /^(yes|no)$/.test(predicate) ? String(predicate === "yes") : JSON.stringify(predicate)]) };
  }

  get vary(): string[] {
    return this.varied.map(({ axis, from, to }) => (axis.low === null ? axis.path : `${axis.path}=${Math.min(from, to)}..${Math.max(from, to)}`));
  }

  /** What stands under the columns. */
  get axis(): string {
    return this.varied.map((each) => each.axis.says).join(", ");
  }

  get noun(): string {
    return this.varied.length === 1 ? this.varied[0]?.axis.noun ?? "" : "start";
  }

  private things(): string[] {
    return (this.choices?.things ?? []).filter((each) => each.kind !== "player").flatMap((each) => each.things.map((one) => one.id));
  }

  private pluralOf(id: string): string {
    return this.choices?.things.find((each) => each.things.some((one) => one.id === id))?.plural ?? "";
  }

  private owner(id: string): string | null {
    for (const kind of this.choices?.things ?? []) for (const each of kind.things) if (each.id === id) return each.owner;
    return null;
  }

  private side(id: string): string | undefined {
    const player = this.players.includes(id) ? id : this.owner(id);
    return player === null ? undefined : sides(this.players).get(player);
  }

  /** Who has which role. */
  private casts(): Readonly<Record<string, unknown>> {
    return { ...this.choices?.begins?.with, ...Object.fromEntries(this.roles) };
  }

  /** Who holds the roles, first of all. */
  private holders(): string[] {
    return Object.values(this.casts()).filter((each): each is string => typeof each === "string");
  }

  /** What can be varied: attributes of those with a role first, then of others, then the game and the readings. */
  axes(): Axis[] {
    const found: Axis[] = [];
    const holders = this.holders();
    const kinds = (this.choices?.things ?? []).filter((each) => each.kind !== "player");
    const rank = (id: string): number => (holders.includes(id) ? holders.indexOf(id) : holders.length);
    const every = kinds.flatMap((kind) => kind.things.map((thing) => ({ kind, thing }))).sort((one, other) => rank(one.thing.id) - rank(other.thing.id));
    for (const { kind, thing } of every) {
      for (const attribute of kind.attributes) {
        const [, low, high] = /^(-?\d+)\.\.(-?\d+)$/.exec(attribute.type) ?? [];
        const open = /^whole number from (-?\d+)$/.exec(attribute.type)?.[1];
        const noun = attribute.title || spoken(attribute.name);
        found.push({ path: `${thing.id}.${attribute.name}`, says: `${possessive(thing.id)} ${noun}`, noun, of: thing.id, low: low ? Number(low) : open ? Number(open) : null, high: high ? Number(high) : null });
      }
    }
    for (const role of this.procedure?.roles ?? []) if (role.fits.length > 1) found.push({ path: role.name, says: `who is the ${spoken(role.name)}`, noun: spoken(role.name), of: "", low: null, high: null });
    for (const each of this.choices?.varies ?? []) {
      const [, section, name, low, high] = /^(game|setting)\.(\w+)(?:=(-?\d+)\.\.(-?\d+))?$/.exec(each) ?? [];
      if (section && name) found.push({ path: `${section}.${name}`, says: spoken(name), noun: spoken(name), of: "", low: low ? Number(low) : null, high: high ? Number(high) : null });
    }
    return found;
  }

  /** Varies something, over its first few values. */
  varies(axis: Axis, second = false): void {
    const from = axis.low ?? 0;
    const made = { axis, from: Math.max(from, axis.low === 0 ? 0 : from), to: Math.min(axis.high ?? from + LONGEST_SPAN - 1, from + LONGEST_SPAN - 1) };
    this.varied = second ? [...this.varied.slice(0, 1), made] : [made, ...this.varied.slice(1).filter((each) => each.axis.path !== axis.path)];
  }

  private subjects(): (readonly [group: string, values: readonly (readonly [value: string, says: string])[]])[] {
    const worths = this.choices?.begins?.worths ?? [];
    const declared = this.choices?.measures.flatMap((each) => each.asked) ?? [];
    const titles = new Map((this.choices?.measures ?? []).flatMap((each) => each.asked.map((one) => [one, each.title] as const)));
    const named = (each: string): readonly [string, string] => [each, titles.get(each) ? `${titles.get(each)}${/\(.*\)/.exec(each)?.[0] ? ` ${/\(.*\)/.exec(each)?.[0]}` : ""}` : worthSaid(each)];
    const things = this.things();
    const counted = [...new Set([...worths.filter((each) => declared.includes(each)), ...declared])];
    return [
      ["", this.procedure?.gives ? [[RESULT, "the result"]] : []],
      ["What is counted", counted.map(named)],
      ["Pieces", things.map((each) => [each, theThing(each, this.players)])],
      ["Numbers at the end", worths.filter((each) => !declared.includes(each)).map(named)],
      ["", [[OWN, this.own ? `“${this.own}”` : "something of my own…"]]],
    ];
  }

  private subjectSaid(): string {
    for (const [, values] of this.subjects()) for (const [value, says] of values) if (value === this.subject) return says;
    return this.own;
  }

  private predicates(): (readonly [value: string, says: string])[] {
    if (this.things().includes(this.subject)) {
      const are = isMany(this.subject) ? "are" : "is";
      return [[OUT, `${are} out of play`], [IN, `${are} still in play`]];
    }
    const outcomes = this.subject === RESULT ? this.outcomes() : [];
    if (outcomes.length) return [...outcomes, [EACH, "is any of them"]];
    return [[EACH, this.subject === OWN ? "is so, or is each value in turn" : "is each value in turn"], ["least", "is at least"], ["most", "is at most"], ["exactly", "is exactly"]];
  }

  /** What a procedure can give, as long as these are words or pieces. */
  private outcomes(): (readonly [value: string, says: string])[] {
    const { procedure } = this;
    if (procedure?.outcomes.length) return procedure.outcomes.map((each) => [each.value, `is ${each.says}`] as const);
    const gives = procedure?.gives ?? "";
    const kind = this.choices?.things.find((each) => each.kind === gives.replace(/\?$/, ""));
    return [...(kind?.things ?? []).map((each) => [each.id, `is ${theThing(each.id, this.players)}`] as const), ...(kind && gives.endsWith("?") ? [[NOBODY, "is nobody"] as const] : [])];
  }

  private predicateSaid(): string {
    const says = this.predicates().find(([value]) => value === this.predicate)?.[1] ?? "";
    if (this.subject === OWN && this.predicate === EACH) return "holds";
    return ["least", "most", "exactly"].includes(this.predicate) ? `${says} ${this.number}` : says;
  }

  /** Draws the sentence anew; what had the focus has it again. */
  show(): void {
    const focus = document.activeElement instanceof HTMLElement && this.node.contains(document.activeElement) ? document.activeElement.dataset["blank"] : undefined;
    const { procedure } = this;
    const several = this.playable();
    const titled = (name: string): string => within(this.choices?.procedures.find((each) => each.name === name)?.title || spoken(name));
    const subject = this.blank("subject", "What it is about", this.subjects(), this.subject, (value) => {
      this.subject = value;
      this.predicate = this.predicates()[0]?.[0] ?? EACH;
      if (value === RESULT) this.predicate = this.procedure?.outcomes.at(-1)?.value ?? EACH;
    }, this.side(this.subject));
    fill(this.node,
      "How likely is it that ",
      subject, " ",
      this.subject === OWN ? this.ownBlank() : null,
      this.blank("predicate", "What becomes of it", [["", this.predicates()]], this.predicate, (value) => (this.predicate = value)),
      ...(["least", "most", "exactly"].includes(this.predicate) ? [" ", this.numeric("number", "How much", this.number, (value) => (this.number = value))] : []),
      " in ",
      several.length > 1 ? this.blank("procedure", "What is played", [["", several.map((each) => [each, titled(each)] as const)]], procedure?.name ?? "", (value) => this.begin(value), undefined, true) : el("b", {}, procedure ? titled(procedure.name) : "a play"),
      ...this.cast(procedure),
      ...this.varying(),
      "?");
    fill(this.below,
      el("label", {}, el("span", {}, "Begins as in"), this.starts()),
      el("label", {}, el("span", {}, "Where players choose"), this.select("Who chooses", [["first", "the first legal answer"], ["random", "each legal answer as likely as the others"], ["", "only what the scenario says"]], this.chooser, (value) => { [this.chooser, this.isChooserChosen] = [value, true]; })),
      this.varied.length === 1 ? button("+ and when…", () => this.again(() => { const next = this.second(); if (next) this.varies(next, true); }), { class: "more" }) : null);
    if (focus) this.node.querySelector<HTMLElement>(`[data-blank="${focus}"]`)?.focus();
  }

  /** What goes best with what is varied: the same attribute of another with a role, else whatever comes next. */
  second(): Axis | undefined {
    const [first] = this.varied;
    const axes = this.axes().filter((each) => each.path !== first?.axis.path && each.low !== null);
    const holders = this.holders();
    return axes.find((each) => each.noun === first?.axis.noun && holders.includes(each.of)) ?? axes.find((each) => each.noun === first?.axis.noun) ?? axes[0];
  }

  private again(change: () => void): void {
    change();
    this.show();
    this.changed();
  }

  private cast(procedure: Procedure | undefined): Child[] {
    const own = this.choices?.begins?.with ?? {};
    const roles = (procedure?.roles ?? []).filter((each) => each.fits.length > 0);
    return roles.flatMap((each, at) => {
      const chosen = this.roles.get(each.name) ?? String(own[each.name] ?? "");
      const blank = this.blank(`role ${each.name}`, `The ${spoken(each.name)}`, [["", each.fits.map((one) => [one, theThing(one, this.players)] as const)]], chosen, (value) => {
        const before = this.casts();
        this.roles.set(each.name, value);
        this.recast(before);
      }, this.side(chosen));
      return [at === 0 ? " with " : at === roles.length - 1 ? " and " : ", ", blank, each.name.length > 1 ? ` as ${spoken(each.name)}` : null];
    });
  }

  private varying(): Child[] {
    const axes = this.axes();
    const whose = (each: Axis): string => (each.of ? theThing(each.of, this.players) : "The play");
    const groups = (without: string): (readonly [string, readonly (readonly [string, string])[]])[] => [
      ["", [["", without]]],
      ...[...new Set(axes.map(whose))].map((name) => [name, axes.filter((each) => whose(each) === name).map((each) => [each.path, each.of ? `the ${each.says}` : each.says] as const)] as const),
    ];
    if (!this.varied.length) {
      return axes.length ? [" ", this.blank("axis 0", "What is varied", groups("as things stand"), "", (value) => { const axis = axes.find((each) => each.path === value); if (axis) this.varies(axis); })] : [];
    }
    return this.varied.flatMap((each, at) => {
      const choose = (value: string): void => {
        const axis = axes.find((one) => one.path === value);
        if (!axis) this.varied = this.varied.filter((one) => one !== each);
        else if (at === 0) this.varies(axis);
        else this.varies(axis, true);
      };
      const range = each.axis.low === null
        ? [" is each in turn"]
        : [" is ", this.numeric(`from ${at}`, "From", each.from, (value) => (each.from = value), each.axis), " to ", this.numeric(`to ${at}`, "To", each.to, (value) => (each.to = value), each.axis)];
      return [at ? " and " : " when ", this.blank(`axis ${at}`, "What is varied", groups("nothing is varied"), each.axis.path, choose), ...range];
    });
  }

  private select(label: string, values: readonly (readonly [string, string])[], chosen: string, choose: (value: string) => void): HTMLSelectElement {
    const made = el("select", { label }, ...values.map(([value, says]) => el("option", { value }, says)));
    made.value = chosen;
    made.addEventListener("change", () => this.again(() => choose(made.value)));
    return made;
  }

  private blank(name: string, label: string, groups: readonly (readonly [group: string, values: readonly (readonly [value: string, says: string])[]])[], chosen: string, choose: (value: string) => void, side?: string, alone = false): HTMLSelectElement {
    const made = el("select", { class: `blank ${side ?? ""}`.trim(), label, "data-blank": name }, ...groups.filter(([, values]) => values.length).flatMap(([group, values]) => {
      const options = values.map(([value, says]) => el("option", { value }, says));
      if (!group) return options;
      const grouped = el("optgroup", {}, ...options);
      grouped.label = group;
      return [grouped];
    }));
    made.value = chosen;
    made.addEventListener("change", () => (alone ? choose(made.value) : this.again(() => choose(made.value))));
    return made;
  }

  private numeric(name: string, label: string, value: number, choose: (value: number) => void, bounds?: Axis): HTMLInputElement {
    const made = el("input", { class: "blank", type: "number", label, "data-blank": name, value: String(value), min: bounds?.low ?? undefined, max: bounds?.high ?? undefined });
    made.addEventListener("change", () => { if (made.validity.valid && made.value) this.again(() => choose(Number(made.value))); else made.value = String(value); });
    return made;
  }

  private ownBlank(): HTMLInputElement {
    const made = el("input", { class: "blank own", label: "In the words of the rules", "data-blank": "own", value: this.own, list: "odds-measures", placeholder: this.choices?.begins?.worths[0] ?? "count(units)", spellcheck: "false", autocomplete: "off" });
    made.addEventListener("change", () => this.again(() => (this.own = made.value.trim())));
    return made;
  }
}
