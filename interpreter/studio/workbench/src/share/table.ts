/** The table of the page: board above, what is asked and its answers in reach of a thumb below. */
import { face, roll, tumble, type Die } from "../dice";
import { drawing, type Drawing } from "../drawing";
import { button, coded, el, fill, page, type Child } from "../elements";
import { question as askedInFields, type Asks } from "../panes/play_question";
import type { Moment } from "../panes/play_line";
import { plain, runs, type Runs } from "../panes/play_story";
import { sides } from "../sides";
import { changeSaid } from "../told";
import { Stopped, type Engine, type Reply, type Request } from "./engine";
import type { Done, Kept, Noted, Store } from "./kept";
import { dialog } from "./sheets";

/** What the page was given to show, besides the plays. */
export interface Texts {
  readonly ruleset: string;
  readonly title: string;
  readonly revision: string;
  readonly fingerprint: string;
  readonly seed: number | null;
  readonly made: Readonly<Record<string, string>>;
  readonly chapter: string;
  readonly sheet: string;
  readonly licences: string;
  readonly scenarios: readonly { readonly name: string; readonly file: string; readonly procedure: string; readonly first: Moment }[];
}

/** What the table asks of the page around it. */
export interface Around {
  over(): void;
  leave(): void;
  /** Goes on in this tab with a play that another one went on with. */
  again(): void;
}

/** A die that fell with the last answer. */
interface Fallen extends Die {
  readonly shown: string;
}

const WAITS_MS = 400;
/** So long after a table was laid out taps are ignored: the second one of a double tap was not meant for it. */
const SETTLES_MS = 500;
/** How long a page has to be hidden before it asks whether its engine still lives. */
const NAP_MS = 5000;
const MOST_DICE = 24;
/** Lines of what happened over a question; where there is no board they have its place. */
const NEWS = 3, NEWS_WITHOUT_BOARD = 9;
/** Lines that say what came of something, but not those of a list of what is refused, which stand in columns. */
const RESULTS = new Set(["good", ""]), REFUSED = / {2,}/;
/** So many answers are listed even where all of them can be pressed on the board. */
const SHORT_LIST = 4;
/** Requests that change the play, and are done again where it is opened anew. */
const CHANGING = new Set(["answer", "throw", "undo"]);
const PRESS = matchMedia("(pointer: coarse)").matches ? "Tap" : "Press";
const KINDS = ["Unclear", "Too strong", "Fun", "We played it otherwise"];
const HIDES = "What is hidden stays off the screen until its player looks. One device cannot hide it from whoever looks into the page's code or storage: play with people you trust.";

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const isFault = (over: readonly Runs[]): boolean => over[0]?.[0]?.[0] === "error" && over[0][0][1].startsWith("fault ");

export class Table {
  readonly host = el("div", { class: "table" });
  private moment: Moment;
  private told = 0;
  /** How much each player had been told when they answered last. */
  private readonly seen = new Map<string, number>();
  private fell: readonly Fallen[] = [];
  private busy = false;
  private readonly head = el("header", { class: "head" });
  private readonly boards = el("div", { class: "boards" });
  private readonly panel = el("section", { class: "panel", label: "What is asked" });
  private readonly status = el("p", { class: "status", role: "status", "aria-live": "polite" });
  private drawn: Drawing[] = [];
  private shownBoards = "";
  private press: (number: number) => void = () => undefined;
  private rolls: (() => void) | null = null;
  private looking = false;

