/** Drawings of the server in a root of their own, with the looks that they bring, and places in them to press, or to drag a counter to. */
import { el, svg, svgElement } from "./elements";

/** A place of a drawing that stands for an answer: around x, y a disc, or an outline. */
export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly outline: string;
  readonly typed: string;
  readonly shown: string;
  /** Why it cannot be answered; null where it can. */
  readonly refused: string | null;
  /** What the moves there cost, where moves cost something. */
  readonly cost?: number;
}

/** A thing by its id, and where its middle is drawn. */
export type Standing = ReadonlyMap<string, readonly [x: number, y: number]>;

export interface Drawing {
  readonly host: HTMLElement;
  /** Lights the places of some answers. */
  light(typed: ReadonlySet<string>): void;
  /** Where counters stand. */
  readonly standing: Standing;
  /** Lets the counters that stand elsewhere now come from there. */
  comeFrom(before: Standing): void;
  /** Brings the keyboard to the places, to the one of an answer where that is said; false where there are none. */
  focus(typed?: string): boolean;
  /** The answer of the place that has the keyboard, if one has it. */
  readonly focused: string | null;
  /** Takes something more into the drawing, over all that is there. */
  add(node: Element): void;
  readonly svg: SVGSVGElement | null;
  /** A point of the screen in the drawing's lengths. */
  at(event: MouseEvent): readonly [x: number, y: number];
}

export interface Pointing {
  readonly spots: readonly Spot[];
  /** What is done when somebody chooses a place. */
  pick(spot: Spot): void;
  /** Counters, by the ids of their things, that can be dragged to a place. */
  readonly moves?: readonly string[];
  /** A counter was let go where it cannot stay, or a place was pressed that cannot be chosen. */
  refuse?(where: string, why: string): void;
  /** A counter was pressed where it stands. */
  press?(id: string): void;
  /** A counter was let go over a place; without it, the place is chosen. */
  move?(id: string, spot: Spot): void;
  /** Whether places are not lit until they are pointed at. */
  readonly quiet?: boolean;
  /** Whether places are chosen together, so that each is lit by itself. */
  readonly several?: boolean;
  /** Whether the legend stays a part of the drawing, which is scaled as a whole. */
  readonly isWhole?: boolean;
}

const LOOKS = /<style>([^<]*)<\/style>/g;
/** What the legend says of the numbers of answers, in whose place costs stand. */
const NUMBERED = "an answer, by its number";
const LIFT_MS = 150;
const LIFT_PX = 5;
const MOVE_MS = 260;

