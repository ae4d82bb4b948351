/** One line of a play: its boards, what is asked, what happened and why. */
import { faceRow } from "../dice";
import { drawing, type Drawing, type Spot, type Standing } from "../drawing";
import { ask, button, coded, el, fill, type Child } from "../elements";
import { filed } from "../names";
import { type Side, sides } from "../sides";
import { worthSaid } from "./odds_question";
import { PlacedBase, type Sights } from "./play_base";
import { capital, question, type Advice, type Asked, type Asks, type FacesOfDie } from "./play_question";
import { fallen, plain, runs, Story, type Runs, type StoryLine } from "./play_story";

/** Where the origin of a plane is drawn, how long a unit is there, and what is to be placed on it. */
export interface Plane {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  readonly unit: string;
  readonly base: {
    readonly thing: string;
    readonly side: Side;
    readonly from: readonly [x: number, y: number] | null;
    readonly radius: number;
    readonly outline: string;
    readonly facing: number;
  } | null;
}

export interface Moment {
  readonly ruleset: string;
  readonly procedure: string;
  readonly title: string;
  readonly seed: number | null;
  readonly seats: readonly string[];
  readonly secrets: boolean;
  readonly line: number;
  readonly lines: readonly { readonly line: number; readonly of: number | null; readonly before: string; readonly over: boolean }[];
  readonly story: readonly StoryLine[];
  readonly asks: Asks | null;
  readonly waits: { readonly who: string; readonly asked: string; readonly covered: boolean; readonly chance: boolean } | null;
  readonly over: readonly Runs[] | null;
  readonly turns: readonly { readonly turn: number; readonly asked: string; readonly told: string }[];
  readonly sheet: readonly string[];
  /** What players may want the most of. */
  readonly worths: readonly string[];
  readonly undo: { readonly can: boolean; readonly says: string };
  readonly boards: readonly {
    readonly name: string;
    readonly svg: string;
    readonly spots: readonly Spot[];
    readonly plane: Plane | null;
  }[];
  readonly found: readonly string[];
}

export interface Reply {
  readonly moment: Moment;
  readonly version: number;
  /** Whether the rules were edited since this play began, or since it was played again. */
  readonly edited: boolean;
  readonly says?: readonly Runs[];
  readonly advice?: readonly Advice[];
  readonly faces?: FacesOfDie;
  readonly sights?: Sights;
  readonly file?: string;
}

/** What a line of play asks of the pane. */
export interface Around {
  /** Asks the server about this line; null where it was refused, which `refused` hears, or is said. */
  act(asked: Readonly<Record<string, unknown>>, refused?: (why: string) => void): Promise<Reply | null>;
  place(file: string, line: number): void;
  say(words: string, fails?: boolean): void;
  /** Says something to a reader of the screen that everybody else sees. */
  tell(words: string): void;
  /** A name for a scenario file that is not there yet. */
  free(): string;
  /** Shows a line of play anew. */
  again(line: number): Promise<void>;
  /** What can be done once a play is over. */
  next(): Child;
}

const MOST_OFFERED = 20;
const MOST_REASONS = 8;

/** How advice says that it can be given if all know what lies in a bag or deck. */
const KNOWN = /`advise .* --known (\S+)`$/;

/** A question as a heading: what chance decides is a deed of the table, and no colon ends it. */
function headline(asked: string): string {
  return asked
    .replace(/^rolls (\S+?)(?: again)?:$/, (_, name: string) => (/^(throw|roll|die|dice)$/.test(name) ? "Roll" : `Roll for ${name.replaceAll("_", " ")}`))
    .replace(/^(shuffle|draw)s (.*):$/, (_, deed: string, what: string) => `${capital(deed)} ${what.replaceAll("_", " ")}`)
    .replace(/:$/, "");
}

interface Ending {
  /** Whether it is over, or stopped. */
  readonly is: string;
  /** What came of it, in the author's words; empty where the procedure gives nothing. */
  readonly result: string;
  /** Of each thing what is different now. */
  readonly changes: readonly (readonly [thing: string, what: readonly string[]])[];
  readonly others: readonly Runs[];
}