  constructor(
    readonly play: Kept,
    private readonly engine: Engine,
    private readonly store: Store,
    private readonly texts: Texts,
    private readonly around: Around,
    private opened: Promise<Reply>,
    first: Moment,
  ) {
    this.moment = first;
    this.host.append(this.head, this.boards, this.panel, this.status);
    this.host.classList.add("settling");
    setTimeout(() => this.host.classList.remove("settling"), SETTLES_MS);
    this.panel.addEventListener("toggle", ({ target }) => this.reveal(target as HTMLElement), true);
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("pointerdown", ({ target }) => { if (!this.busy && !this.status.contains(target as Node)) fill(this.status); }, true);
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.leaves(); else this.comesBack(); });
    addEventListener("pageshow", ({ persisted }) => { if (persisted) this.comesBack(); });
    addEventListener("storage", () => this.lookElsewhere());
    addEventListener("beforeunload", (event) => { if (this.host.isConnected && this.store.trouble && this.play.done.length) event.preventDefault(); });
    this.show();
    if (store.trouble) this.warn();
    void this.arrive();
  }

  private get scenario(): number {
    return this.texts.scenarios.findIndex((each) => each.name === this.play.scenario);
  }

  /** What the engine says of the play replaces what was shown until it was there. */
  private async arrive(): Promise<void> {
    try {
      const reply = await this.opened;
      if (reply.stopped) this.say(`The play went on as far as the rules let it: ${reply.stopped}`);
      if (reply.done !== undefined && reply.done < this.play.done.length) this.play.done.splice(reply.done);
      if (reply.moment && !this.busy) this.take(reply.moment);
    } catch (fault) {
      this.failed(fault);
    }
  }

  /** Brings what was opened out from under the bar. */
  private reveal(opened: HTMLElement): void {
    if (opened instanceof HTMLDetailsElement && opened.open) opened.scrollIntoView({ block: opened.offsetHeight > this.panel.clientHeight / 2 ? "start" : "nearest" });
  }

  private say(words: string): void {
    fill(this.status, ...coded(words));
  }

  private failed(fault: unknown): void {
    if (fault instanceof Stopped) return this.say("Stopped. The play is as it was before.");
    fill(this.status, "The engine of this page has failed. The play is as it was. ", button("Start it again", () => void this.restart(), { class: "quiet" }));
  }

  private async restart(): Promise<void> {
    this.say("The engine starts again…");
    this.engine.restart();
    try {
      await this.again();
      this.say("");
    } catch (fault) {
      this.failed(fault);
    }
  }

  // Away and back.

  private hidden = 0;

  private leaves(): void {
    this.hidden = Date.now();
    this.hide();
  }

  /** A device may end the engine of a page that sleeps: it is started anew then, and the play set up as it was. */
  private comesBack(): void {
    this.lookElsewhere();
    if (this.host.isConnected && !this.busy && Date.now() - this.hidden > NAP_MS) void this.engine.isAlive().then((lives) => { if (!lives && !this.busy) void this.restart(); });
  }

  private lookElsewhere(): void {
    if (!this.host.isConnected || !this.store.isElsewhere(this.play)) return;
    this.press = () => undefined;
    this.rolls = null;
    this.pick = () => undefined;
    fill(this.status);
    fill(this.panel, el("h1", { class: "asked" }, "This play goes on in another tab"),
      el("p", {}, "What you do there is kept. This tab waits: two would write over each other."),
      button("Go on here instead", () => this.around.again(), { primary: true, class: "wide", "data-first": true }),
      button("Begin another play", () => this.around.leave(), { class: "wide" }));
  }

  /** Asks the engine; what it refuses is said, and null is answered. */
  private async act(request: Request): Promise<Reply | null> {
    if (this.busy) return null;
    if (this.store.isElsewhere(this.play)) {
      this.lookElsewhere();
      return null;
    }
    this.busy = true;
    this.host.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => this.waits(), WAITS_MS);
    const before = this.moment;
    try {
      await this.opened;
      const reply = await this.engine.ask(request);
      this.say("");
      if (reply.problem !== undefined) {
        this.say(reply.problem);
        return null;
      }
      if (CHANGING.has(request.do)) this.note(request, before);
      return reply;
    } catch (fault) {
      this.failed(fault);
      if (fault instanceof Stopped) await this.again().catch((other) => this.failed(other));
      return null;
    } finally {
      clearTimeout(slow);
      this.busy = false;
      this.host.removeAttribute("aria-busy");
    }
  }

  private waits(): void {
    if (this.engine.hasStarted) fill(this.status, "Working it out… ", button("Stop", () => this.engine.restart(), { class: "quiet" }));
    else this.say("Getting ready: a moment longer, this once.");
  }

  /** Plays again what was done, after the engine was stopped. */
  private async again(): Promise<void> {
    this.opened = this.engine.ask({ do: "restore", scenario: this.scenario, seed: this.play.seed, requests: this.play.done.map((each) => each.request) });
    const reply = await this.opened;
    if (reply.moment) this.take(reply.moment);
  }

  private note(request: Request, before: Moment): void {
    const asks = before.asks ?? before.waits;
    this.seen.set(asks?.who ?? "", before.story.length);
    this.play.done.push({ request, who: asks?.who ?? "", asked: asks?.asked ?? "", at: Date.now() - this.play.began } satisfies Done);
    this.keep();
  }

  private keep(): void {
    this.play.changed = Date.now();
    const before = this.store.trouble;
    this.store.save(this.play);
    const { trouble } = this.store;
    if (trouble && trouble !== before) this.warn();
  }

  private warn(): void {
    fill(this.status, this.store.trouble, " ", button("Save it now", () => this.around.over(), { class: "quiet" }));
  }

  private take(moment: Moment): void {
    this.moment = moment;
    this.looking = false;
    this.show();
    this.lookElsewhere();
  }

  /** Gives an answer, and shows what comes of it to all at the table. */
  private async answer(typed: string): Promise<void> {
    const reply = await this.act({ do: "answer", typed });
    if (!reply?.moment) return;
    this.take(reply.moment);
  }

  /** The dice tumble until the engine has thrown them, and come to rest beside the next question, which does not wait for them. */
  private async throwDice(places: readonly HTMLElement[], asks: Asks): Promise<void> {
    const side = sides(this.moment.seats).get(asks.who);
    const kinds = asks.dice.map(({ faces }) => ({ faces, side }));
    const ends = this.busy ? [] : places.map((place, at) => tumble(place, kinds[at]));
    const reply = await this.act({ do: "throw" });
    for (const end of ends) end();
    if (!reply?.moment) return;
    const fell = asks.takes === "dice" ? reply.fell ?? [] : [];
    this.fell = fell.map((shown, at) => ({ ...kinds[at], shown }));
    this.take(reply.moment);
  }

  private async back(): Promise<void> {
    const { moment } = this;
    if (!moment.undo.can) return this.say(moment.undo.says);
    const reply = await this.act({ do: "undo" });
    if (!reply?.moment) return;
    this.remember("back", moment.undo.says, "");
    this.take(reply.moment);
    this.say(reply.says?.map((each) => each.map(([, text]) => text).join("")).join(" ") ?? "");
  }

  private remember(sort: Noted["sort"], about: string, address: string): void {
    this.play.noted.push({ sort, after: this.play.done.length, about, address, at: Date.now() - this.play.began });
    this.keep();
  }

  // What is shown.

  private named(who: string): string {
    return this.play.names[who] ? `${who}, ${this.play.names[who]}` : who;
  }

  private chip(who: string): Child {
    const side = sides(this.moment.seats).get(who);
    return el("strong", { class: side ? `chip ${side}` : "chip nobody" }, el("i", { class: side ? `hatched ${side}` : "" }), this.named(who) || this.moment.title);
  }

  private show(): void {
    const { moment } = this;
    (document.activeElement as HTMLElement | null)?.blur(); // else the browser lays out what is half replaced, to say that it lost the focus
    this.host.dataset["shown"] = String(Number(this.host.dataset["shown"] ?? 0) + 1);
    const who = moment.asks?.who ?? moment.waits?.who ?? "";
    fill(this.head, moment.over ? el("strong", {}, isFault(moment.over) ? "It stops here" : "It is over") : this.chip(who), el("span", { class: "faint" }, this.play.scenario),
      this.store.trouble ? button("Not kept", () => this.notKept(), { class: "quiet warns" }) : null);
    this.panel.className = `panel ${(who && sides(moment.seats).get(who)) ?? ""}`.trim();
    this.showBoards();
    this.rolls = null;
    this.press = () => undefined;
    if (Boolean(this.play.over) !== Boolean(moment.over)) {
      this.play.over = Boolean(moment.over);
      this.store.save(this.play);
    }
    if (moment.over) this.showEnd(moment.over);
    else if (moment.asks) this.showQuestion(moment.asks);
    else if (moment.waits?.covered) this.showCurtain(moment.waits.who, moment.waits.asked);
    this.told = moment.story.length;
    if (!moment.over) this.panel.querySelector<HTMLElement>("details.listed > summary, [data-first]")?.focus({ preventScroll: true });
  }

  private showBoards(): void {
    const { moment } = this;
    const shown = JSON.stringify(moment.boards.map(({ svg, spots }) => [svg, spots]));
    if (shown === this.shownBoards && moment.boards.length) return this.light(new Set());
    this.shownBoards = shown;
    const before = this.drawn.map((each) => each.standing);
    this.drawn = moment.boards.map((board) => drawing(board.svg, `The board ${board.name}`, { isWhole: true, spots: board.spots, pick: (spot) => this.pick(spot.typed), refuse: (where, why) => this.say(`${where}: ${why}`) }));
    const sheet = moment.sheet.length && !moment.boards.length ? this.sheet() : null;
    this.boards.classList.toggle("listed", sheet !== null);
    fill(this.boards, ...this.drawn.map((each) => each.host), sheet);
    this.boards.hidden = !this.boards.hasChildNodes();
    this.drawn.forEach((each, at) => each.comeFrom(before[at] ?? new Map()));
  }

  private pick: (typed: string) => void = () => undefined;

  private light(typed: ReadonlySet<string>): void {
    for (const each of this.drawn) each.light(typed);
  }

  /** What happened since this player answered last, in few lines: what came of it first, then what was done. */
  private news(): Child {
    const { story, asks, waits } = this.moment;
    const isTold = (line: Moment["story"][number]): boolean => line.text[0]?.[0] !== "dim";
    const since = Math.min(this.seen.get((asks ?? waits)?.who ?? "") ?? this.told, this.told);
    const fresh = story.slice(since).filter(isTold);
    const earlier = fresh.length && this.moment.boards.length ? [] : story.slice(0, since).filter(isTold);
    const dice = this.fell.slice(0, MOST_DICE).map((each) => {
      const place = el("span", { class: `die ${each.side ?? ""}`, role: "img", label: each.shown });
      void roll(place, each.shown, each);
      return place;
    });
    this.fell = [];
    const all = earlier.concat(fresh);
    const results = fresh.filter((line) => RESULTS.has(line.text[0]?.[0] ?? "") && !REFUSED.test(plain(line.text)));
    const most = this.moment.boards.length ? NEWS : NEWS_WITHOUT_BOARD;
    const kept = new Set([...results.slice(-most), ...all.slice().reverse()].slice(0, most));
    const lines = all.filter((line) => kept.has(line));
    if (!lines.length && !dice.length) return null;
    return el("ul", { class: dice.length ? "news fell" : "news", label: "What happened" }, ...lines.map((line) => el("li", { class: fresh.includes(line) ? "fresh" : undefined }, ...runs(line.text))), dice.length ? el("li", { class: "fallen" }, ...dice) : null);
  }

  private showQuestion(asks: Asks): void {
    const body = asks.takes === "dice" || asks.sort === "draw" || asks.sort === "shuffle" ? this.chance(asks) : asks.takes === "one" ? this.choices(asks) : this.fields(asks);
    fill(this.panel, this.looking ? el("p", { class: "secret" }, `Only ${this.named(asks.who)} looks. `, button("Hide", () => this.hide())) : this.news(),
      el("h1", { class: "asked", "aria-live": "polite" }, this.asked(asks)), ...body, this.bar());
  }

  /** The question as a heading; of a throw, who throws. */
  private asked({ who, asked }: { readonly who: string; readonly asked: string }): string {
    if (!/^(rolls|draws|shuffles) /.test(asked)) return asked;
    return `${who} ${asked.replace(/:$/, "").replace(/^(rolls) (throw|roll|die|dice)\b/, "$1").replaceAll("_", " ")}`;
  }

  private choices(asks: Asks): Child[] {
    const legal = asks.options.filter((each) => each.refused === null);
    const refused = asks.options.filter((each) => each.refused !== null);
    this.pick = (typed) => void this.answer(typed);
    this.press = (number) => {
      const found = legal.find((each) => each.typed === String(number));
      if (found) void this.answer(found.typed);
    };
    const spots = new Set(this.moment.boards.flatMap((board) => board.spots.filter((spot) => spot.refused === null).map((spot) => spot.typed)));
    const isShort = legal.length <= SHORT_LIST || !legal.every((each) => spots.has(each.typed));
    const list = el("ol", { class: "choices" }, ...legal.map((each, at) => {
        const pressed = button("", () => void this.answer(each.typed), { class: "choice", "data-first": at === 0 });
        const number = /^\d+$/.test(each.typed) && each.typed !== each.shown;
        pressed.append(number ? el("b", {}, each.typed) : "", el("span", {}, each.shown), each.title && each.title !== each.shown ? el("small", {}, each.title) : "");
        for (const [heard, lit] of [["focus", true], ["pointerenter", true], ["blur", false], ["pointerleave", false]] as const) {
          pressed.addEventListener(heard, () => this.light(new Set(lit && (heard !== "focus" || pressed.matches(":focus-visible")) ? [each.typed] : [])));
        }
        return el("li", {}, pressed);
      }));
    return [
      spots.size ? el("p", { class: "faint" }, isShort ? `${PRESS} a lit place, or choose below.` : `${PRESS} a lit place.`) : null,
      isShort ? list : el("details", { class: "listed" }, el("summary", {}, `All ${legal.length} answers`), list),
      refused.length ? el("details", { class: "refused" }, el("summary", {}, "Not possible now"), el("ul", {}, ...refused.map((each) => el("li", {}, el("s", {}, each.shown), ` ${each.refused ?? ""}`)))) : null,
    ];
  }

  private chance(asks: Asks): Child[] {
    const verb = asks.sort === "draw" ? "Draw" : asks.sort === "shuffle" ? "Shuffle" : "Roll";
    const isDice = asks.takes === "dice" && asks.dice.length > 0;
    const told = el("ul", { class: "consequences", label: "What each face does" });
    if (isDice && asks.dice.length === 1) void this.consequences(told);
    if (this.play.dice === "typed") return [...this.typedDice(asks), told];
    const side = sides(this.moment.seats).get(asks.who);
    const shown = asks.dice.slice(0, MOST_DICE);
    const places = shown.map((each) => el("span", { class: `die ${side ?? ""}` }, face(each.faces.at(-1) ?? "?", { faces: each.faces })));
    const thrown = (): void => void this.throwDice(places, asks);
    this.rolls = thrown;
    this.press = (number) => { if (number === 1) thrown(); };
    const label = isDice ? `${verb} ${asks.dice.length === 1 ? "the die" : `${asks.dice.length} dice`}` : verb;
    const pressed = el("button", { type: "button", class: isDice ? "throw" : "primary wide", label, "data-first": true, on: { click: thrown } }, ...(isDice ? places : [verb]));
    return [pressed, told, isDice ? el("p", { class: "faint" }, asks.dice.length === 1 ? `${PRESS} the die.` : `${PRESS} the dice.`) : null,
      el("details", { class: "typed" }, el("summary", {}, "Type what fell instead"), ...this.typedDice(asks))];
  }

  /** What each face would do, told before it falls; of a face for which there are no words, nothing. */
  private async consequences(place: HTMLElement): Promise<void> {
    const { moment } = this;
    const reply = await this.opened.then(() => this.engine.ask({ do: "faces" })).catch(() => null);
    if (!reply?.faces || this.moment !== moment) return;
    const groups: { readonly faces: string[]; readonly says: string }[] = [];
    for (const { face: each, says } of reply.faces.rows) {
      const last = groups.at(-1);
      if (last?.says === says) last.faces.push(each);
      else groups.push({ faces: [each], says });
    }
    if (groups.length > 1) fill(place, ...groups.filter(({ says }) => says).map(({ faces, says }) => el("li", {}, el("b", {}, faces.length > 1 ? `${faces[0]}–${faces.at(-1)}` : faces[0] ?? ""), ` ${says.split("; ").map(changeSaid).join("; ")}`)));
  }

  private *typedDice(asks: Asks): Iterable<Child> {
    if (asks.takes !== "dice" || asks.dice.length > MOST_DICE) return void (yield* this.fields(asks));
    if (asks.dice.length === 1) {
      yield el("ol", { class: "faces bare", label: "What fell" }, ...(asks.dice[0]?.faces ?? []).map((each) =>
        el("li", {}, el("button", { type: "button", class: "die", label: each, on: { click: () => void this.answer(each) } }, face(each, { faces: asks.dice[0]?.faces ?? [] })))));
      this.press = (number) => { if (asks.dice[0]?.faces.includes(String(number))) void this.answer(String(number)); };
      return;
    }
    const fields = asks.dice.map((each) => el("select", { label: each.called }, ...each.faces.map((one) => el("option", { value: one }, one))));
    yield el("div", { class: "several" }, ...asks.dice.map((each, at) => el("label", {}, el("span", {}, each.called), fields[at])));
    yield button("Use these dice", () => void this.answer(fields.map((each) => each.value).join(" ")), { class: "wide" });
  }

  private fields(asks: Asks): Child[] {
    const shown = askedInFields(asks, [], { side: sides(this.moment.seats).get(asks.who) ?? "nobody", drawn: false, answer: (typed) => void this.answer(typed), throwDice: () => void this.throwDice([], asks), light: (typed) => this.light(typed) });
    this.pick = (typed) => shown.pick(typed);
    this.press = (number) => shown.press(number);
    return [shown.body];
  }

  // Secrets.

  private showCurtain(who: string, asked: string): void {
    fill(this.panel, this.news(), el("div", { class: "curtain" },
      el("h1", { class: "asked" }, `Hand this to ${this.named(who)}`),
      el("p", {}, asked),
      button(`I am ${who}: look`, () => void this.look(), { primary: true, class: "wide", "data-first": true }),
      el("p", { class: "faint" }, HIDES)), this.bar());
    this.press = (number) => { if (number === 1) void this.look(); };
  }

  private async look(): Promise<void> {
    const reply = await this.act({ do: "see", look: true });
    if (!reply?.moment) return;
    this.moment = reply.moment;
    this.looking = true;
    this.show();
  }

  private hide(): void {
    if (!this.looking) return;
    this.looking = false;
    void this.act({ do: "see" }).then((reply) => { if (reply?.moment) this.take(reply.moment); });
    fill(this.panel);
  }

  // Around the question.

  private bar(): HTMLElement {
    const undo = button("Undo", () => void this.back());
    undo.disabled = !this.moment.undo.can;
    return el("nav", { class: "bar", label: "At any moment" }, undo, button("Why?", () => this.story(true)), button("Rules", () => this.rules()), button("Remark", () => void this.remark(), { class: "accent" }), button("Menu", () => this.menu()));
  }

  private showEnd(over: readonly Runs[]): void {
    const fault = isFault(over) ? over : null;
    const [, value, low, high] = /` is (\S+), outside (\S+?)\.\.(\S+)$/.exec(plain(fault?.[0] ?? [])) ?? [];
    fill(this.panel, this.news(), el("h1", { class: "asked" }, fault ? "The rules do not say what happens here" : "It is over"),
      fault ? el("p", {}, value === undefined ? "" : `A value came up that the rules have no place for: ${value.replace("-", "−")}, where ${low} to ${high} is possible. `, "Please send this back.") : null,
      fault ? el("details", {}, el("summary", {}, "Details for the designer"), el("ul", { class: "ending" }, ...fault.map((each) => el("li", {}, ...runs(each))))) : null,
      fault ? null : el("ul", { class: "ending", label: "How it ended" }, ...over.filter((each) => plain(each) !== `${this.moment.procedure} ended`).map((each) => el("li", {}, ...runs(each)))),
      el("p", { class: "faint" }, `${counted(this.play.done.length, "answer")}, ${counted(this.play.remarks.length, "remark")}`),
      button("Send back what happened", () => this.around.over(), { primary: true, class: "wide", "data-first": true }),
      button("Play again", () => this.around.leave(), { class: "wide" }), this.bar());
    this.panel.querySelector<HTMLElement>("[data-first]")?.focus({ preventScroll: true });
  }

  private notKept(): void {
    const { close } = dialog("This play is not kept", [
      el("p", {}, this.store.trouble),
      el("p", { class: "faint" }, "The file is the one that is sent back. To go on with it: open this page, More, Go on from a file."),
      button("Save the play", () => { close(); this.around.over(); }, { primary: true, class: "wide" }),
    ]);
  }

  private menu(): void {
    const { close } = dialog("The play", [
      el("div", { class: "stack" },
        button("What happened", () => { close(); this.story(false); }),
        button("What is on the table", () => { close(); this.things(); }),
        button("Reference sheet", () => { close(); this.text("Reference sheet", this.texts.sheet); }),
        button("Rules", () => { close(); this.rules(); }),
        button("Send back what happened", () => { close(); this.around.over(); }),
        button("Leave this play", () => { close(); this.around.leave(); })),
      el("p", { class: "faint" }, `Seed ${this.play.seed}. Revision ${this.texts.revision}, ${this.texts.fingerprint.slice(0, 12)}.`),
      this.moment.secrets ? el("p", { class: "faint" }, HIDES) : null,
    ]);
  }

  private things(): void {
    dialog("What is on the table", [this.sheet()]);
  }

  /** What is on the table, each thing in the colour of its side. */
  private sheet(): HTMLElement {
    const colours = sides(this.moment.seats);
    return el("ul", { class: "things", label: "What is on the table" }, ...this.moment.sheet.map((each) => {
      const [name, ...rest] = each.split(": ");
      const said = rest.join(": ");
      const owner = this.moment.seats.find((seat) => said.split(", ").includes(`owner ${seat}`));
      const side = owner && colours.get(owner);
      const others = said.split(", ").filter((one) => !owner || one !== `owner ${owner}`);
      if (!said) return el("li", {}, each);
      return el("li", { class: side || undefined }, el("strong", {}, side ? el("i", { class: `hatched ${side}` }) : null, name ?? ""), owner ? el("small", {}, owner) : null, el("span", {}, others.join(", ")));
    }));
  }

  private rules(): void {
    this.text("Rules", this.texts.chapter);
  }

  private text(title: string, shown: string): void {
    dialog(title, [el("div", { class: "game" }, page(shown))]);
  }

  /** What happened, each line with what led to it; `last`: from what happened since the last answer on. */
  private story(last: boolean): void {
    const lines = this.moment.story.map((line) => {
      const under = el("div", { class: "why", hidden: true });
      const told = el("button", { type: "button", class: "told", "aria-expanded": "false" }, ...runs(line.text));
      told.style.setProperty("--depth", String(line.depth));
      told.addEventListener("click", () => void this.why(told, under, line));
      return el("li", {}, told, under);
    });
    const list = el("ol", { class: "story", label: "What happened" }, ...lines);
    dialog(last ? "Why?" : "What happened", [el("p", { class: "faint" }, lines.length ? `${PRESS} a line to see what led to it.` : "Nothing has happened yet."), list]);
    lines.at(-1)?.scrollIntoView({ block: "end" });
    (lines.at(-1)?.querySelector("button"))?.focus();
  }

  private async why(told: HTMLButtonElement, under: HTMLElement, line: Moment["story"][number]): Promise<void> {
    under.hidden = !under.hidden;
    told.setAttribute("aria-expanded", String(!under.hidden));
    if (under.hidden || under.hasChildNodes()) return;
    this.remember("why", line.text.map(([, text]) => text).join(""), line.of[1]);
    const reply = await this.act({ do: "why", of: line.of });
    fill(under, ...(reply?.says ?? []).map((each) => el("p", {}, ...runs(each))));
  }

  private async remark(): Promise<void> {
    const { moment } = this;
    const asks = moment.asks ?? moment.waits;
    const text = el("textarea", { label: "Your remark", rows: 4, maxlength: 4000 });
    const kinds = KINDS.map((each, at) => el("label", { class: "kind" }, el("input", { type: "radio", name: "kind", value: each, checked: at === 0 }), el("span", {}, each)));
    const who = el("select", { label: "Who says it" }, ...[...moment.seats, ""].map((each) => el("option", { value: each, selected: each === asks?.who }, each ? this.named(each) : "all of us")));
    const lacks = el("p", { class: "notice", role: "status" });
    const { close } = dialog("What should the designer know?", [
      el("p", { class: "faint" }, "Kept with this moment", asks ? `: ${this.named(asks.who)} is asked ${asks.asked}` : "."),
      el("div", { class: "kinds", role: "radiogroup", label: "What sort" }, ...kinds), text, lacks, moment.seats.length ? el("label", { class: "field" }, el("span", {}, "Who says it"), who) : null,
      button("Keep the remark", () => {
        if (!text.value.trim()) {
          fill(lacks, "Write the remark first.");
          return void text.focus();
        }
        const kind = kinds.map((each) => each.querySelector("input")).find((each) => each?.checked)?.value ?? "";
        this.play.remarks.push({ kind, text: text.value.trim(), who: who.value, after: this.play.done.length, asked: asks?.asked ?? "", address: moment.story.at(-1)?.of[1] ?? "", at: Date.now() - this.play.began });
        this.keep();
        close();
        this.say("The remark is kept with this moment.");
      }, { primary: true, class: "wide" }),
    ]);
    text.focus();
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as Element | null;
    if (!this.host.isConnected || event.ctrlKey || event.metaKey || event.altKey || target?.closest("input, textarea, select, dialog")) return;
    const key = event.key.toLowerCase();
    const deeds: Readonly<Record<string, () => void>> = { r: () => this.rolls?.(), u: () => void this.back(), y: () => this.story(true), m: () => void this.remark() };
    const deed = deeds[key];
    if (deed) {
      event.preventDefault();
      deed();
    } else if (/^[1-9]$/.test(key)) this.press(Number(key));
  }
}