const SPOTS = new CSSStyleSheet();
SPOTS.replaceSync(`
:host { display: block; }
svg { display: block; width: 100%; max-width: 100%; height: auto; max-height: var(--board-height, 75vh); margin: 0 auto; font-family: var(--sans); touch-action: manipulation; }
[data-thing], .num, .mark, .over, .cross, .way { pointer-events: none; }
.paper { fill: none; }
.legend-lines { position: sticky; left: 0; right: 0; display: flex; flex-wrap: wrap; justify-content: center; gap: 4px 22px; max-width: min(100%, calc(100vw - 72px)); margin: 10px auto 0; padding: 0; list-style: none; color: var(--ink-2); font: 400 13px/1.4 var(--sans); }
.legend-lines li { display: flex; align-items: center; gap: 6px; }
.legend-lines b { color: var(--ink); }
.legend-lines svg { width: 30px; height: 20px; margin: 0; flex: none; }
svg.guided ~ .legend-lines .searched { display: none; }
.guided .refused, .guided .found, .guided .searched { display: none; }
.small .legend, .small .over, .close .legend { display: none; }
.spot { fill: var(--accent-soft); fill-opacity: 0.55; stroke: var(--accent); stroke-width: 2; stroke-opacity: 0.8; stroke-linejoin: round; cursor: pointer; outline: none; }
.spot.over-counter { fill-opacity: 0; stroke-width: 4; }
.spot:hover { fill-opacity: 0.85; }
.spot.over-counter:hover { fill-opacity: 0.25; }
.spot.lit, .spot.aim { fill: var(--accent); fill-opacity: 0.3; stroke-width: 4.5; stroke-opacity: 1; }
.spot.quiet { fill-opacity: 0; stroke-opacity: 0; }
.spot.quiet:hover { fill-opacity: 0.45; stroke-opacity: 0.8; }
.spot.quiet.lit, .spot.quiet.aim { fill-opacity: 0.3; stroke-opacity: 1; }
.spot:focus-visible { stroke: var(--ink); stroke-width: 5; stroke-opacity: 1; }
.spot.refused { fill: none; stroke: none; pointer-events: all; cursor: help; }
.movable { pointer-events: all; cursor: grab; }
.left { opacity: 0.35; }
.gone { fill: none; stroke: var(--red); stroke-width: 7; stroke-linecap: round; pointer-events: none; }
.lifted { pointer-events: none; cursor: grabbing; filter: drop-shadow(0 10px 8px rgb(20 15 5 / 40%)); }
.costed .mark, .costed .num { display: none; }
.cost-ground { fill: var(--surface); pointer-events: none; }
.cost { fill: var(--accent); font: 700 20px var(--sans); text-anchor: middle; pointer-events: none; }
.ghost { outline: none; cursor: grab; }
.ghost .shape { stroke: var(--accent); stroke-width: 3; }
.ghost:focus-visible .shape { stroke: var(--ink); stroke-width: 5; }
.ghost .nose { fill: var(--accent); }
.ghost-name { fill: #fff; font: 600 11px var(--sans); text-anchor: middle; paint-order: stroke; stroke: rgb(0 0 0 / 55%); stroke-width: 3px; stroke-linejoin: round; pointer-events: none; }
.ghost-way { fill: none; stroke: var(--accent); stroke-width: 4; stroke-linecap: round; stroke-dasharray: 1 9; pointer-events: none; }
.ghost-reach { fill: var(--accent-soft); fill-opacity: 0.35; stroke: var(--accent); stroke-width: 2; pointer-events: none; }
.ghost-arc { fill: var(--accent); fill-opacity: 0.06; stroke: var(--accent); stroke-width: 1.2; stroke-dasharray: 5 5; pointer-events: none; }
.ghost-lines line { pointer-events: none; }
.ghost-lines .clear { stroke: var(--accent); stroke-width: 2.5; }
.ghost-lines .blocked { stroke: var(--ink-2, #777); stroke-width: 1.5; stroke-dasharray: 3 5; opacity: 0.6; }
.ghost-tag { fill: var(--ink); pointer-events: none; }
.ghost-says { fill: var(--paper); font: 600 13px var(--sans); text-anchor: middle; pointer-events: none; }
`);

/** A drawing as a small picture: the board alone, without its legend and its coordinates. */
export function thumbnail(text: string, label: string): HTMLElement {
  const made = drawing(text, label);
  const legend = Math.min(...[...(made.svg?.querySelectorAll(".legend text") ?? [])].map((each) => Number(each.getAttribute("y"))));
  const box = made.svg?.viewBox.baseVal;
  made.svg?.classList.add("small");
  if (box && Number.isFinite(legend)) made.svg?.setAttribute("viewBox", `0 0 ${box.width} ${legend - THUMB_GAP}`);
  return made.host;
}

const THUMB_GAP = 22;

/** So much of a board, in its lengths, is shown around counters. */
const AROUND = 150;
/** Half of the cross over a counter that is gone. */
const CROSS = 20;

export interface Scene {
  readonly begins: Drawing;
  readonly ends: Drawing;
}

/** Where a play begins and ends; who is gone at the end is crossed out. */
export function scene(board: { readonly begins: string; readonly ends: string }, start: string, end: string): Scene {
  const begins = drawing(board.begins, start);
  const ends = drawing(board.ends, end);
  for (const [id, [x, y]] of begins.standing) {
    const counter = ends.standing.has(id) ? null : [...(begins.svg?.querySelectorAll<SVGElement>("[data-thing]") ?? [])].find((each) => each.dataset["thing"] === id);
    if (!counter) continue;
    const gone = counter.cloneNode(true) as SVGElement;
    gone.classList.add("left");
    gone.removeAttribute("data-thing");
    ends.add(gone);
    ends.add(svgElement("path", { class: "gone", d: `M${x - CROSS} ${y - CROSS}l${2 * CROSS} ${2 * CROSS}m0 ${-2 * CROSS}l${-2 * CROSS} ${2 * CROSS}` }));
  }
  return { begins, ends };
}