/** `pikes.at: (5, 3) → (6, 3)`, or `pikes are out of play`. */
const CHANGED = /^ {2}(?:(\S+)\.(\S+): (.*)|(\S+) (?:is|are) (out of play))$/;

function ending(moment: Moment): Ending {
  const [head, ...more] = moment.over ?? [];
  const said = head ? plain(head) : "";
  const ended = `${moment.procedure} ended`;
  const found = said === ended || said.startsWith(`${ended}: `);
  const changes = new Map<string, string[]>();
  const others = found || !head ? [] : [head];
  for (const each of more) {
    const [, thing, attribute, what, gone, out] = CHANGED.exec(plain(each)) ?? [];
    const name = (thing ?? gone)?.replaceAll("_", " ");
    if (name === undefined || (!found && each[0]?.[0] !== "")) others.push(each);
    else changes.set(name, [...(changes.get(name) ?? []), out ?? `${attribute === "at" ? "" : `${(attribute ?? "").replaceAll("_", " ")} `}${what ?? ""}`]);
  }
  const result = found ? said.slice(ended.length + 2) : "";
  return { is: found ? "The play is over" : "The play stopped", result, changes: [...changes], others };
}

/** What a player may want the most of, to be pressed. */
function offers(worths: readonly string[], choose: (worth: string) => void): Child[] {
  if (!worths.length) return ["Type the number that the player wants the most of, as the rules would write it."];
  return ["What does the player want the most of?", ...worths.slice(0, MOST_OFFERED).map((each) => button(worthSaid(each), () => choose(each), { title: each }))];
}

export class LineOfPlay {
  readonly host = el("section", { class: "line-of-play" });
  moment: Moment | null = null;
  private asked: Asked | null = null;
  private advice: readonly Advice[] = [];
  private says: readonly Runs[] = [];
  private readonly story: Story;
  /** Where the counters of each board stood before. */
  private readonly stood = new Map<string, Standing>();
  private base: PlacedBase | null = null;
  private drawings: readonly Drawing[] = [];
  private readonly had = el("div", { class: "had-been" });
  /** What advice is wanted about, and bags and decks of which all know what lies in them. */
  private wanted = "";
  private readonly known = new Set<string>();
  /** Whether something is done here, so that a second press of it is not heard. */
  private busy = false;
  /** A look at what others did that is under way. */
  private look: Promise<Reply | null> | null = null;

  constructor(
    readonly number: number,
    private readonly around: Around,
    private readonly seated: () => boolean,
  ) {
    this.story = new Story(
      (of) => this.around.act({ line: this.number, do: "why", of }).then((reply) => reply?.says ?? null),
      (file, line) => this.around.place(file, line),
    );
  }

  /** Asks, and shows what comes of it; `before` is waited for until it is shown. What is done here waits for a look at what others did. */
  async act(asked: Readonly<Record<string, unknown>>, refused?: (why: string) => void, before?: (reply: Reply) => Promise<void>): Promise<Reply | null> {
    const isOnlySeen = asked["do"] === "see" && asked["look"] !== true;
    if (this.busy || (isOnlySeen && this.look)) return null;
    if (isOnlySeen) {
      this.look = this.carryOut(asked, isOnlySeen, refused, before).finally(() => (this.look = null));
      return this.look;
    }
    this.busy = true;
    try {
      const shown = this.moment;
      await this.look?.catch(() => null);
      if (this.moment !== shown) {
        this.around.say("The play went on elsewhere. What is asked now?");
        return null;
      }
      return await this.carryOut(asked, isOnlySeen, refused, before);
    } finally {
      this.busy = false;
    }
  }

  private async carryOut(asked: Readonly<Record<string, unknown>>, isOnlySeen: boolean, refused?: (why: string) => void, before?: (reply: Reply) => Promise<void>): Promise<Reply | null> {
    if (asked["do"] === "advise") this.around.say("Working it out…");
    this.host.setAttribute("aria-busy", "true");
    try {
      const reply = await this.around.act({ line: this.number, ...asked }, refused);
      if (!reply) {
        this.around.say("");
        return null;
      }
      await before?.(reply);
      if (isOnlySeen && JSON.stringify(reply.moment) === JSON.stringify(this.moment)) return reply;
      this.says = reply.says ?? [];
      this.advice = reply.advice ?? [];
      if (asked["do"] === "advise") this.around.say(this.says.map(plain).filter((each) => !KNOWN.test(each)).join("; "));
      if (reply.moment.line === this.number) this.show(reply.moment, !isOnlySeen);
      return reply;
    } finally {
      this.host.removeAttribute("aria-busy");
    }
  }

