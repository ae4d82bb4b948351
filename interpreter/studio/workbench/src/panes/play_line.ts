/** One line of a play: its boards, what is asked, what happened and why. */
import { drawing, type Drawing, type Spot } from "../drawing";
import { ask, button, coded, el, fill, type Child } from "../elements";
import { filed } from "../names";
import { question, type Advice, type Asked, type Asks } from "./play_question";

export type Runs = readonly (readonly [role: string, text: string])[];

interface StoryLine {
  readonly text: Runs;
  readonly depth: number;
  readonly of: readonly [entry: number, address: string];
  readonly file: string | null;
  readonly line: number | null;
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
    readonly plane: { readonly x: number; readonly y: number; readonly scale: number; readonly unit: string } | null;
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
  readonly file?: string;
}

/** What a line of play asks of the pane. */
export interface Around {
  /** Asks the server about this line; null where it was refused, which `refused` hears, or is said. */
  act(asked: Readonly<Record<string, unknown>>, refused?: (why: string) => void): Promise<Reply | null>;
  place(file: string, line: number): void;
  say(words: string, fails?: boolean): void;
  /** A name for a scenario file that is not there yet. */
  free(): string;
}

export function runs(text: Runs): HTMLElement[] {
  return text.map(([role, words]) => el("span", role ? { class: `told-${role}` } : {}, ...coded(words)));
}

const plain = (text: Runs): string => text.map(([, words]) => words).join("");

const MOST_OFFERED = 20;

/** How advice says that it can be given if all know what lies in a bag or deck. */
const KNOWN = /`advise .* --known (\S+)`$/;

/** What a player may want the most of, to be pressed. */
function offers(worths: readonly string[], choose: (worth: string) => void): Child[] {
  if (!worths.length) return ["Type the number that the player wants the most of, as the rules would write it."];
  return ["What does the player want the most of?", ...worths.slice(0, MOST_OFFERED).map((each) => button(each, () => choose(each)))];
}

export class LineOfPlay {
  readonly host = el("section", { class: "line-of-play" });
  moment: Moment | null = null;
  private asked: Asked | null = null;
  private advice: readonly Advice[] = [];
  private says: readonly Runs[] = [];
  private told = 0;
  /** What happened, as it stands on the page: lines that were opened stay open as long as it is the same. */
  private happened: { readonly story: string; readonly host: HTMLElement } | null = null;
  /** What advice is wanted about, and bags and decks of which all know what lies in them. */
  private wanted = "";
  private readonly known = new Set<string>();
  private busy = false;

  constructor(
    readonly number: number,
    private readonly around: Around,
    private readonly seated: () => boolean,
  ) {}

  /** Asks, and shows what comes of it. */
  async act(asked: Readonly<Record<string, unknown>>, refused?: (why: string) => void): Promise<Reply | null> {
    if (this.busy) return null;
    this.busy = true;
    if (asked["do"] === "advise") this.around.say("Working it out…");
    this.host.setAttribute("aria-busy", "true");
    try {
      const reply = await this.around.act({ line: this.number, ...asked }, refused);
      if (!reply) {
        this.around.say("");
        return null;
      }
      const isOnlySeen = asked["do"] === "see" && asked["look"] !== true;
      if (isOnlySeen && JSON.stringify(reply.moment) === JSON.stringify(this.moment)) return reply;
      this.says = reply.says ?? [];
      this.advice = reply.advice ?? [];
      if (asked["do"] === "advise") this.around.say(this.says.map(plain).filter((each) => !KNOWN.test(each)).join("; "));
      if (reply.moment.line === this.number) this.show(reply.moment, !isOnlySeen);
      return reply;
    } finally {
      this.busy = false;
      this.host.removeAttribute("aria-busy");
    }
  }

  press(number: number): void {
    this.asked?.press(number);
  }

