/** Odds drawn in the browser: stacked columns, columns of one start, a grid of two things that vary; and pictures of them to keep. */
import { max, ticks } from "d3-array";
import { el, SVG, svgElement } from "./elements";
import { HALF, LOST, shaded, type Tone, tones, UNKNOWN, type Value } from "./outcomes";
import { likely, type Measured, type Start } from "./panes/odds_answer";
import { NEVER, percent, said, type Share, type Style } from "./shares";

const WIDTH = 1140;
const HEIGHT = 300;
const LEFT = 58;
const RIGHT = 12;
const TOP = 14;
const BASE = TOP + HEIGHT;
/** A part lower than this has no room for its figure. */
const LOWEST_SAID = 19;
const MOST_COLUMNS = 24;
const MOST_STACKED = 9;
const MOST_TICKS = 12;
const CELL = 40;

/** What all pictures of an answer are drawn with. */
export interface Drawing {
  readonly of: Measured;
  /** Keys of the values that are asked for; null where each of them is. */
  readonly asked: ReadonlySet<string> | null;
  readonly style: Style;
  /** What is varied, as it stands under the columns; empty where nothing is. */
  readonly axis: string;
  /** The start that the pointer or the keys are at. */
  point(at: number): void;
}

/** A part of a column: a value, or plays without an end. */
export interface Piece {
  readonly says: string;
  readonly share: Share;
  readonly tone: Tone;
  readonly asked: boolean;
}

/** The values in the order in which they are piled: what is asked for at the bottom, then the rest of the scale from its side. */
export function piled({ of, asked }: Pick<Drawing, "of" | "asked">): Value[] {
  const first = of.values.findIndex((each) => asked?.has(each.key));
  const high = first < 0 || first >= of.values.length / 2;
  const ordered = high ? [...of.values].reverse() : [...of.values];
  return [...ordered.filter((each) => asked?.has(each.key)), ...ordered.filter((each) => !asked?.has(each.key))];
}

/** The parts of a column from the bottom, those that never come left out. */
export function pieces(start: Start, drawing: Pick<Drawing, "of" | "asked">): Piece[] {
  const of = tones(drawing.of.values, drawing.of.scale, drawing.asked);
  const told = piled(drawing).map((each) => ({ says: each.says, share: start.shares.get(each.key) ?? NEVER, tone: of.get(each.key) ?? UNKNOWN, asked: drawing.asked?.has(each.key) ?? false }));
  const lost = start.lost.map((each) => ({ says: each.sort === "stops" ? "the play stops" : each.says, share: each.share, tone: each.sort === "open" ? UNKNOWN : LOST, asked: false }));
  return [...told, ...lost].filter((each) => each.share.about > 0);
}

/** Whether starts are drawn as columns of parts; else as a grid of values by starts. */
export function stacks(of: Measured): boolean {
  return of.starts.length <= MOST_COLUMNS && of.values.length <= MOST_STACKED;
}

function text(says: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = svgElement("text", attributes);
  made.textContent = says;
  return made;
}

