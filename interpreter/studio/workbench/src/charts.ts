/** Odds drawn as bars, lines or a heat map, in the colours of the theme; each figure is told by pointing at it, too. */
import { max, min, ticks } from "d3-array";

/** What `--picture FILE.json` has of one measure. */
export interface Drawn {
  readonly heading: string;
  readonly picture: Curves | Heat;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface Line {
  readonly label: string;
  /** At each place, null where nothing is known; of counted plays `low` and `high` say where the truth is. */
  readonly heights: readonly (number | null)[];
  readonly low: readonly number[];
  readonly high: readonly number[];
  readonly said: readonly string[];
}

interface Curves {
  readonly title: string;
  readonly across: string;
  readonly up: string;
  readonly places: readonly string[];
  readonly lines: readonly Line[];
  readonly is_share: boolean;
  readonly is_apart: boolean;
  readonly note: string;
  readonly layout: string;
}

interface Heat {
  readonly title: string;
  readonly of: string;
  readonly down: string;
  readonly across: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly cells: readonly (readonly (number | null)[])[];
  readonly said: readonly (readonly string[])[];
  readonly is_share: boolean;
  readonly note: string;
}

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 600;
const HEIGHT = 240;
const LEFT = 64;
const TOP = 24;
const LETTER = 7;
/** So many bars have their figure above them, and so many numbers a mark each. */
const MOST_MARKS = 14;
const COLOURS = 6;
const CELL = 34;

/** A picture as an element, named `label` for readers of the screen. */
export function chart(picture: Curves | Heat, label: string): SVGSVGElement {
  const made = "cells" in picture ? heat(picture) : curves(picture);
  made.classList.add("odds-chart");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  return made;
}

function curves(picture: Curves): SVGSVGElement {
  const { lines, places } = picture;
  const steps = picture.layout === "at-least" || picture.layout === "at-most";
  const barred = lines.length === 1 && (picture.is_share || picture.is_apart) && !steps;
  const at = positions(places);
  const [least, most] = [min(at) ?? 0, max(at) ?? 0];
  const slot = (WIDTH - LEFT - 16) / (most - least + 1);
  const x = (place: number): number => LEFT + (place - least + 0.5) * slot;
  const known = lines.flatMap((each) => [...each.heights, ...each.low, ...each.high]).filter((each): each is number => each !== null);
  const marks = scale(picture.is_share || barred ? [0, ...known] : known);
  const [floor, roof] = [marks[0] ?? 0, marks[marks.length - 1] ?? 1];
  const y = (height: number): number => TOP + (HEIGHT * (roof - height)) / (roof - floor || 1);

  const crowded = places.length > MOST_MARKS && numeric(places);
  const named = crowded ? ticks(least, most, MOST_MARKS).filter(Number.isInteger).map((each) => [each, String(each)] as const) : places.map((each, place) => [at[place] ?? 0, each] as const);
  const longest = max(named, ([, says]) => says.length * LETTER) ?? 0;
  const leaning = longest > (WIDTH - LEFT) / named.length;
  const foot = TOP + HEIGHT + (leaning ? Math.min(longest, 200) * 0.7 + 20 : 24);
  const legend = lines.length > 1 ? lines.length : 0;
  const said = [picture.across, picture.note].filter(Boolean);
  const made = node("svg", { viewBox: `0 0 ${WIDTH} ${foot + 22 * (said.length + legend)}` });

  made.append(text(picture.up, { x: 0, y: 12, class: "odds-axis" }));
  for (const each of marks) {
    made.append(node("line", { class: "odds-grid", x1: LEFT, x2: WIDTH, y1: y(each), y2: y(each) }));
    made.append(text(figure(each, picture.is_share, roof), { x: LEFT - 8, y: y(each) + 4, "text-anchor": "end" }));
  }
  for (const [place, says] of named) {
    const turned: Readonly<Record<string, string>> = leaning ? { "text-anchor": "end", transform: `rotate(-40 ${x(place)} ${TOP + HEIGHT + 16})` } : { "text-anchor": "middle" };
    made.append(text(says, { x: x(place), y: TOP + HEIGHT + 18, ...turned }));
  }
  lines.forEach((line, number) => {
    const told = (place: number): string => [line.label, places[place], line.said[place] || figure(line.heights[place] ?? 0, picture.is_share, roof)].filter(Boolean).join(": ");
    const group = node("g", { class: `odds-line odds-colour-${number % COLOURS}` });
    if (!barred) group.append(node("path", { class: "odds-stroke", d: trail(line.heights, at, x, y, picture.layout) }));
    line.heights.forEach((height, place) => {
      if (height === null) return;
      const middle = x(at[place] ?? 0);
      const wide = Math.min(slot * 0.8, 120);
      const shape = barred
        ? node("rect", { x: middle - wide / 2, width: wide, y: Math.min(y(height), y(0)), height: Math.abs(y(0) - y(height)) })
        : node("circle", { cx: middle, cy: y(height), r: places.length > 4 * MOST_MARKS ? 2 : 4 });
      group.append(titled(shape, told(place)));
      const [low, high] = [line.low[place], line.high[place]];
      if (low !== undefined && high !== undefined) group.append(node("path", { class: "odds-between", d: `M${middle - 5} ${y(low)}h10M${middle} ${y(low)}V${y(high)}M${middle - 5} ${y(high)}h10` }));
      else if (barred && places.length <= MOST_MARKS) group.append(text(line.said[place] ?? "", { x: middle, y: y(Math.max(height, 0)) - 5, "text-anchor": "middle" }));
    });
    made.append(group);
    if (legend) {
      const below = foot + 22 * said.length + 22 * number;
      made.append(node("rect", { class: `odds-key odds-colour-${number % COLOURS}`, x: LEFT, y: below, width: 14, height: 14 }), text(line.label, { x: LEFT + 22, y: below + 12 }));
    }
  });
  said.forEach((each, number) => made.append(text(each, { x: LEFT, y: foot + 14 + 22 * number, class: "odds-axis" })));
  return made;
}

/** A line through the heights that are known; sums climb or fall at once. */
function trail(heights: readonly (number | null)[], at: readonly number[], x: (place: number) => number, y: (height: number) => number, layout: string): string {
  let drawn = "";
  let before: number | null = null;
  heights.forEach((height, place) => {
    if (height !== null) {
      const [right, up] = [x(at[place] ?? 0), y(height)];
      if (before === null) drawn += `M${right} ${up}`;
      else if (layout === "at-least") drawn += `V${up}H${right}`;
      else if (layout === "at-most") drawn += `H${right}V${up}`;
      else drawn += `L${right} ${up}`;
    }
    before = height;
  });
  return drawn;
}

function heat(picture: Heat): SVGSVGElement {
  const known = picture.cells.flat().filter((each): each is number => each !== null);
  const [low, high] = picture.is_share ? [0, 1] : [min(known) ?? 0, max(known) ?? 1];
  const left = Math.max(LEFT, 20 + LETTER * (max(picture.rows, (each) => each.length) ?? 0));
  const wide = Math.min(120, Math.max(56, (WIDTH - left) / picture.columns.length));
  const foot = TOP + 20 + CELL * picture.rows.length;
  const said = [picture.across, picture.note].filter(Boolean);
  const made = node("svg", { viewBox: `0 0 ${Math.max(WIDTH, left + wide * picture.columns.length)} ${foot + 22 * (said.length + 1)}` });
  made.append(text(`${picture.of}, by ${picture.down} (down) and ${picture.across} (across)`, { x: 0, y: 12, class: "odds-axis" }));
  picture.rows.forEach((row, down) => {
    const y = TOP + 8 + CELL * down;
    made.append(text(row, { x: left - 8, y: y + CELL / 2 + 4, "text-anchor": "end" }));
    picture.columns.forEach((column, along) => {
      const cell = picture.cells[down]?.[along] ?? null;
      const shade = cell === null ? 0 : (cell - low) / (high - low || 1);
      const x = left + wide * along;
      const shown = node("rect", { class: cell === null ? "odds-unknown" : "odds-cell", x, y, width: wide - 2, height: CELL - 2, "fill-opacity": (0.08 + 0.92 * shade).toFixed(3) });
      const words = picture.said[down]?.[along] ?? "";
      made.append(titled(shown, `${picture.down} ${row}, ${picture.across} ${column}: ${words || "unknown"}`));
      made.append(text(words, { x: x + wide / 2, y: y + CELL / 2 + 4, "text-anchor": "middle", class: shade > 0.5 ? "odds-on-dark" : "odds-on-light" }));
    });
  });
  picture.columns.forEach((column, along) => made.append(text(column, { x: left + wide * (along + 0.5), y: foot + 6, "text-anchor": "middle" })));
  said.forEach((each, number) => made.append(text(each, { x: left, y: foot + 28 + 22 * number, class: "odds-axis" })));
  return made;
}

const NUMBER = /^(-?\d{1,9})( or more| or less)?$/;

function numeric(places: readonly string[]): boolean {
  return places.every((each) => NUMBER.test(each));
}

/** Where places stand: numbers where they are, all else one after the other. */
function positions(places: readonly string[]): readonly number[] {
  return numeric(places) ? places.map((each) => Number.parseInt(each, 10)) : places.map((_, place) => place);
}

/** Round marks that reach from the least to the most. */
function scale(known: readonly number[]): readonly number[] {
  const [least, most] = [min(known) ?? 0, max(known) ?? 1];
  const wide = most > least ? most : least + 1;
  const found = ticks(least, wide, 6);
  const pace = (found[1] ?? 1) - (found[0] ?? 0);
  const [first, last] = [found[0] ?? least, found[found.length - 1] ?? wide];
  return [...(first > least ? [first - pace] : []), ...found, ...(last < wide ? [last + pace] : [])];
}

function figure(number: number, isShare: boolean, roof: number): string {
  if (!isShare) return String(Number(number.toPrecision(4)));
  return `${(number * 100).toFixed(roof > 0.05 ? 0 : 2)} %`;
}

function node(tag: string, attributes: Readonly<Record<string, string | number>>): SVGSVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made as SVGSVGElement;
}

function text(says: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = node("text", attributes);
  made.textContent = says;
  return made;
}

function titled(shape: SVGElement, says: string): SVGElement {
  const title = document.createElementNS(SVG, "title");
  title.textContent = says;
  shape.append(title);
  return shape;
}