/** Shows of all boards the same part, around those who take part in them, in a frame of one shape: its width by its height. */
export function closeUp(scenes: readonly Scene[], who: readonly string[], shape: number): void {
  const boards = scenes.flatMap(({ begins, ends }) => [begins, ends]);
  const isAny = who.some((each) => boards.some(({ standing }) => standing.has(each)));
  const places = boards.flatMap(({ standing }) => [...standing].filter(([id]) => !isAny || who.includes(id)).map(([, place]) => place));
  if (places.length === 0) return;
  const [left, right] = [Math.min(...places.map(([x]) => x)) - AROUND, Math.max(...places.map(([x]) => x)) + AROUND];
  const [top, bottom] = [Math.min(...places.map(([, y]) => y)) - AROUND * 0.75, Math.max(...places.map(([, y]) => y)) + AROUND * 0.75];
  for (const { svg: made } of boards) {
    const view = made?.viewBox.baseVal;
    if (!made || !view) continue;
    const legend = Math.min(view.y + view.height + THUMB_GAP, ...[...made.querySelectorAll(".legend text")].map((each) => Number(each.getAttribute("y"))));
    const whole = legend - THUMB_GAP - view.y;
    const width = Math.min(view.width, Math.max(right - left, (bottom - top) * shape));
    const height = Math.min(whole, Math.max(bottom - top, width / shape));
    const x = Math.max(view.x, Math.min((left + right - width) / 2, view.x + view.width - width));
    const y = Math.max(view.y, Math.min((top + bottom - height) / 2, view.y + whole - height));
    made.classList.add("close");
    made.setAttribute("viewBox", [x, y, width, height].join(" "));
    made.removeAttribute("width");
    made.removeAttribute("height");
  }
}

/** The looks of one game's boards are the same at each moment; the browser reads them once. */
const known = new Map<string, CSSStyleSheet>();

function looks(text: string): CSSStyleSheet {
  const found = known.get(text) ?? new CSSStyleSheet();
  if (known.has(text)) return found;
  found.replaceSync(text);
  known.set(text, found);
  return found;
}

/** A drawing, named for readers of the screen; its places are buttons with one stop of the tabulator, which arrows walk in reading order. */
export function drawing(text: string, label: string, pointing?: Pointing): Drawing {
  const host = el("div", { class: "drawing" });
  const made = svg(text.replaceAll(LOOKS, ""));
  if (!made) return { host, light: () => undefined, standing: new Map(), comeFrom: () => undefined, focus: () => false, focused: null, add: () => undefined, svg: null, at: () => [0, 0] };
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [looks([...text.matchAll(LOOKS)].map((each) => each[1]).join("\n")), SPOTS];
  made.setAttribute("aria-label", label);
  const places = pointing ? new Places(made, root, pointing) : null;
  root.append(made);
  if (pointing && !pointing.isWhole) root.append(...legend(made));
  const counters = [...made.querySelectorAll<SVGGElement>("[data-thing]")];
  const standing = new Map(counters.map((each) => [each.dataset["thing"] ?? "", middle(each)] as const));
  return {
    host,
    svg: made,
    standing,
    light: (typed) => places?.light(typed),
    comeFrom: (before) => {
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      for (const each of counters) {
        const [from, to] = [before.get(each.dataset["thing"] ?? ""), standing.get(each.dataset["thing"] ?? "")];
        if (!from || !to || (from[0] === to[0] && from[1] === to[1])) continue;
        each.animate([{ transform: `translate(${from[0] - to[0]}px, ${from[1] - to[1]}px)` }, { transform: "none" }], { duration: MOVE_MS, easing: "cubic-bezier(.2,.7,.2,1)" });
      }
    },
    focus: (typed) => places?.focus(typed) ?? false,
    get focused() { return root.activeElement instanceof SVGElement ? root.activeElement.dataset["typed"] ?? null : null; },
    add: (node) => {
      made.append(node);
      if (node.hasAttribute("tabindex")) made.setAttribute("role", "group");
    },
    at: (event) => point(made, event),
  };
}

/** So wide is the sample of a line of the legend, and so far above its text it begins. */
const SAMPLE = { width: 30, height: 20, left: 34, above: 15 };

/** Takes the legend out of a drawing and sets it below it, as a line of text that breaks where it must. */
function legend(made: SVGSVGElement): HTMLElement[] {
  const drawn = made.querySelector(":scope > .legend");
  const view = made.viewBox.baseVal;
  const tops = [...(drawn?.querySelectorAll("text") ?? [])].map((each) => Number(each.getAttribute("y")));
  if (!drawn || !tops.length) return [];
  const list = el("ul", { class: "legend-lines" });
  const entry = (nodes: readonly Element[], text: Element, isSearched: boolean): void => {
    const [x, y] = [Number(text.getAttribute("x")), Number(text.getAttribute("y"))];
    const sample = nodes.length ? svgElement("svg", { viewBox: [x - SAMPLE.left, y - SAMPLE.above, SAMPLE.width, SAMPLE.height].join(" "), width: SAMPLE.width, height: SAMPLE.height, "aria-hidden": "true" }, ...nodes.map((each) => each.cloneNode(true) as Element)) : null;
    const [, sign, says] = nodes.length ? [] : /^(\S+[\u2013-]\S+|\d+) (.*)$/.exec(text.textContent ?? "") ?? [];
    list.append(el("li", { class: isSearched ? "searched" : undefined }, sample, sign ? el("b", {}, sign, " ") : null, el("span", {}, says ?? text.textContent)));
  };
  const read = (group: Element, isSearched: boolean): void => {
    let before: Element[] = [];
    for (const each of group.children) {
      if (each.localName === "g") read(each, true);
      else if (each.localName === "text") {
        entry(before, each, isSearched);
        before = [];
      } else before.push(each);
    }
  };
  read(drawn, false);
  drawn.remove();
  const height = Math.min(...tops) - THUMB_GAP - view.y;
  if (height > 0 && height < view.height) {
    made.setAttribute("viewBox", [view.x, view.y, view.width, height].join(" "));
    made.setAttribute("height", String(height));
  }
  return [list];
}