  /** Shows a moment; `moved` says whether somebody here did something, so that the keyboard follows. */
  show(moment: Moment, moved = false): void {
    const inside = this.host.contains(document.activeElement);
    this.moment = moment;
    const [before, top] = [this.happened, this.host.querySelector(".play-story")?.scrollTop ?? 0];
    const drawings: Drawing[] = [];
    const light = (typed: ReadonlySet<string>): void => { for (const each of drawings) each.light(typed); };
    this.asked = moment.asks
      ? question(moment.asks, this.advice, {
          answer: (typed) => void this.act({ do: "answer", typed }),
          throwDice: () => void this.act({ do: "throw" }),
          light,
        })
      : null;
    fill(
      this.host,
      this.head(moment),
      el("div", { class: "play-parts" },
        moment.boards.length ? el("div", { class: "boards" }, ...moment.boards.map((each) => this.board(each, drawings))) : null,
        el("div", { class: "asking", role: "group", label: "What is asked" }, ...this.asking(moment)),
        this.story(moment)),
    );
    this.told = moment.story.length;
    if (moved && (inside || document.activeElement === document.body)) (this.asked ?? { focus: () => this.host.querySelector<HTMLElement>(".asking button")?.focus() }).focus();
    const told = this.host.querySelector(".play-story");
    if (told) told.scrollTop = this.happened === before ? top : told.scrollHeight;
    if (moved) {
      this.reveal();
      this.around.say(this.waiting(moment));
    }
  }

  /** Brings what is asked now into view, with its answers, as far as there is room for both. */
  private reveal(): void {
    const heading = this.host.querySelector(".asked");
    const last = this.asked?.body ?? heading;
    if (!heading || !last || (heading.getBoundingClientRect().top >= 0 && last.getBoundingClientRect().bottom <= innerHeight)) return;
    last.scrollIntoView({ block: "nearest" });
    heading.scrollIntoView({ block: "nearest" });
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
    const plane = board.plane;
    const places = this.moment?.asks?.takes === "place" && plane;
    const made = drawing(board.svg, `The board ${board.name}`, {
      spots: board.spots,
      pick: (spot) => this.asked?.pick(spot.typed),
      ...(places ? { point: (x: number, y: number) => this.asked?.pick(`${((x - plane.x) / plane.scale).toFixed(2)} ${((plane.y - y) / plane.scale).toFixed(2)}`) } : {}),
    });
    drawings.push(made);
    return made.host;
  }

  // What is asked, and what else can be done.