  /** Waits until nothing is asked for this line any more. */
  async idle(): Promise<void> {
    while (this.busy || this.look) await new Promise((done) => setTimeout(done, 20));
  }

  /** Presses the answer of a number; not while the numbers on the board are costs. */
  press(number: number): void {
    if (!this.hasCosts) this.asked?.press(number);
  }

  private get hasCosts(): boolean {
    return this.moment?.boards.some((board) => board.spots.some((each) => each.cost !== undefined)) ?? false;
  }

  roll(): void {
    this.asked?.roll();
  }

  words(): void {
    this.asked?.words();
  }

  turn(degrees: number): void {
    this.base?.turn(degrees);
  }

  /** Brings the keyboard to what explains the last roll, or to the last line of the story. */
  explain(): void {
    (this.had.querySelector<HTMLElement>("button") ?? this.story.last())?.focus();
  }

  /** Shows a moment; `moved` says whether somebody here did something, so that the keyboard follows. */
  show(moment: Moment, moved = false): void {
    const inside = this.host.contains(document.activeElement);
    this.moment = moment;
    const drawings: Drawing[] = [];
    const light = (typed: ReadonlySet<string>): void => { for (const each of drawings) each.light(typed); };
    const colours = sides(moment.seats);
    const side = colours.get(moment.asks?.who ?? moment.waits?.who ?? "") ?? "nobody";
    const drawn = new Set(moment.boards.flatMap((each) => each.spots.map((spot) => spot.typed)));
    const legal = moment.asks?.options.filter((each) => each.refused === null) ?? [];
    this.asked = moment.asks
      ? question(moment.asks, this.advice, {
          side,
          drawn: moment.asks.takes === "place" ? drawn.size > 0 : legal.length > 1 && legal.every((each) => drawn.has(each.typed)),
          answer: (typed) => void this.act({ do: "answer", typed }),
          throwDice: (land, refused) => void this.throwDice(moment, land).then((reply) => { if (!reply) refused?.(); }),
          light,
        })
      : null;
    this.base = null;
    const boards = moment.boards.map((each) => this.board(each, drawings));
    this.drawings = drawings;
    fill(this.had);
    fill(
      this.host,
      this.head(moment),
      el("div", { class: boards.length ? "play-parts" : "play-parts no-board" },
        el("div", { class: "play-main" },
          el("div", { class: `asking ${side}${moment.over ? " over" : ""}`, role: "group", label: "What is asked" }, ...this.asking(moment, side)),
          boards.length ? el("div", { class: "boards" }, ...boards) : null),
        el("div", { class: "play-side" },
          this.asked?.tray ?? null,
          this.base ? el("section", { class: "card tray", label: "Exactly" }, el("h3", {}, "Exactly"), (this.base as PlacedBase).exact) : null,
          this.base ? (this.base as PlacedBase).seen : null,
          this.had,
          this.answered(),
          this.story.show(moment.story, colours),
          this.more(moment))),
    );
    if (moved && (inside || document.activeElement === document.body)) this.focus(moment);
    this.story.toEnd();
    for (const each of this.host.querySelectorAll<HTMLElement>(".board")) this.center(each, moment);
    if (moved) {
      this.reveal();
      this.around.tell(this.waiting(moment));
    }
    if (!this.seated() && !moment.secrets) void this.faces(moment, side);
  }

  private focus(moment: Moment): void {
    if (this.base) return (this.base as PlacedBase).focus();
    const isChosenThere = moment.asks && !this.asked?.tray && this.asked?.body.querySelector(":scope > .in-words");
    if (isChosenThere && this.drawings.some((each) => each.focus())) return;
    if (this.asked) this.asked.focus();
    else (this.host.querySelector<HTMLElement>(".play-next button") ?? this.host.querySelector<HTMLElement>(".asking button"))?.focus();
  }