function middle(counter: SVGGElement): readonly [number, number] {
  const body = counter.querySelector("rect");
  const length = (name: string): number => Number(body?.getAttribute(name) ?? 0);
  return [length("x") + length("width") / 2, length("y") + length("height") / 2];
}

function point(within: SVGSVGElement, event: MouseEvent): readonly [number, number] {
  const to = within.getScreenCTM()?.inverse();
  const at = new DOMPoint(event.clientX, event.clientY);
  const found = to ? at.matrixTransform(to) : at;
  return [found.x, found.y];
}

class Places {
  private readonly drawn: { readonly spot: Spot; readonly shape: SVGElement }[];

  constructor(
    private readonly made: SVGSVGElement,
    private readonly root: ShadowRoot,
    private readonly pointing: Pointing,
  ) {
    const inOrder = [...pointing.spots].sort((one, other) => (Math.abs(one.y - other.y) > 2 ? one.y - other.y : one.x - other.x));
    this.drawn = inOrder.map((spot) => ({ spot, shape: this.place(spot) }));
    const legal = this.legal();
    if (legal.length) made.setAttribute("role", "group");
    legal[0]?.shape.setAttribute("tabindex", "0");
    const below = svgElement("g", {});
    below.append(...this.drawn.filter(({ spot }) => !isCounter(spot)).map((each) => each.shape), ...inOrder.flatMap(costs));
    if (inOrder.some((each) => each.cost !== undefined)) {
      made.classList.add("costed");
      for (const each of made.querySelectorAll(".legend text")) if (each.textContent === NUMBERED) each.textContent = "a number: what the moves there cost";
    }
    made.insertBefore(below, made.querySelector(":scope > .cells")?.nextSibling ?? null);
    made.append(...this.drawn.filter(({ spot }) => isCounter(spot)).map((each) => each.shape));
    for (const each of pointing.moves ?? []) this.movable(each);
  }

  private legal(): { readonly spot: Spot; readonly shape: SVGElement }[] {
    return this.drawn.filter(({ spot }) => spot.refused === null);
  }

  light(typed: ReadonlySet<string>): void {
    for (const { spot, shape: each } of this.drawn) {
      const lit = typed.has(spot.typed);
      each.classList.toggle("lit", lit);
      if (this.pointing.several && spot.refused === null) each.setAttribute("aria-pressed", String(lit));
    }
  }

  focus(typed?: string): boolean {
    const legal = this.legal();
    const found = legal.find(({ spot }) => spot.typed === typed) ?? (typed === undefined ? legal[0] : undefined);
    if (!found) return false;
    for (const each of legal) each.shape.setAttribute("tabindex", each === found ? "0" : "-1");
    found.shape.focus();
    return true;
  }

  private place(spot: Spot): SVGElement {
    const made = spot.outline
      ? svgElement("polygon", { points: spot.outline, transform: `translate(${spot.x} ${spot.y})${isCounter(spot) ? " scale(1.12)" : " scale(0.93)"}` })
      : svgElement("circle", { cx: spot.x, cy: spot.y, r: spot.radius });
    made.classList.add("spot", ...(this.pointing.quiet ? ["quiet"] : []), ...(isCounter(spot) ? ["over-counter"] : []), ...(spot.refused !== null ? ["refused"] : []));
    const title = svgElement("title", {});
    title.textContent = spot.refused === null ? spot.shown : `${spot.shown}: ${spot.refused}`;
    made.append(title);
    if (spot.refused !== null) {
      made.addEventListener("click", () => this.pointing.refuse?.(spot.shown, spot.refused ?? ""));
      return made;
    }
    made.dataset["typed"] = spot.typed;
    made.setAttribute("role", "button");
    made.setAttribute("tabindex", "-1");
    made.setAttribute("aria-label", spot.cost === undefined ? spot.shown : `${spot.shown}, costs ${spot.cost}`);
    made.addEventListener("click", () => this.pointing.pick(spot));
    made.addEventListener("keydown", (event) => this.key(event, spot));
    return made;
  }