  private asking(moment: Moment): Child[] {
    const found = moment.found.map((each) => el("p", { class: "warn" }, ...coded(each)));
    const said = this.says.length ? el("div", { class: "card play-said" }, ...this.says.map((each) => el("p", {}, ...this.said(each)))) : null;
    return [...found, ...this.what(moment), said, this.deeds(moment), this.advising(moment), this.sheet(moment)];
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

  private what(moment: Moment): Child[] {
    const { asks, waits, over } = moment;
    if (asks) {
      return [
        el("h3", { class: "asked" }, el("strong", {}, asks.who), `: ${asks.asked}`),
        el("p", { class: "faint" },
          asks.secret ? `Only ${asks.who} may look now. ` : null,
          asks.file !== null && asks.line !== null ? this.link(asks.file, asks.line) : null,
          asks.cites.length ? ` ${asks.cites.join(", ")}` : null),
        this.asked?.body,
      ];
    }
    if (waits) {
      return [
        el("h3", { class: "asked" }, el("strong", {}, waits.who), `: ${waits.asked}`),
        waits.covered
          ? el("div", { class: "row" },
              waits.chance ? button("Let chance decide", () => void this.act({ do: "throw" }), { primary: true }) : null,
              button(`${waits.who} looks`, () => void this.act({ do: "see", look: true }), { primary: !waits.chance, title: "Only this player may look" }))
          : el("p", {}, `${waits.who} answers this, at another seat.`),
      ];
    }
    return [
      el("h3", { class: "asked" }, "The play is over"),
      el("div", { class: "story" }, ...(over ?? []).flatMap((each, at) => [at ? "\n" : null, ...runs(each)])),
      this.seated() ? null : button("Save it as a scenario", () => void this.record(), { primary: true }),
    ];
  }

  private link(file: string, line: number): HTMLElement {
    return button(`${file}:${line}`, () => this.around.place(file, line), { class: "plain place" });
  }

  private deeds(moment: Moment): Child {
    const undo = button("Take back", () => void this.undo(), { title: moment.undo.can ? `${moment.undo.says} (key u)` : moment.undo.says });
    undo.disabled = !moment.undo.can;
    return el("div", { class: "row deeds" }, undo, ...(this.seated() ? [] : [
      button("What if…", () => void this.fork(), { title: "A second line of play beside this one (key w)" }),
      button("Save", () => void this.save(), { title: "Save the play in a file and go on later" }),
    ]));
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

  private async record(): Promise<void> {
    const file = await this.kept("record", "Save the play as a scenario", ".scenario.yaml");
    if (file !== null) this.around.say(`The play is now a scenario in ${file}. The pane Scenarios plays it.`);
  }

  private async save(): Promise<void> {
    const file = await this.kept("save", "Save the play", ".save.json");
    if (file !== null) this.around.say(`The play is saved in ${file}.`);
  }

  private advising(moment: Moment): Child {
    if (!moment.asks || moment.asks.takes === "dice") return null;
    const known = el("datalist", { id: `worths-${this.number}` }, ...moment.worths.map((each) => el("option", { value: each })));
    const most = el("input", { type: "text", value: this.wanted, list: known.id, placeholder: moment.worths[0], autocomplete: "off", spellcheck: "false" });
    const offered = el("div", { class: "row", "aria-live": "polite" });
    const wants = (worth: string): void => {
      this.wanted = most.value = worth;
      if (worth) void this.advise();
      else fill(offered, ...offers(moment.worths, wants));
    };
    return el("form", { class: "row", on: { submit: (event) => { event.preventDefault(); wants(most.value.trim()); } } },
      el("label", { class: "field" }, el("span", {}, "Advice to get the most of"), most), known, el("button", { type: "submit" }, "Show advice"), offered,
      this.known.size ? el("span", { class: "faint" }, `All players know what is in ${[...this.known].join(", ")}.`) : null);
  }

  private sheet(moment: Moment): Child {
    return moment.sheet.length ? el("details", {}, el("summary", {}, "What is on the table"), el("ul", { class: "list sheet" }, ...moment.sheet.map((each) => el("li", {}, each)))) : null;
  }

  // What happened.

  private story(moment: Moment): HTMLElement {
    const story = JSON.stringify(moment.story);
    if (this.happened?.story !== story) this.happened = { story, host: this.telling(moment) };
    return this.happened.host;
  }

  private telling(moment: Moment): HTMLElement {
    const lines = moment.story.map((each, at) => this.storyLine(each, at));
    const list = el("ol", { class: "list play-story", label: "What happened", tabindex: lines.length ? undefined : "0" }, ...lines);
    const first = lines.at(-1)?.querySelector("button");
    if (first) first.tabIndex = 0;
    list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
      const buttons = [...list.querySelectorAll<HTMLButtonElement>("button.told")];
      const at = buttons.findIndex((each) => each === document.activeElement);
      const next = step === undefined || at < 0 ? undefined : buttons[Math.max(0, Math.min(buttons.length - 1, at + step))];
      if (!next) return;
      event.preventDefault();
      for (const each of buttons) each.tabIndex = each === next ? 0 : -1;
      next.focus();
    });
    return el("div", { class: "telling" }, el("h3", {}, "What happened"), list);
  }

  private storyLine(line: StoryLine, at: number): HTMLLIElement {
    const more = el("div", { class: "row told-more" });
    more.hidden = true;
    const says = el("button", { type: "button", class: "plain told", tabindex: "-1", "aria-expanded": "false" }, ...runs(line.text));
    says.addEventListener("click", () => {
      more.hidden = !more.hidden;
      says.setAttribute("aria-expanded", String(!more.hidden));
      if (!more.hidden && !more.hasChildNodes()) {
        fill(more,
          button("Why?", () => void this.why(line, more)),
          line.file !== null && line.line !== null ? this.link(line.file, line.line) : null);
      }
    });
    const made = el("li", { class: at >= this.told && this.told > 0 ? "new" : undefined }, says, more);
    made.style.setProperty("--depth", String(line.depth));
    return made;
  }

  /** Tells under a line what led to it; nothing else is changed. */
  private async why(line: StoryLine, under: HTMLElement): Promise<void> {
    const reply = await this.around.act({ line: this.number, do: "why", of: line.of });
    if (reply?.says) under.append(el("div", { class: "story why", tabindex: "0", role: "group", label: "What led to it" }, ...reply.says.flatMap((each, at) => [at ? "\n" : null, ...runs(each)])));
  }
}
