/** What happened in a play: its lines, told as a story or each of them, with what led to each. */
import { die, roll } from "../dice";
import { button, coded, el, fill, type Child } from "../elements";
import type { Side } from "../sides";
import { changeSaid, rolled } from "../told";
import { capital } from "./play_question";

/** A line in its pieces, each with its role. */
export type Runs = readonly (readonly [role: string, text: string])[];

export interface StoryLine {
  readonly text: Runs;
  readonly depth: number;
  readonly of: readonly [entry: number, address: string];
  readonly file: string | null;
  readonly line: number | null;
}

/** `throw 1d6: 4`, with what rolled and what fell. */
const ROLLED = /^(.*?)(\d*)d(\d+): (\d[\d ]*)$/;
const STEP = /^(\d+)  (.*)$/;
const OF_PLAYER = /^(.*) \(([^()]+)\)$/;
/** How many dice are drawn in a line. */
const MOST_DRAWN = 12;

export const plain = (text: Runs): string => text.map(([, words]) => words).join("");

export function runs(text: Runs): HTMLElement[] {
  return text.map(([role, words]) => el("span", role ? { class: `told-${role}` } : {}, ...coded(words)));
}

/** The faces that fell in some lines, in order. */
export function fallen(lines: readonly StoryLine[]): string[] {
  return lines.flatMap((each) => each.text.flatMap(([, words]) => ROLLED.exec(words)?.[4]?.trim().split(/ +/) ?? []));
}

export class Story {
  private readonly list = el("ol", { class: "list play-story game", label: "What happened", "aria-live": "polite" });
  private readonly host: HTMLElement;
  private told = "";
  private count = 0;
  private isWhole = false;
  private lines: readonly StoryLine[] = [];
  private colours: ReadonlyMap<string, Side> = new Map();
  private isNew = false;

  constructor(
    private readonly why: (of: StoryLine["of"]) => Promise<readonly Runs[] | null>,
    private readonly place: (file: string, line: number) => void,
  ) {
    const seg = el("div", { class: "seg", role: "group", label: "How much is shown" });
    const shown = (whole: boolean): void => {
      this.isWhole = whole;
      for (const [at, each] of [...seg.children].entries()) each.setAttribute("aria-pressed", String((at === 1) === whole));
      this.count = this.lines.length;
      this.render();
    };
    seg.append(button("Story", () => shown(false), { "aria-pressed": "true" }), button("Every line", () => shown(true), { "aria-pressed": "false" }));
    this.host = el("section", { class: "card telling", label: "Story" }, el("header", { class: "row" }, el("h3", {}, "What happened"), seg), this.list);
    this.list.addEventListener("keydown", (event) => this.walk(event));
  }

  /** What happened until now; lines that were opened stay open as long as it is the same. */
  show(lines: readonly StoryLine[], colours: ReadonlyMap<string, Side>): HTMLElement {
    const told = JSON.stringify(lines);
    this.isNew = told !== this.told;
    if (this.isNew) {
      this.told = told;
      this.lines = lines;
      this.colours = colours;
      this.render();
      this.count = lines.length;
    }
    this.host.hidden = lines.length === 0;
    return this.host;
  }

  /** Brings the last line into view, after something has happened. */
  toEnd(): void {
    if (this.isNew) this.list.scrollTop = this.list.scrollHeight;
  }

  last(): HTMLElement | undefined {
    return [...this.list.querySelectorAll<HTMLElement>("button.told")].at(-1);
  }

  private render(): void {
    const shown: HTMLLIElement[] = [];
    for (let at = 0; at < this.lines.length; at += 1) {
      const line = this.lines[at];
      if (!line || (!this.isWhole && line.text[0]?.[0] === "dim")) continue;
      const deeper: StoryLine[] = [];
      if (!this.isWhole && /(Not possible|nobody|nowhere|none):$/i.test(plain(line.text).trim())) {
        while ((this.lines[at + 1]?.depth ?? -1) > line.depth + 1) {
          const next = this.lines[(at += 1)];
          if (next) deeper.push(next);
        }
      }
      shown.push(this.line(line, at, deeper));
    }
    fill(this.list, ...shown);
    const last = this.last();
    if (last) last.tabIndex = 0;
    if (shown.length) this.list.removeAttribute("tabindex");
    else this.list.tabIndex = 0;
  }