  private key(event: KeyboardEvent, spot: Spot): void {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.pointing.pick(spot);
      return;
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const legal = this.legal();
    const at = legal.findIndex((each) => each.spot === spot);
    const next = legal[Math.max(0, Math.min(legal.length - 1, at + step))];
    for (const each of legal) each.shape.setAttribute("tabindex", each === next ? "0" : "-1");
    next?.shape.focus();
  }

  /** A counter follows the pointer to a place; let go elsewhere it goes back, and the place says why. */
  private movable(id: string): void {
    const counter = [...this.made.querySelectorAll<SVGGElement>("[data-thing]")].find((each) => each.dataset["thing"] === id);
    if (!counter || !this.legal().some(({ spot }) => !isCounter(spot))) return;
    counter.classList.add("movable");
    counter.addEventListener("pointerdown", (down) => {
      if (down.button !== 0) return;
      const from = point(this.made, down);
      let lifted: SVGGElement | null = null;
      const lift = (): void => {
        lifted = counter.cloneNode(true) as SVGGElement;
        lifted.classList.add("lifted");
        lifted.classList.remove("movable");
        counter.classList.add("left");
        this.made.append(lifted);
        this.made.setPointerCapture(down.pointerId);
      };
      const soon = down.pointerType === "touch" ? setTimeout(lift, LIFT_MS) : undefined;
      const move = (event: PointerEvent): void => {
        const far = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY);
        if (!lifted && far > LIFT_PX) {
          if (down.pointerType === "touch") return end(event);
          lift();
        }
        if (!lifted) return;
        event.preventDefault();
        const [x, y] = point(this.made, event);
        lifted.setAttribute("transform", `translate(${x - from[0]} ${y - from[1]})`);
        const over = this.under(event);
        for (const each of this.drawn) each.shape.classList.toggle("aim", each === over && each.spot.refused === null);
      };
      const stopped = (event: TouchEvent): void => { if (lifted) event.preventDefault(); };
      const end = (event: PointerEvent): void => {
        clearTimeout(soon);
        this.made.removeEventListener("pointermove", move);
        this.made.removeEventListener("pointerup", end);
        this.made.removeEventListener("pointercancel", end);
        this.made.removeEventListener("touchmove", stopped);
        for (const each of this.drawn) each.shape.classList.remove("aim");
        counter.classList.remove("left");
        if (!lifted) {
          if (event.type === "pointerup") this.pointing.press?.(id);
          return;
        }
        const gone = lifted;
        const over = event.type === "pointerup" ? this.under(event) : undefined;
        if (over && over.spot.refused === null) {
          gone.remove();
          if (this.pointing.move) this.pointing.move(id, over.spot);
          else this.pointing.pick(over.spot);
          return;
        }
        const back = matchMedia("(prefers-reduced-motion: reduce)").matches ? null : gone.animate([{}, { transform: "translate(0, 0)" }], { duration: MOVE_MS });
        if (back) void back.finished.then(() => gone.remove());
        else gone.remove();
        if (over) this.pointing.refuse?.(over.spot.shown, over.spot.refused ?? "");
        else if (event.type === "pointerup") this.pointing.refuse?.("", "this is none of the lit places");
      };
      this.made.addEventListener("pointermove", move);
      this.made.addEventListener("pointerup", end);
      this.made.addEventListener("pointercancel", end);
      this.made.addEventListener("touchmove", stopped, { passive: false });
    });
  }

  private under(event: PointerEvent): { readonly spot: Spot; readonly shape: SVGElement } | undefined {
    const found = this.root.elementsFromPoint(event.clientX, event.clientY);
    return this.drawn.find((each) => found.includes(each.shape) && !isCounter(each.spot));
  }
}

/** What the moves to a place cost, written on it; to where one stands they cost nothing. */
function costs({ x, y, cost }: Spot): SVGElement[] {
  if (!cost) return [];
  const says = svgElement("text", { class: "cost", x, y: y + 7 });
  says.textContent = String(cost);
  return [svgElement("circle", { class: "cost-ground", cx: x, cy: y, r: 17 }), says];
}

/** Whether a place is a counter that stands there. */
function isCounter(spot: Spot): boolean {
  return spot.radius > 0;
}
