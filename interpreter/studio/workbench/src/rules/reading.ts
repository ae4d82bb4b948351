/** The printed chapter and the chart beside a text, which follow the cursor and lead back to the text. */
import { type Desk, isGivenUp, Problem } from "../desk";
import { button, choice, el, fill, page, svg, svgElement } from "../elements";

interface Stretch {
  readonly path: string;
  readonly line: number;
  readonly end: number;
}

interface Chapter {
  readonly page: string;
  readonly places: readonly (Stretch & { readonly anchor: string })[];
}

interface Chart {
  readonly procedure: string | null;
  readonly svg: string;
  readonly procedures: readonly { readonly name: string; readonly title: string; readonly path: string; readonly line: number }[];
  readonly boxes: readonly (Stretch & { readonly x: number; readonly y: number; readonly width: number; readonly height: number })[];
}

export type Sort = "chapter" | "chart";

const LOOK = `
:host { display: block; --good: var(--good-soft); --bad: var(--bad-soft); --mixed: var(--warn-soft); --name: var(--sunken);
  --quiet: var(--sunken); --dim: var(--ink-2); --link: var(--accent); }
.chapter { max-width: none; padding-right: 0; font: 16px/1.5 var(--serif); }
.chapter :is(h1, h2, h3, h4) { font-family: var(--serif); }
.chapter h2 { font-size: 20px; }
.chapter :is(h3, h4) { font-size: 17px; }
.chapter p { margin-block: 0.4em; }
.chapter table { font-size: 14.5px; line-height: 1.3; }
.chapter span.margin { width: auto; margin: 0 0 0 1rem; }
.chapter table.rows { display: block; overflow-x: auto; }
.lit { border-radius: 4px; background: var(--accent-soft); box-shadow: 0 0 0 6px var(--accent-soft), -9px 0 0 0 var(--accent); }
.lit .lit { box-shadow: none; }
button { font: 0.75rem var(--sans); color: var(--accent); background: none; border: 1px solid var(--line); border-radius: 0.2rem;
  margin-inline-start: 0.5em; padding: 0 0.4em; min-height: 1.5rem; cursor: pointer; opacity: 0; }
h2 button, h3 button, h4 button, button:focus-visible, :hover > button { opacity: 1; }
button:focus-visible { outline: 0.15rem solid var(--accent); }
@media (max-width: 760px) { button { width: fit-content; min-height: 2.75rem; margin-block: -0.7rem; border-color: transparent; vertical-align: middle; } }
`;

/** Which of some stretches holds a line, the shortest if several do. */
function around<T extends Stretch>(places: readonly T[], path: string, line: number): T | null {
  const found = places.filter((each) => each.path === path && each.line <= line && line <= each.end);
  return found.reduce<T | null>((best, each) => (best && best.end - best.line <= each.end - each.line ? best : each), null);
}