  private line(line: StoryLine, at: number, deeper: readonly StoryLine[]): HTMLLIElement {
    const isNew = at >= this.count && this.count > 0;
    const more = el("div", { class: "row told-more", hidden: true });
    const says = el("button", { type: "button", class: "plain told", tabindex: "-1", "aria-expanded": "false" }, ...this.words(line.text, deeper.length > 0, isNew));
    says.addEventListener("click", () => {
      more.hidden = !more.hidden;
      says.setAttribute("aria-expanded", String(!more.hidden));
      if (more.hidden || more.hasChildNodes()) return;
      fill(more,
        deeper.length ? el("ul", { class: "list no-other" }, ...deeper.map((each) => el("li", {}, ...runs(each.text)))) : null,
        button("Why?", () => void this.explain(line, more)),
        line.file !== null && line.line !== null ? button(`${line.file}:${line.line}`, () => this.place(line.file ?? "", line.line ?? 1), { class: "plain place" }) : null);
    });
    const heading = line.text[0]?.[0] === "strong" && line.text.length === 1;
    const sort = [heading ? (STEP.test(plain(line.text)) ? "step" : "part") : "", isNew ? "new" : ""].join(" ").trim();
    const made = el("li", { class: sort || undefined }, says, more);
    made.style.setProperty("--depth", String(Math.max(0, line.depth - 1)));
    return made;
  }

  /** A line as it is shown: players as chips, dice as dice. */
  words(line: Runs, folds = false, isNew = false): Child[] {
    const [, part, who] = OF_PLAYER.exec(plain(line)) ?? [];
    const side = who === undefined ? undefined : this.colours.get(who);
    if (line[0]?.[0] === "strong" && part !== undefined && who !== undefined && side) return [this.chip(who), " ", part];
    const said: Child[] = [];
    let roller: Side | undefined;
    for (const [role, words] of line) {
      const player = role === "ask" ? words.trim() : "";
      const own = this.colours.get(player);
      const [, before, count, faces, fell] = ROLLED.exec(words) ?? [];
      if (own) {
        roller = own;
        said.push(this.chip(player));
      } else if (fell !== undefined && faces !== undefined) {
        const all = fell.trim().split(/ +/);
        const kind = { faces: Array.from({ length: Number(faces) }, (_, each) => String(each + 1)), side: roller };
        const drawn = all.slice(0, MOST_DRAWN).map((each) => die(each, kind, true));
        if (isNew) for (const [each, made] of drawn.entries()) void roll(made, all[each] ?? "", kind);
        said.push(el("span", { class: "told-dice" }, roller ? "rolls " : "Rolled: ", rolled(before ?? "", count ?? "", faces), el("span", { class: "sr" }, all.join(" ")), ...drawn.flatMap((each) => { each.setAttribute("aria-hidden", "true"); return [each, " "]; }),
          all.length > MOST_DRAWN ? all.slice(MOST_DRAWN).join(" ") : null));
      } else if (roller && !words.trim()) said.push(" ");
      else if (said.length === 1 && roller && words.startsWith(": ")) said.push(" ", ...runs([[role, words.slice(2)]]));
      else if (role === "good") said.push(...runs([[role, changeSaid(words)]]));
      else said.push(...runs([[role, folds ? words.replace(/[.,]? ?(Not possible):$/, "") : words]]));
    }
    if (folds) said.push(" ", el("span", { class: "more-said" }, "why no other?"));
    return said;
  }

  private chip(player: string): HTMLElement {
    const side = this.colours.get(player) ?? "nobody";
    return el("span", { class: `chip ${side}` }, el("i", { class: `hatched ${side}` }), capital(player));
  }

  private walk(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    const buttons = [...this.list.querySelectorAll<HTMLButtonElement>("button.told")];
    const at = buttons.findIndex((each) => each === document.activeElement);
    const next = step === undefined || at < 0 ? undefined : buttons[Math.max(0, Math.min(buttons.length - 1, at + step))];
    if (!next) return;
    event.preventDefault();
    for (const each of buttons) each.tabIndex = each === next ? 0 : -1;
    next.focus();
  }

  /** Tells under a line what led to it; nothing else is changed. */
  private async explain(line: StoryLine, under: HTMLElement): Promise<void> {
    const says = await this.why(line.of);
    if (says) under.append(el("div", { class: "story why", tabindex: "0", role: "group", label: "What led to it" }, ...says.flatMap((each, at) => [at ? "\n" : null, ...runs(each)])));
  }
}