function frame(height: number, label: string): SVGSVGElement {
  const stops = svgElement("pattern", { id: "odds-stops", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svgElement("rect", { width: 8, height: 8, fill: "var(--warn-soft)" }), svgElement("rect", { width: 3, height: 8, fill: "var(--warn)" }));
  const lines = svgElement("pattern", { id: "odds-lines", width: 4, height: 4, patternUnits: "userSpaceOnUse" }, svgElement("rect", { y: 1.5, width: 4, height: 1, fill: "#fff", "fill-opacity": 0.45 }));
  return svgElement("svg", { class: "odds-chart", viewBox: `0 0 ${WIDTH} ${height}`, role: "group", "aria-label": label }, svgElement("defs", {}, stops, lines)) as SVGSVGElement;
}

/** Heights to write at the side: sixths where all shares are sixths, else tenths. */
function marks(shares: readonly Share[], style: Style, roof: number): readonly (readonly [number, string])[] {
  const unders = shares.map((each) => Number(each.exact?.split("/")[1] ?? (each.exact === null ? NaN : 1)));
  const under = unders.reduce((all, each) => (all * each) / gcd(all, each), 1);
  if (style === "fraction" && roof === 1 && under > 1 && under <= MOST_TICKS) return Array.from({ length: under + 1 }, (_, at) => [at / under, at === 0 ? "0" : at === under ? "1" : `${at / gcd(at, under)}/${under / gcd(at, under)}`] as const);
  return ticks(0, roof, 5).map((each) => [each, percent(each).replace(/\.0 /, " ")] as const);
}

function gcd(one: number, other: number): number {
  return other ? gcd(other, one % other) : one;
}

function filled(x: number, y: number, width: number, height: number, tone: Tone): SVGElement[] {
  const place = { x, y, width, height, rx: 2 };
  return [svgElement("rect", { ...place, fill: tone.fill }), ...(tone.hatched ? [svgElement("rect", { ...place, fill: "url(#odds-lines)" })] : [])];
}

/** What a start comes to, in words. */
export function told(start: Start, drawing: Drawing): string {
  if (start.refused !== null) return `cannot begin: ${start.refused}`;
  return pieces(start, drawing).map((each) => `${each.says} ${said(each.share, drawing.style)}`).join(" · ");
}

/** A column for each start, of parts that make up one. */
export function columns(drawing: Drawing, label: string): SVGSVGElement {
  const { of, style } = drawing;
  const starts = of.starts;
  const made = frame(BASE + (drawing.axis ? 58 : 34), label);
  const every = starts.map((each) => pieces(each, drawing));
  const slot = (WIDTH - LEFT - RIGHT) / starts.length;
  const wide = Math.min(slot * 0.74, 150);
  const y = (height: number): number => BASE - HEIGHT * height;
  for (const [height, says] of marks(every.flat().map((each) => each.share), style, 1)) {
    made.append(svgElement("line", { class: "odds-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(height), y2: y(height) }), text(says, { class: "odds-tick", x: LEFT - 10, y: y(height) + 4.5, "text-anchor": "end" }));
  }
  starts.forEach((start, at) => {
    const middle = LEFT + slot * (at + 0.5);
    const column = svgElement("g", { class: "odds-column", "data-at": at, role: "img", tabindex: at ? -1 : 0, "aria-label": `${drawing.axis} ${start.at.join(", ")}: ${told(start, drawing)}` },
      svgElement("rect", { class: "odds-hit", x: middle - slot / 2, width: slot, y: TOP - 8, height: HEIGHT + 44, rx: 6 }));
    let height = 0;
    for (const piece of every[at] ?? []) {
      const [top, tall] = [y(height + piece.share.about), HEIGHT * piece.share.about];
      column.append(...filled(middle - wide / 2, top + 1, wide, Math.max(tall - 2, 1), piece.tone));
      if (tall >= LOWEST_SAID && wide > 34) {
        if (piece.tone === LOST) column.append(svgElement("rect", { x: middle - 24, y: top + tall / 2 - 11, width: 48, height: 22, rx: 4, fill: "var(--warn-soft)" }));
        column.append(text(said(piece.share, style), { class: piece.asked ? "odds-figure odds-asked" : "odds-figure", x: middle, y: top + tall / 2 + 5, "text-anchor": "middle", fill: piece.tone.ink }));
      }
      height += piece.share.about;
    }
    if (start.refused !== null) column.append(text("cannot begin", { class: "odds-tick", x: middle, y: BASE - 10, "text-anchor": "middle" }));
    column.append(text(start.at.join(", "), { class: "odds-place", x: middle, y: BASE + 26, "text-anchor": "middle" }));
    made.append(column);
  });
  if (drawing.axis) made.append(text(drawing.axis, { class: "odds-tick", x: (LEFT + WIDTH - RIGHT) / 2, y: BASE + 50, "text-anchor": "middle" }));
  pointed(made, drawing);
  return made;
}

/** A value that is drawn by itself, with how likely it, or at least or at most so much of it, is. */
export interface Column {
  readonly value: Value;
  readonly share: Share;
}

/** A column for each value of one start. */
export function singles(drawing: Drawing, shown: readonly Column[], label: string): SVGSVGElement {
  const { of, style, asked } = drawing;
  const every = [...shown.map((each) => ({ says: each.value.says, key: each.value.key, share: each.share })), ...(of.starts[0]?.lost ?? []).map((each) => ({ says: each.sort === "stops" ? "the play stops" : each.says, key: "", share: each.share }))];
  const colours = tones(of.values, of.scale, asked);
  const made = frame(BASE + 40, label);
  const most = max(every, (each) => each.share.high ?? each.share.about) ?? 1;
  const roof = most > 0.75 ? 1 : (ticks(0, most, 5).at(-1) ?? 1) + (ticks(0, most, 5)[1] ?? 0);
  const y = (height: number): number => BASE - (HEIGHT * height) / Math.min(roof, 1);
  for (const [height, says] of marks(every.map((each) => each.share), style, Math.min(roof, 1))) {
    made.append(svgElement("line", { class: "odds-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(height), y2: y(height) }), text(says, { class: "odds-tick", x: LEFT - 10, y: y(height) + 4.5, "text-anchor": "end" }));
  }
  const slot = (WIDTH - LEFT - RIGHT) / Math.max(every.length, 1);
  const wide = Math.min(slot * 0.74, 170);
  const sparse = every.length > MOST_COLUMNS ? Math.ceil(every.length / MOST_COLUMNS) : 1;
  every.forEach((each, at) => {
    const middle = LEFT + slot * (at + 0.5);
    const tone = each.key ? colours.get(each.key) ?? UNKNOWN : LOST;
    const [top, tall] = [y(each.share.about), BASE - y(each.share.about)];
    const says = said(each.share, style);
    const column = svgElement("g", { class: "odds-column", "data-at": at, role: "img", tabindex: at ? -1 : 0, "aria-label": `${each.says}: ${says}` }, svgElement("rect", { class: "odds-hit", x: middle - slot / 2, width: slot, y: TOP - 8, height: HEIGHT + 44, rx: 6 }));
    column.append(...filled(middle - wide / 2, top, wide, Math.max(tall, 1), tone));
    if (each.share.low !== undefined && each.share.high !== undefined) column.append(svgElement("path", { class: "odds-between", d: `M${middle - 6} ${y(each.share.low)}h12M${middle} ${y(each.share.low)}V${y(each.share.high)}M${middle - 6} ${y(each.share.high)}h12` }));
    if (sparse === 1) column.append(text(says, { class: asked?.has(each.key) ? "odds-figure odds-asked" : "odds-figure", x: middle, y: y(each.share.high ?? each.share.about) - 7, "text-anchor": "middle", fill: "var(--ink)" }));
    if (at % sparse === 0) column.append(text(each.says.length * 8 > slot * sparse && slot * sparse < 90 ? `${each.says.slice(0, Math.max(2, Math.floor((slot * sparse) / 9)))}…` : each.says, { class: "odds-place", x: middle, y: BASE + 26, "text-anchor": "middle" }));
    made.append(column);
  });
  pointed(made, drawing);
  return made;
}

/** A grid: rows by columns, each cell as full as it is likely. */
export function grid(drawing: Drawing, shown: { readonly rows: readonly string[]; readonly columns: readonly string[]; readonly down: string; readonly across: string; readonly cells: readonly (readonly (Share | number | null)[])[]; readonly tone: Tone }, label: string): SVGSVGElement {
  const left = Math.max(Math.min(220, 40 + 9 * (max(shown.rows, (each) => each.length) ?? 0)), Math.min(320, 30 + 8 * shown.down.length));
  const wide = Math.min(130, (WIDTH - left - RIGHT) / Math.max(shown.columns.length, 1));
  const made = frame(TOP + 30 + CELL * shown.rows.length + 34, label);
  const numbers = shown.cells.flat().filter((each): each is number => typeof each === "number");
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const right = left + wide * shown.columns.length;
  made.append(text(`${shown.down} ↓`, { class: "odds-tick", x: left - 12, y: TOP + 14, "text-anchor": "end" }));
  shown.columns.forEach((each, at) => made.append(text(each, { class: "odds-place", x: left + wide * (at + 0.5), y: TOP + 14, "text-anchor": "middle" })));
  shown.rows.forEach((row, down) => {
    const y = TOP + 26 + CELL * down;
    made.append(text(row, { class: "odds-place", x: left - 14, y: y + CELL / 2 + 4, "text-anchor": "end" }));
    shown.columns.forEach((column, along) => {
      const cell = shown.cells[down]?.[along] ?? null;
      const depth = cell === null ? 0 : typeof cell === "number" ? (cell - low) / (high - low || 1) : cell.about;
      const says = cell === null ? "–" : typeof cell === "number" ? String(Number(cell.toPrecision(3))) : cell.about === 0 ? "–" : said(cell, drawing.style);
      const fill = depth === 0 ? "var(--sunken)" : shaded(shown.tone.fill, depth);
      made.append(svgElement("g", { role: "img", "aria-label": `${shown.down} ${row}, ${shown.across} ${column}: ${says}` },
        svgElement("rect", { x: left + wide * along + 1.5, y: y + 1.5, width: wide - 3, height: CELL - 3, rx: 5, fill }),
        text(says, { class: "odds-figure", x: left + wide * (along + 0.5), y: y + CELL / 2 + 5, "text-anchor": "middle", fill: depth > HALF ? shown.tone.ink : "var(--ink)" })));
    });
  });
  made.append(text(`${shown.across} →`, { class: "odds-tick", x: (left + right) / 2, y: TOP + 26 + CELL * shown.rows.length + 24, "text-anchor": "middle" }));
  made.classList.add("odds-heat");
  return made;
}

/** The pointer and the arrows go from column to column. */
function pointed(made: SVGSVGElement, { point }: Drawing): void {
  const every = [...made.querySelectorAll<SVGGElement>(".odds-column")];
  const to = (at: number, focus = false): void => {
    every.forEach((each, number) => {
      each.classList.toggle("on", number === at);
      each.setAttribute("tabindex", number === at ? "0" : "-1");
    });
    if (focus) every[at]?.focus();
    point(at);
  };
  every.forEach((each, at) => {
    each.addEventListener("pointerenter", () => to(at));
    each.addEventListener("click", () => to(at));
    each.addEventListener("focus", () => to(at));
    each.addEventListener("keydown", (event) => {
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!by || !every[at + by]) return;
      event.preventDefault();
      to(at + by, true);
    });
  });
}

/** Marks the column of a start, as if it were pointed at. */
export function mark(made: SVGSVGElement, at: number): void {
  for (const each of made.querySelectorAll(".odds-column")) each.classList.toggle("on", each.getAttribute("data-at") === String(at));
}

/** The same columns for a narrow page: a bar for each start, from left to right. */
export function narrow(drawing: Drawing): HTMLElement {
  return el("ol", { class: "odds-narrow", label: `${drawing.axis}: how it ends` }, ...drawing.of.starts.map((start) => el("li", {},
    el("b", {}, start.at.join(", ")),
    start.refused !== null ? el("span", { class: "faint" }, `cannot begin: ${start.refused}`) : bar(pieces(start, drawing), drawing.style))));
}

/** One bar of parts that make up one, from left to right. */
export function bar(parts: readonly Piece[], style: Style): HTMLElement {
  return el("span", { class: "odds-bar", role: "img", label: parts.map((each) => `${each.says} ${said(each.share, style)}`).join(", ") }, ...parts.map((each) => {
    const made = el("i", { class: [each.tone === LOST ? "stops" : "", each.tone.hatched ? "lined" : ""].join(" ").trim() || undefined, title: `${each.says} ${said(each.share, style)}` }, el("span", {}, said(each.share, style)));
    made.style.flexGrow = String(each.share.about);
    if (each.tone !== LOST) made.style.backgroundColor = each.tone.fill;
    made.style.color = each.tone.ink;
    return made;
  }));
}

/** What the colours stand for. */
export function legend({ of, asked }: Pick<Drawing, "of" | "asked">): HTMLElement {
  const colours = tones(of.values, of.scale, asked);
  const met = piled({ of, asked }).filter((each) => of.starts.some((one) => (one.shares.get(each.key)?.about ?? 0) > 0) || asked?.has(each.key));
  const lost = new Set(of.starts.flatMap((each) => each.lost.map((one) => (one.sort === "stops" ? "The play stops" : one.sort === "open" ? "Not followed to the end" : "Never ends"))));
  return el("ul", { class: "odds-legend" }, ...met.map((each) => el("li", {}, swatch(colours.get(each.key) ?? UNKNOWN), asked?.has(each.key) ? el("b", {}, each.says) : each.says)),
    ...[...lost].map((each) => el("li", {}, swatch(each.startsWith("Not") ? UNKNOWN : LOST), each)));
}

export function swatch(tone: Tone): HTMLElement {
  const made = el("i", { class: ["swatch", tone === LOST ? "stops" : "", tone.hatched ? "lined" : ""].join(" ").trim() });
  if (tone !== LOST) made.style.backgroundColor = tone.fill;
  return made;
}

/** The share of what is asked for, of each start. */
export function askedShares(of: Measured, asked: ReadonlySet<string>): (Share | null)[] {
  return of.starts.map((each) => likely(each, asked));
}

const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "font-family", "font-size", "font-weight", "opacity"] as const;

/** A drawing that stands by itself: as it looks here, on its ground. */
export function standing(drawn: SVGSVGElement): string {
  const made = drawn.cloneNode(true) as SVGSVGElement;
  const [own, copied] = [[drawn, ...drawn.querySelectorAll<SVGElement>("*")], [made, ...made.querySelectorAll<SVGElement>("*")]];
  own.forEach((each, at) => {
    const [looks, copy] = [getComputedStyle(each), copied[at]];
    if (!copy || /^(defs|pattern)$/.test(each.localName)) return;
    for (const name of KEPT) {
      const value = looks.getPropertyValue(name);
      if (value && !(name === "fill" && value.startsWith("url"))) copy.setAttribute(name, plain(value));
    }
    for (const name of ["class", "tabindex", "role", "data-at"]) copy.removeAttribute(name);
  });
  const { width, height } = drawn.viewBox.baseVal;
  made.setAttribute("xmlns", SVG);
  made.setAttribute("width", String(width));
  made.setAttribute("height", String(height));
  made.insertBefore(svgElement("rect", { width, height, fill: plain(getComputedStyle(document.documentElement).getPropertyValue("--surface").trim()) }), made.firstChild);
  return new XMLSerializer().serializeToString(made);
}

/** A colour as other programs read it. */
function plain(value: string): string {
  if (!/^(color|oklab|oklch|color-mix)\(/.test(value)) return value;
  const pen = document.createElement("canvas").getContext("2d");
  if (!pen) return value;
  pen.fillStyle = value;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
  return `rgb(${red}, ${green}, ${blue})`;
}

const SHARP = 2;

export async function painted(drawn: SVGSVGElement): Promise<Blob> {
  const { width, height } = drawn.viewBox.baseVal;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standing(drawn))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * SHARP, height * SHARP];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((made) => (made ? done(made) : failed(new Error("no picture"))), "image/png"));
}

/** Gives a file to whoever sits there. */
export function download(name: string, content: Blob): void {
  const link = el("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