  private throwDice(moment: Moment, land?: (fallen: readonly string[]) => Promise<void>): Promise<Reply | null> {
    const told = moment.story.length;
    return this.act({ do: "throw" }, undefined, async (reply) => { await land?.(fallen(reply.moment.story.slice(told))); });
  }

  /** What each face of the die does that is to be rolled; else what the last die that was rolled had done with another face. */
  private async faces(moment: Moment, side: Side): Promise<void> {
    const isDie = moment.asks?.takes === "dice" && moment.asks.dice.length === 1;
    const hasRolled = moment.story.some((each) => fallen([each]).length === 1);
    if (!isDie && (!hasRolled || moment.asks?.takes === "dice")) return;
    const reply = await this.around.act({ line: this.number, do: "faces" }, () => undefined);
    if (!reply?.faces || this.moment !== moment) return;
    const { faces } = reply;
    if (isDie) this.asked?.told(faces);
    else this.hadItBeen(faces, moment, side);
  }

  private hadItBeen(faces: FacesOfDie, moment: Moment, _: Side): void {
    const says = faces.rows.find((each) => each.face === faces.fell)?.says;
    if (faces.fell === null || !says || faces.rows.every((each) => each.says === says)) return;
    const reasons = el("ul", { class: "list reasons game" });
    const line = [...moment.story].reverse().find((each) => plain(each.text).includes(says.split("; ")[0] ?? says));
    fill(this.had, el("section", { class: "card tray", label: "Why" },
      el("h3", {}, `Why ${says}?`),
      reasons,
      el("p", { class: "eyebrow" }, "Had it been… ", el("span", {}, "press a face to play it from here")),
      faceRow({
        faces: faces.rows.map((each) => each.face), side: sides(moment.seats).get(faces.who), chosen: faces.fell, label: "Had it been",
        press: (face) => { if (face !== faces.fell) void this.instead(faces.turn ?? 0, face); },
        below: (face) => { const found = faces.rows.find((each) => each.face === face)?.says; return found ? { says: found, name: face === faces.fell ? `${found}, rolled` : found } : null; },
      })));
    if (line) void this.around.act({ line: this.number, do: "why", of: line.of }, () => undefined).then((reply) => {
      const lines = (reply?.says ?? []).filter((each) => plain(each).trim() !== "");
      const heading = lines.findLastIndex((each) => each.filter(([, words]) => words.trim()).every(([role]) => role === "strong") && !/\d*d\d+: /.test(plain(each)));
      fill(reasons, ...lines.slice(heading + 1).slice(-MOST_REASONS).map((each) => el("li", {}, ...this.story.words(each))));
    });
  }

  /** Another face than the one that fell, in a line of play beside this one. */
  private async instead(turn: number, face: string): Promise<void> {
    const reply = await this.act({ do: "fork", turn });
    if (reply) await this.around.act({ line: reply.moment.line, do: "answer", typed: face });
    if (reply) await this.around.again(reply.moment.line);
  }

  /** Scrolls a map that is wider than its place to what is lit. */
  private center(board: HTMLElement, moment: Moment): void {
    const at = [...this.host.querySelectorAll(".board")].indexOf(board);
    const lit = moment.boards[at]?.spots.filter((each) => each.refused === null) ?? [];
    const wide = this.drawings[at]?.svg?.viewBox.baseVal.width;
    const places = lit.length ? lit.map((each) => each.x) : [...(this.drawings[at]?.standing.values() ?? [])].map(([x]) => x);
    if (!places.length || !wide || board.scrollWidth <= board.clientWidth) return;
    const middle = places.reduce((sum, each) => sum + each, 0) / places.length;
    board.scrollLeft = (middle / wide) * board.scrollWidth - board.clientWidth / 2;
  }

