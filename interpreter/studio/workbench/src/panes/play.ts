import type { Desk, Key, Open, Pane, Place } from "../desk";
import { Problem } from "../desk";
import { button, type Child, el, fill } from "../elements";
import { LineOfPlay, type Moment, type Reply } from "./play_line";
import { Unsaved } from "../unsaved";
import { PositionEditor } from "./position";
import { StartOfPlay, type Begins, type Kept } from "./play_start";


const SEATS =
  "The table shows what all players may know. A player's seat also shows what only this player may know, and answers only this player's questions. " +
  "It hides what the rules hide from this player: hidden values, secret answers, closed decks, and the seed of dice and shuffles. " +
  "It is a view, not a lock. Anyone at this machine can choose another seat. Saves, scenarios made from a play, and advice at the table also show what seats hide.";

/** Plays of the folder: one is shown, with its lines beside each other, as one seat or the whole table sees it. */
class PlayPane implements Open {
  readonly keys: readonly Key[] = [
    { keys: "u", says: "Take back the last answer", run: () => void this.first()?.undo() },
    { keys: "w", says: "What if: a second line of play", run: () => void this.first()?.fork() },
    { keys: "r", says: "Roll the dice", run: () => this.first()?.roll() },
    { keys: "1 … 9", says: "Choose the answer with this number; set a die to this face" },
    { keys: "y", says: "Why: go to what explains the last roll or line", run: () => this.first()?.explain() },
    { keys: "l", says: "Tell the lit places in words", run: () => this.first()?.words() },
    { keys: "[", says: "Turn the base to the left; Shift turns it by one degree", run: () => this.first()?.turn(-5) },
    { keys: "]", says: "Turn the base to the right", run: () => this.first()?.turn(5) },
    { keys: "← → ↑ ↓", says: "Go through lit places, or through what happened; Enter chooses" },
  ];
  private readonly start: StartOfPlay;
  private readonly unsaved: Unsaved;
  private readonly head = el("div", { class: "row crumb" });
  private readonly note = el("div", {});
  private readonly voice = el("p", { class: "sr", role: "status", "aria-live": "polite" });
  private readonly lines = el("div", { class: "lines-of-play" });
  private readonly shown = new Map<number, LineOfPlay>();
  private id: string | null = null;
  /** Whether a position is being put up. */
  private isPutUp = false;
  /** The ruleset of the play that is shown, by its path; null where no play is shown, or nobody knows. */
  private of: string | null = null;
  /** Whether another pane has said what is to be played. */
  private pointed = false;
  /** Whether something was saved since it was asked what can be played. */
  private stale = false;
  private seat: string | null = null;
  /** What the play that is shown began with, and in words from what. */
  private begins: Begins | null = null;
  private started = "";
  private kept: readonly Kept[] = [];
  private version = 0;
  private waiting = new AbortController();
  private readonly leave: (() => void)[] = [];

  constructor(
    private readonly host: HTMLElement,
    private readonly desk: Desk,
  ) {
    this.start = new StartOfPlay(desk, (begins) => this.begin(begins), (id) => this.open(id, null), (id) => this.end(id), () => this.putUp());
    this.unsaved = new Unsaved(desk, "This plays the saved text", { says: "Save and play", run: () => void this.reread() });
    fill(host, this.unsaved.note, this.head, this.start.host, this.note, this.lines, this.voice);
    this.leave.push(
      desk.on("ruleset", (ruleset) => {
        if (this.of !== null && this.of !== ruleset) this.aside();
        this.putAway();
        void this.start.fill();
      }),
      desk.on("files", () => this.start.files()),
      desk.on("changed", (files) => this.saved(files.map((each) => each.path))),
      desk.on("saved", (path) => this.saved([path])),
    );
    const pressed = (event: KeyboardEvent): void => this.pressed(event);
    addEventListener("keydown", pressed);
    this.leave.push(() => removeEventListener("keydown", pressed));
    void this.begun();
  }