export class Reading {
  sort: Sort | null = null;
  private chapter: Chapter | null = null;
  private chart: Chart | null = null;
  private procedure = "";
  private asked: AbortController | null = null;
  private readonly root: ShadowRoot;
  private readonly body = el("div", { class: "chapter" });
  private readonly note = el("p", { class: "faint older", role: "status" });
  readonly exports = button("Export the chapter", () => this.exported(), { class: "quiet", title: "A page to print, send or put on a site" });
  private readonly drawing = el("div", { class: "wide chart" });
  private readonly choices = el("div", {});
  private readonly shadow = el("div", {});
  private readonly sheet = new CSSStyleSheet();
  private place: { path: string; line: number } | null = null;
  /** How often the text was changed, and how often it had been when what is shown was made. */
  private changes = 0;
  private made = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly desk: Desk,
    /** The texts that are typed and not saved: what is printed is made of them. */
    private readonly typed: () => Readonly<Record<string, string>>,
    private readonly go: (place: Stretch) => void,
  ) {
    this.root = this.shadow.attachShadow({ mode: "open" });
    const own = new CSSStyleSheet();
    own.replaceSync(LOOK);
    this.root.adoptedStyleSheets = [this.sheet, own];
    this.root.append(this.body);
    this.body.addEventListener("click", (event) => this.clicked(event));
  }

  /** Shows the chapter, the chart or neither. */
  show(sort: Sort | null): void {
    this.sort = sort;
    this.exports.hidden = sort !== "chapter";
    if (sort === "chapter") fill(this.host, this.note, this.shadow);
    else if (sort === "chart") fill(this.host, this.choices, this.note, this.drawing);
    if (sort) void this.refresh();
  }

  /** The text is another: the places of what is shown are of an older one. */
  older(): void {
    this.changes++;
    this.light();
  }

  private get isOlder(): boolean {
    return this.made !== this.changes;
  }

  /** Goes to a place of the text that what is shown was made from. */
  private lead(place: Stretch): void {
    if (this.isOlder) this.desk.say(`The text was changed after this ${this.sort} was made, so it cannot show the line.`);
    else this.go(place);
  }

  /** Asks again for what is shown. */
  async refresh(): Promise<void> {
    const path = this.about();
    const { changes } = this;
    this.asked?.abort();
    this.host.removeAttribute("aria-busy");
    if (path === null || this.sort === null) {
      fill(this.note, path === null ? "There is no ruleset in this folder." : "");
      return;
    }
    const asking = (this.asked = new AbortController());
    this.host.setAttribute("aria-busy", "true");
    try {
      if (this.sort === "chapter") this.printed(await this.desk.ask<Chapter>("rules/chapter", { path, texts: this.typed() }, asking.signal));
      else {
        const wanted = this.procedure ? { procedure: this.procedure } : { line: this.place?.path === path ? this.place.line : 1 };
        this.charted(await this.desk.ask<Chart>("rules/chart", { path, texts: this.typed(), ...wanted }, asking.signal));
      }
      fill(this.note);
      this.made = changes;
      this.light();
    } catch (fault) {
      if (isGivenUp(fault)) return;
      if (!(fault instanceof Problem)) throw fault;
      const still = this.sort === "chapter" ? this.chapter : this.chart;
      if (!still) this.note.classList.add("story");
      fill(this.note, still ? "The text has mistakes. This was made from the text before them." : fault.message);
    } finally {
      if (this.asked === asking) this.host.removeAttribute("aria-busy");
    }
  }

  /** What is printed: the text that is shown, if it is one of rules, so that an overlay is seen in what it amends. */
  private about(): string | null {
    const shown = this.place?.path;
    return shown?.endsWith(".rules") ? shown : this.desk.ruleset;
  }

  private printed(made: Chapter): void {
    this.chapter = made;
    const style = /<style>([\s\S]*?)<\/style>/.exec(made.page)?.[1] ?? "";
    this.sheet.replaceSync(style);
    this.body.replaceChildren(page(made.page));
    for (const each of made.places) {
      const found = this.root.getElementById(each.anchor);
      const head = found?.querySelector("h2, h3, h4, dt, .entry") ?? found;
      if (!head || head.querySelector("button")) continue;
      head.append(el("button", { type: "button", "data-anchor": each.anchor, label: `Show the text of ${said(head)}` }, "text"));
    }
  }

  /** Gives the chapter to the browser to be kept, as a page of its own. */
  private exported(): void {
    if (!this.chapter) return;
    const place = URL.createObjectURL(new Blob([this.chapter.page], { type: "text/html" }));
    const name = (this.about() ?? "chapter").split("/").at(-1)?.replace(/\.rules$/, "") ?? "chapter";
    el("a", { href: place, download: `${name}.html` }).click();
    setTimeout(() => URL.revokeObjectURL(place), 60_000);
    this.desk.say(`${name}.html: the chapter as you see it here.`);
  }

  private clicked(event: Event): void {
    const target = event.target instanceof Element ? event.target : null;
    const link = target?.closest("a[href^='#']")?.getAttribute("href");
    if (link) {
      event.preventDefault();
      this.root.getElementById(decodeURIComponent(link.slice(1)))?.scrollIntoView({ block: "start" });
      return;
    }
    for (let at: Element | null | undefined = target; at; at = at.parentElement?.closest("[id]")) {
      const anchor = at.getAttribute("data-anchor") ?? at.id;
      const place = this.chapter?.places.find((each) => each.anchor === anchor);
      if (place) {
        this.lead(place);
        return;
      }
    }
  }

  private charted(made: Chart): void {
    this.chart = made;
    const drawn = svg(made.svg);
    fill(
      this.choices,
      made.procedures.length > 1 &&
        choice("Procedure", made.procedures.map((each) => [each.name, each.title || each.name] as const), made.procedure ?? "", (name) => {
          this.procedure = name;
          void this.refresh();
        }),
    );
    fill(this.drawing, drawn);
    if (!drawn) return;
    drawn.removeAttribute("role");
    for (const [at, box] of made.boxes.entries()) {
      const { x, y, width, height } = box;
      const over = svgElement("rect", { x, y, width, height, class: "step", tabindex: "0", role: "button", "aria-label": `Show the text of ${headOf(drawn, box)}`, "data-at": at });
      over.addEventListener("click", () => this.lead(box));
      over.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.lead(box);
      });
      drawn.append(over);
    }
  }

  /** Follows the cursor of the text. */
  follow(path: string, line: number): void {
    const before = this.about();
    const moved = this.place?.path !== path || this.place.line !== line;
    this.place = { path, line };
    if (!moved) return;
    this.light();
    const inside = this.chart?.procedures.filter((each) => each.path === path && each.line <= line).at(-1);
    const isOther = this.sort === "chart" && inside !== undefined && inside.name !== this.chart?.procedure;
    if (isOther) this.procedure = inside.name;
    if (isOther || before !== this.about()) void this.refresh();
  }

  private light(): void {
    if (!this.place || !this.sort) return;
    const { path, line } = this.place;
    if (this.sort === "chapter") {
      for (const each of this.root.querySelectorAll(".lit")) each.classList.remove("lit");
      const found = this.chapter && !this.isOlder && around(this.chapter.places, path, line);
      const shown = found ? this.root.getElementById(found.anchor) : null;
      shown?.classList.add("lit");
      shown?.scrollIntoView({ block: "nearest" });
      return;
    }
    const found = this.chart && !this.isOlder ? around(this.chart.boxes, path, line) : null;
    for (const each of this.drawing.querySelectorAll(".step")) {
      const is = found !== null && this.chart?.boxes[Number(each.getAttribute("data-at"))] === found;
      each.classList.toggle("lit", is);
      if (is) each.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }
}

/** What a line of the chapter says, without what stands in its margin. */
function said(head: Element): string {
  const copy = head.cloneNode(true) as Element;
  for (const each of copy.querySelectorAll(".margin, button")) each.remove();
  return (copy.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 80);
}

/** The first line that a chart has in a box. */
function headOf(drawn: SVGSVGElement, box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }): string {
  const inside = [...drawn.querySelectorAll("text")].find((each) => {
    const [x, y] = [Number(each.getAttribute("x")), Number(each.getAttribute("y"))];
    return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
  });
  return (inside?.textContent ?? "this step").trim();
}