  /** Brings what is asked now into view, with its answers, as far as there is room for both. */
  private reveal(): void {
    const heading = this.host.querySelector(".asked");
    if (!heading) return;
    const { top, bottom } = heading.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) heading.scrollIntoView({ block: "nearest" });
  }

  private waiting(moment: Moment): string {
    if (moment.asks) return `${moment.asks.who}: ${moment.asks.asked}`;
    if (moment.waits) return `Waits for ${moment.waits.who}: ${moment.waits.asked}`;
    return moment.over?.map(plain).join("; ") ?? "";
  }

  private head(moment: Moment): Child {
    const own = moment.lines.find((each) => each.line === this.number);
    if (moment.lines.length < 2) return null;
    if (!own || own.of === null) return el("h3", {}, "As it was played");
    return el("div", { class: "row" },
      el("h3", {}, own.before ? `What if not: ${own.before}` : "What if"),
      button("Close", () => void this.act({ do: "close" })));
  }

  private board(board: Moment["boards"][number], drawings: Drawing[]): HTMLElement {
    const { plane } = board;
    const isPlaced = this.moment?.asks?.takes === "place" && plane?.base;
    const made = drawing(board.svg, `The board ${board.name}`, {
      spots: isPlaced ? [] : board.spots,
      several: ["several", "order", "shares"].includes(this.moment?.asks?.takes ?? ""),
      moves: this.movers(board),
      pick: (spot) => this.asked?.pick(spot.typed),
      refuse: (where, why) => this.around.say(where ? `${where}: ${why}` : capital(why)),
    });
    drawings.push(made);
    if (isPlaced && plane) this.base = PlacedBase.of(made, board.spots, plane, (typed) => void this.act({ do: "answer", typed }), this.seated() || this.moment?.secrets ? null
      : (typed) => this.around.act({ line: this.number, do: "sights", typed }, () => undefined).then((reply) => reply?.sights ?? null));
    const before = this.stood.get(board.name);
    this.stood.set(board.name, made.standing);
    if (before) requestAnimationFrame(() => made.comeFrom(before));
    return el("div", { class: "board", tabindex: "0", role: "group", label: `The map ${board.name}; scroll to see all of it` }, made.host);
  }

  /** The counter that goes to a place that is asked for: the last one that was chosen before. */
  private movers(board: Moment["boards"][number]): readonly string[] {
    const asks = this.moment?.asks;
    if (!asks || asks.takes !== "one" || board.plane || !board.spots.some((each) => each.radius === 0)) return [];
    for (const each of [...(this.moment?.story ?? [])].reverse()) {
      if (!each.text.some(([role]) => role === "ask") && !/the only answer/.test(plain(each.text))) continue;
      const found = /\? ([^ ,]+)(?:,|$)/.exec(plain(each.text))?.[1];
      if (found !== undefined && board.svg.includes(`data-thing="${found}"`)) return [found];
    }
    return [];
  }

  // What is asked, and what else can be done.

  private asking(moment: Moment, side: Side): Child[] {
    const found = moment.found.map((each) => el("p", { class: "warn" }, ...coded(each)));
    return [
      el("div", { class: "asking-head" }, el("div", { class: "asking-words" }, ...this.what(moment, side)), this.deeds(moment)),
      ...found,
      this.asked?.body ?? null,
      moment.over !== null ? this.over(moment) : null,
    ];
  }

  /** What was answered to a deed. */
  private answered(): Child {
    return this.says.length ? el("div", { class: "card play-said" }, ...this.says.map((each) => el("p", {}, ...this.said(each)))) : null;
  }

  private more(moment: Moment): Child {
    const advising = this.advising(moment);
    const sheet = this.sheet(moment);
    return advising || sheet ? el("div", { class: "card play-more" }, sheet, advising) : null;
  }

  /** A line of an answer; what the terminal would type to go on is a button. */
  private said(line: Runs): Child[] {
    const deck = KNOWN.exec(plain(line))?.[1];
    if (deck === undefined) return runs(line);
    return [button(`All players know what is in ${deck}`, () => { this.known.add(deck); void this.advise(); })];
  }

  private async advise(): Promise<void> {
    await this.act({ do: "advise", of: [this.wanted, ...[...this.known].map((each) => `--known ${each}`)].join(" "), look: true });
  }

  private what(moment: Moment, side: Side): Child[] {
    const { asks, waits, over } = moment;
    const chip = (who: string): HTMLElement => el("span", { class: `chip ${side}` }, el("i", { class: `hatched ${side}` }), capital(who));
    if (asks) {
      const words = headline(asks.asked);
      return [
        chip(asks.who),
        el("h2", { class: "asked" }, el("span", { class: "sr" }, `${asks.who}: `), words),
        el("p", { class: "faint" },
          this.hint(moment, asks),
          asks.secret ? `Only ${asks.who} may look now. ` : null,
          asks.file !== null && asks.line !== null ? this.link(asks.file, asks.line) : null,
          asks.cites.length ? ` ${asks.cites.join(", ")}` : null),
      ];
    }
    if (waits) {
      return [
        chip(waits.who),
        el("h2", { class: "asked" }, el("span", { class: "sr" }, `${waits.who}: `), headline(waits.asked)),
        waits.covered
          ? el("div", { class: "row" },
              waits.chance ? button("Let chance decide", () => void this.act({ do: "throw" }), { primary: true }) : null,
              button(waits.who === "the table" ? "Let the table look" : `Show it to ${capital(waits.who)}`, () => void this.act({ do: "see", look: true }), { primary: !waits.chance, title: "Only this player may look" }))
          : el("p", {}, `${waits.who} answers this, at another seat.`),
      ];
    }
    if (!over) return [];
    const { is, result } = ending(moment);
    return [el("p", { class: "eyebrow" }, moment.title || capital(moment.procedure.replaceAll("_", " "))), el("h2", { class: "asked" }, result ? `${is}: ${result}` : is)];
  }

  /** How it can be answered, where that is not plain to see. */
  private hint(moment: Moment, asks: Asks): string {
    if (this.base) return "The base follows the pointer and stays where its middle may be, which is violet. The wheel turns it, or [ and ]; a press sets it down. ";
    if (asks.takes === "dice") {
      const part = [...moment.story].reverse().find((each) => each.text.length === 1 && each.text[0]?.[0] === "strong" && !/^\d+  /.test(plain(each.text)));
      return part ? `${plain(part.text)} ` : "";
    }
    if (!this.asked?.body.querySelector(":scope > .in-words")) return "";
    const places = moment.boards.flatMap((each) => each.spots).filter((each) => each.refused === null);
    const lit = this.hasCosts ? "" : `${places.length} ${places.every((each) => each.radius > 0) ? "counters" : "places"} are lit. `;
    const costs = this.hasCosts ? "The number is what it costs. " : "";
    return moment.boards.some((each) => this.movers(each).length) ? `${lit}Drag the counter to ${costs ? "a lit place" : "one"}, or press one. ${costs}` : `${lit}Press ${costs ? "a lit place" : "one"}. ${costs}`;
  }

  /** How it ended: what is different now, thing by thing, and what can be done next. */
  private over(moment: Moment): Child {
    const { changes, others } = ending(moment);
    return el("div", { class: "play-end" },
      changes.length ? el("dl", { class: "ending", label: "What is different now" }, ...changes.map(([thing, what]) => el("div", {}, el("dt", {}, thing), el("dd", {}, what.join(" · "))))) : null,
      ...others.map((each) => el("p", { class: each[0]?.[0] === "dim" ? "faint" : "story" }, ...runs(each))),
      moment.lines.length > 1 && this.number !== 0 ? null : this.around.next());
  }

  private link(file: string, line: number): HTMLElement {
    return button(`line ${line}`, () => this.around.place(file, line), { class: "plain place", title: `${file}, line ${line}`, label: `${file}, line ${line}` });
  }

  private deeds(moment: Moment): Child {
    const undo = button("Take back", () => void this.undo(), { title: moment.undo.can ? `${moment.undo.says} (key u)` : moment.undo.says });
    undo.append(" ", el("kbd", { class: "key" }, "U"));
    undo.disabled = !moment.undo.can;
    return el("div", { class: "row deeds" }, undo, this.seated() ? null : button("What if…", () => void this.fork(), { title: "A second line of play beside this one (key w)" }));
  }

  async undo(): Promise<void> {
    if (this.moment?.undo.can) await this.act({ do: "undo" });
    else this.around.say(this.moment?.undo.says ?? "");
  }

  async fork(): Promise<void> {
    const moment = this.moment;
    if (!moment || this.seated()) return;
    const turns = el("select", { id: "what-if" },
      el("option", { value: "" }, "from now on"),
      ...[...moment.turns].reverse().map((each) => el("option", { value: each.turn }, `before ${each.told}`)));
    const sure = await ask("What if", [el("p", {}, "A second line of play begins beside this one, and you play each by itself. Dice fall in both as they do here."), el("label", { class: "field" }, el("span", {}, "It begins"), turns)], [["begin", "Begin"], ["no", "Cancel"]]);
    if (sure === "begin") await this.act({ do: "fork", turn: turns.value === "" ? null : Number(turns.value) });
  }

  /** Writes the play into a file; where it is refused, the question stays with what was typed, and why. */
  private async kept(deed: "record" | "save", title: string, ending: string): Promise<string | null> {
    const free = this.around.free();
    const folder = free.slice(0, free.lastIndexOf("/") + 1);
    let typed = free.replace(/\.scenario\.yaml$/, ending);
    for (let wrong = ""; ; ) {
      const name = el("input", { type: "text", value: typed, size: 48, spellcheck: "false", autocomplete: "off" });
      const told = el("p", { class: "faint", "aria-live": "polite" });
      const tell = (): void => fill(told, ...coded(filed(name.value, ending, folder) === name.value.trim() ? "" : `Its file will be \`${filed(name.value, ending, folder)}\`.`));
      name.addEventListener("input", tell);
      tell();
      const sure = await ask(title, [el("label", { class: "field" }, el("span", {}, "Name or file"), name), told, wrong ? el("p", { class: "bad", role: "alert" }, ...coded(wrong)) : null], [["write", "Save"], ["no", "Cancel"]]);
      if (sure !== "write") return null;
      [typed, wrong] = [name.value, ""];
      const reply = await this.act({ do: deed, file: filed(typed, ending, folder) }, (why) => (wrong = why));
      if (reply) return reply.file ?? null;
      if (!wrong) return null;
    }
  }

  async record(): Promise<void> {
    const file = await this.kept("record", "Save the play as a scenario", ".scenario.yaml");
    if (file !== null) this.around.say(`The play is now a scenario in ${file}. The pane Scenarios plays it.`);
  }

  async save(): Promise<void> {
    const file = await this.kept("save", "Save the play", ".save.json");
    if (file !== null) this.around.say(`The play is saved in ${file}.`);
  }

  private advising(moment: Moment): Child {
    if (!moment.asks || moment.asks.takes === "dice") return null;
    const known = el("datalist", { id: `worths-${this.number}` }, ...moment.worths.map((each) => el("option", { value: each, label: worthSaid(each) })));
    const most = el("input", { type: "text", value: this.wanted, list: known.id, placeholder: `such as ${worthSaid(moment.worths[0] ?? "")}`, autocomplete: "off", spellcheck: "false" });
    const offered = el("div", { class: "row", "aria-live": "polite" });
    const wants = (typed: string): void => {
      const worth = moment.worths.find((each) => worthSaid(each) === typed) ?? typed;
      this.wanted = most.value = worth;
      if (worth) void this.advise();
      else fill(offered, ...offers(moment.worths, wants));
    };
    return el("form", { class: "row", on: { submit: (event) => { event.preventDefault(); wants(most.value.trim()); } } },
      el("label", { class: "field" }, el("span", {}, "Advice to get the most of"), most), known, el("button", { type: "submit" }, "Show advice"), offered,
      this.known.size ? el("span", { class: "faint" }, `All players know what is in ${[...this.known].join(", ")}.`) : null);
  }

  private sheet(moment: Moment): Child {
    return moment.sheet.length ? el("details", { open: moment.boards.length === 0 }, el("summary", {}, "What is on the table"), el("ul", { class: "list sheet" }, ...moment.sheet.map((each) => el("li", {}, each)))) : null;
  }
}