  private pressed(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (this.host.hidden || typing || event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (!/^[1-9]$/.test(event.key)) return;
    event.preventDefault();
    this.first()?.press(Number(event.key));
  }

  /** The play of the address, or the last one of this tab, if it is still kept and of the ruleset that is worked on. */
  private async begun(): Promise<void> {
    void this.start.fill();
    const [, id, seat] = location.hash.split("/");
    const last = id ?? sessionStorage.getItem("play");
    const plays = await this.plays();
    const kept = plays.find((each) => each.id === last);
    if (this.id !== null || this.pointed || !kept) return;
    const own = this.owner(kept.begins.path);
    if (id || own === null || own === this.desk.ruleset) await this.open(kept.id, id && seat ? decodeURIComponent(seat) : null);
  }

  private async plays(): Promise<readonly Kept[]> {
    const { plays } = await this.desk.ask<{ plays: Kept[] }>("play");
    this.kept = plays;
    this.start.plays(plays.filter((each) => each.id !== this.id));
    return plays;
  }

  private first(): LineOfPlay | undefined {
    const inside = [...this.shown.values()].find((each) => each.host.contains(document.activeElement));
    return inside ?? this.shown.get(0);
  }

  show(place: Place): void {
    this.pointed = true;
    if (place.begins) void this.begin(place.begins);
    else void this.start.choose(place).then((begins) => (begins ? this.begin(begins) : undefined));
  }

  front(): void {
    this.address();
    void this.plays();
    this.offer();
  }

  /** A position is put up in place of the play that is shown. */
  private putUp(): void {
    if (this.desk.ruleset === null) return;
    this.aside();
    this.start.fold();
    const editor = new PositionEditor(this.desk, (begins) => this.begin(begins), () => this.putAway());
    fill(this.lines, editor.host);
    this.isPutUp = true;
  }

  private putAway(): void {
    if (!this.isPutUp) return;
    this.isPutUp = false;
    fill(this.lines);
    this.start.unfold();
  }

  private async begin(begins: Begins): Promise<void> {
    this.aside();
    const { ruleset } = this.desk;
    const reply = await this.desk.ask<Reply & { id: string }>("play/begin", begins);
    this.putAway();
    if (this.desk.ruleset === ruleset) this.opened(reply.id, null, reply, begins);
    await this.plays();
  }

  private async open(id: string, seat: string | null): Promise<void> {
    const { ruleset } = this.desk;
    const reply = await this.desk.ask<Reply>("play/ask", { id, do: "see", line: 0, seat });
    if (this.desk.ruleset !== ruleset) return;
    this.opened(id, seat, reply, this.kept.find((each) => each.id === id)?.begins);
    for (const each of reply.moment.lines.filter((one) => one.line !== 0)) await this.line(each.line).act({ do: "see" });
    await this.plays();
  }

  private opened(id: string, seat: string | null, reply: Reply, begins?: Begins): void {
    this.id = id;
    if (begins) this.begins = begins;
    if (begins) this.started = begins.source ? `the starter ${begins.source}, not copied` : begins.load ?? (begins.path?.endsWith(".rules") ? begins.state ?? "" : `from ${begins.name ?? begins.path ?? ""}`);
    this.seat = seat;
    this.shown.clear();
    fill(this.lines);
    fill(this.note);
    sessionStorage.setItem("play", id);
    this.address();
    this.start.fold();
    this.version = reply.version;
    this.of = this.rulesetOf(reply.moment.ruleset);
    if (this.of !== null) this.desk.choose(this.of);
    this.line(0).show(reply.moment, true);
    this.heading(reply.moment);
    this.noted(reply.edited);
    void this.watch();
  }

  private address(): void {
    if (this.id === null || this.host.hidden) return;
    history.replaceState(null, "", `#play/${this.id}${this.seat === null ? "" : `/${encodeURIComponent(this.seat)}`}`);
  }

  private line(number: number): LineOfPlay {
    const known = this.shown.get(number);
    if (known) return known;
    const made = new LineOfPlay(
      number,
      {
        act: (asked, refused) => this.ask(asked, refused),
        place: (file, line) => this.desk.go("rules", { path: file, line }),
        say: this.desk.say,
        tell: (words) => fill(this.voice, words),
        free: () => this.free(),
        next: () => this.next(),
        again: async (line) => {
          const shown = this.line(line);
          await shown.idle();
          await shown.act({ do: "see" });
        },
      },
      () => this.seat !== null,
    );
    this.shown.set(number, made);
    this.lines.append(made.host);
    return made;
  }

  private free(): string {
    const ruleset = this.shown.get(0)?.moment?.ruleset ?? "";
    const folder = ruleset.endsWith(".rules") ? ruleset.slice(0, ruleset.lastIndexOf("/") + 1) : ruleset ? `${ruleset}/` : "";
    for (let number = 1; ; number += 1) {
      const name = `${folder}recorded-${number}.scenario.yaml`;
      if (!this.desk.files.some((each) => each.path === name)) return name;
    }
  }

  /** Asks the play; what it refuses is said. */
  private async ask(asked: Readonly<Record<string, unknown>>, refused = (why: string): void => this.desk.say(why, true)): Promise<Reply | null> {
    const id = this.id;
    try {
      const reply = await this.desk.ask<Reply>("play/ask", { id, seat: this.seat, ...asked });
      if (id !== this.id) return null;
      this.version = reply.version;
      this.noted(reply.edited);
      this.follow(reply.moment);
      return reply;
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      if (id !== this.id) return null;
      refused(fault.message);
      if (fault.data["moment"]) void this.refresh();
      return null;
    }
  }

  /** Shows the lines of play that there are, each beside the one that it left. */
  private follow(moment: Moment): void {
    for (const [number, each] of [...this.shown]) {
      if (moment.lines.some((one) => one.line === number)) continue;
      each.host.remove();
      this.shown.delete(number);
    }
    const fresh = moment.lines.filter((each) => !this.shown.has(each.line));
    for (const each of fresh) void this.line(each.line).act({ do: "see" });
    const first = this.shown.get(0);
    if (fresh.length || this.shown.size !== this.lines.childElementCount) this.lines.replaceChildren(...[...this.shown.values()].map((each) => each.host));
    if (first?.moment && first.moment.lines.length !== moment.lines.length && moment.line !== 0) first.show({ ...first.moment, lines: moment.lines });
    this.lines.classList.toggle("several", this.shown.size > 1);
  }

  private async refresh(): Promise<void> {
    for (const each of [...this.shown.values()]) await each.act({ do: "see" });
  }

  /** Follows what is done in other tabs. */
  private async watch(): Promise<void> {
    this.waiting.abort();
    const own = (this.waiting = new AbortController());
    const id = this.id;
    while (!own.signal.aborted) {
      try {
        const heard = await this.desk.ask<{ version: number; gone: boolean }>("play/wait", { id, version: this.version }, own.signal);
        if (own.signal.aborted) return;
        if (heard.gone) return this.gone("This play was ended.");
        if (heard.version !== this.version) {
          this.version = heard.version;
          await this.refresh();
        }
      } catch (fault) {
        if (own.signal.aborted) return;
        if (fault instanceof Problem && fault.status === 404) return this.gone(fault.message);
        await new Promise((done) => setTimeout(done, 2000));
      }
    }
  }

  private gone(words: string): void {
    this.aside();
    fill(this.note, el("p", { class: "warn" }, words));
  }

  /** Shows no play any more; the one that was shown is kept among the others. */
  private aside(): void {
    this.waiting.abort();
    if (this.id === null) return;
    this.id = null;
    this.of = null;
    sessionStorage.removeItem("play");
    if (!this.host.hidden) history.replaceState(null, "", "#play");
    this.shown.clear();
    fill(this.head);
    fill(this.note);
    fill(this.lines);
    this.start.unfold();
    void this.plays();
  }

  /** The ruleset that a file belongs to. */
  private owner(path: string | undefined): string | null {
    return this.desk.files.find((each) => each.path === path)?.ruleset ?? null;
  }

  /** The ruleset of the folder that a play names: its file, or the folder that it stands in. */
  private rulesetOf(named: string): string | null {
    const rulesets = this.desk.rulesets();
    if (rulesets.includes(named)) return named;
    const inside = rulesets.filter((each) => each.slice(0, each.lastIndexOf("/")) === named);
    return inside.length === 1 ? inside[0] ?? null : null;
  }

  /** What can be played is asked anew: at once where nothing could be, else when the pane is brought to front. */
  private saved(paths: readonly string[]): void {
    void this.edited(paths);
    this.stale = true;
    if (!this.host.hidden && !this.start.offers) this.offer();
  }

  private offer(): void {
    if (this.stale) void this.start.fill();
    this.stale = false;
  }

  /** Says that rules of the play that is shown are others now; those of another ruleset are no matter of it. */
  private async edited(paths: readonly string[]): Promise<void> {
    const ours = paths.some((each) => each.endsWith(".rules") && (this.of === null || (this.owner(each) ?? this.of) === this.of));
    const { id, seat } = this;
    if (id === null || !ours) return;
    const reply = await this.desk.ask<Reply>("play/ask", { id, do: "see", line: 0, seat });
    if (id === this.id) this.noted(reply.edited);
  }

  private noted(edited: boolean): void {
    if (edited && this.note.hasChildNodes()) return;
    if (!edited) return fill(this.note);
    fill(this.note, el("p", { class: "warn row" }, "The rules were edited since this play began. ", button("Play it again with the rules as they are now", () => void this.again())));
  }

  /** What is shown is played again with the text that was just saved, if any is shown. */
  private async reread(): Promise<void> {
    this.offer();
    if (this.id !== null) await this.again();
  }

  private async again(): Promise<void> {
    const reply = await this.desk.ask<Reply>("play/again", { id: this.id });
    this.opened(this.id ?? "", this.seat, reply);
    await this.refresh();
  }

  private heading(moment: Moment): void {
    const seat = el("select", { id: "seat" }, el("option", { value: "" }, "the table"), ...moment.seats.map((each) => el("option", { value: each }, each)));
    seat.value = this.seat ?? "";
    seat.addEventListener("change", () => void this.open(this.id ?? "", seat.value || null));
    const elsewhere = button("Begin elsewhere…", () => {
      this.start.toggle();
      elsewhere.setAttribute("aria-expanded", String(this.start.isOpen));
    }, { "aria-expanded": "false" });
    const record = (sort?: string): HTMLElement | null => (this.seat === null ? button("Keep as a scenario", () => void this.first()?.record(), { class: sort }) : null);
    const menu = el("details", { class: "menu" }, el("summary", {}, "More"), el("div", { class: "card" },
      button("Begin elsewhere…", () => elsewhere.click(), { class: "phone-only" }), record("phone-only"),
      button("Play it again", () => void this.again(), { title: "Plays the same answers from the beginning, with the rules as they are now" }),
      this.seat === null ? button("Save", () => void this.first()?.save(), { title: "Save the play in a file and go on later" }) : null,
      button("End this play", () => void this.end(this.id ?? "")),
      moment.seats.length ? el("details", { class: "seats" }, el("summary", {}, "What a seat hides"), el("p", { class: "faint" }, SEATS)) : null));
    fill(
      this.head,
      el("h2", {}, moment.title || moment.procedure),
      el("span", { class: "faint" }, [this.started, moment.seed === null ? "" : `seed ${moment.seed}`].filter(Boolean).join(" · ")),
      el("div", { class: "row sp" },
        moment.seats.length ? el("label", { class: "field" }, el("span", {}, "Seen by"), seat) : null,
        elsewhere, record(), menu),
    );
  }

  /** What can be done once a play is over. */
  private next(): Child {
    const { desk, begins } = this;
    const seed = this.kept.find((each) => each.id === this.id)?.begins.seed ?? this.shown.get(0)?.moment?.seed ?? null;
    const from = begins && !begins.load ? begins : null;
    const again = (with_: number | null): void => { if (from) void this.begin({ ...from, seed: with_, scripted: false }); };
    const isOwn = from?.path !== undefined && from.source === undefined;
    return el("div", { class: "row play-next", role: "group", label: "What to do next" },
      from ? button("Play again", () => again(null), { primary: true, title: "From the same position, with other dice" }) : null,
      from && seed !== null ? button("Again with the same dice", () => again(seed), { title: `From the same position, with seed ${seed}` }) : null,
      this.seat === null ? button("Keep this play", () => void this.first()?.record(), { title: "As a scenario, which is played again whenever you save" }) : null,
      isOwn && from?.path?.endsWith(".scenario.yaml") ? button("See the odds of this", () => desk.go("odds", { path: from.path ?? "", name: from.name ?? "" }), { title: "How likely each end is from this position" }) : null,
      isOwn ? button("Share…", () => desk.share(), { title: "One file that others play in a browser" }) : null);
  }

  private async end(id: string): Promise<void> {
    await this.desk.ask("play/end", { id });
    if (id === this.id) this.gone("This play was ended.");
    else await this.plays();
  }

  close(): void {
    this.waiting.abort();
    this.unsaved.close();
    for (const each of this.leave) each();
  }
}

export const pane: Pane = {
  name: "play",
  title: "Play",
  open: (host: HTMLElement, desk: Desk): Open => new PlayPane(host, desk),
};
