/** Boards in the look of all pages: counters in the colours and hatching of their sides, ground by what its legend says. */
import { sides, type Side } from "./sides";

const SVG = "http://www.w3.org/2000/svg";

/** Ground that is known by words of its legend: its colours, by their names in `tokens.css`. */
const GROUNDS: readonly (readonly [ground: string, known: RegExp])[] = [
  ["woods", /\b(wood|forest|tree|jungle|orchard)/i],
  ["water", /\b(water|river|sea|lake|marsh|swamp|ford|stream|coast)/i],
  ["hills", /\b(hill|height|high|mountain|slope|ridge|rough|crater)/i],
  ["town", /\b(town|village|city|building|house|castle|fort|camp|road)/i],
  ["wall", /\b(wall|block|impass|rock|hedge|closed)/i],
];

/** Strokes of the hatching of each side in a tile of 4 by 4, as heralds have it: red stands, blue lies, green leans, yellow is dotted. */
const HATCHING: Readonly<Record<Exclude<Side, "nobody">, string>> = {
  red: "M.5 0V4",
  blue: "M0 .5H4",
  green: "M-1 1L1 -1M0 4L4 0M3 5L5 3",
  yellow: "M2 2h.01",
};

const LOOKS = new CSSStyleSheet();
LOOKS.replaceSync(`
svg.dressed { background: none; color: var(--board-text); font-family: var(--sans); }
svg.dressed .paper { fill: none; }
svg.dressed .cells { fill: var(--t-clear); stroke: var(--t-clear-edge); stroke-width: 1.5; }
svg.dressed pattern .paper { fill: var(--t-clear); }
svg.dressed .over text { fill: var(--board-text); stroke: var(--t-clear); }
svg.dressed circle.counter { stroke: var(--ct-edge); stroke-width: 1.5; stroke-dasharray: none; }
svg.dressed text.letters { paint-order: stroke; stroke-width: 3px; stroke-linejoin: round; font-weight: 700; }
svg.dressed .mark { fill: var(--surface); stroke: var(--accent); }
svg.dressed .mark + text { fill: var(--accent); }
svg.dressed .frame { stroke: var(--t-clear-edge); }
.spot { fill: var(--accent); fill-opacity: 0.22; stroke: var(--accent); stroke-width: 2.5; }
.spot:hover, .spot.lit { fill-opacity: 0.45; stroke-width: 4.5; }
`);

function made(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [each, value] of Object.entries(attributes)) element.setAttribute(each, String(value));
  return element;
}

/** Colours of a side inside of a drawing. */
function hatched(side: Exclude<Side, "nobody">): SVGElement {
  const pattern = made("pattern", { id: `hatched-${side}`, width: 4, height: 4, patternUnits: "userSpaceOnUse" });
  const ground = made("rect", { width: 4, height: 4 });
  ground.style.fill = `var(--${side})`;
  const strokes = made("path", { d: HATCHING[side], fill: "none", "stroke-linecap": side === "yellow" ? "round" : "butt", "stroke-width": side === "yellow" ? 1.6 : 1 });
  strokes.style.stroke = side === "red" || side === "blue" ? "rgb(255 255 255 / 45%)" : "rgb(0 0 0 / 45%)";
  pattern.append(ground, strokes);
  return pattern;
}

/** Gives a drawn board (in the root of `drawing`) its colours; `players` are in the order of the ruleset. */
export function dressBoard(host: HTMLElement, players: readonly string[]): void {
  const root = host.shadowRoot;
  const drawn = root?.querySelector("svg");
  if (!root || !drawn) return;
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, LOOKS];
  drawn.classList.add("dressed");
  const used = [...sides(players).values()];
  const patterns = made("defs", {});
  for (const side of new Set(used)) if (side !== "nobody") patterns.append(hatched(side));
  drawn.prepend(patterns);
  used.forEach((side, at) => {
    if (side === "nobody") return;
    for (const shape of drawn.querySelectorAll<SVGElement>(`circle.p${at}, polygon.p${at}`)) {
      shape.classList.add("counter");
      shape.style.fill = `url(#hatched-${side})`;
    }
    for (const text of drawn.querySelectorAll<SVGElement>(`text.p${at}`)) {
      text.style.fill = `var(--on-${side})`;
      text.style.stroke = `var(--${side})`;
    }
  });
  dressGround(drawn);
}

/** Ground whose legend names it gets its colours; any other keeps its pattern on clear ground. */
function dressGround(drawn: SVGSVGElement): void {
  for (const sample of drawn.querySelectorAll("rect.frame")) {
    const number = /^url\(#(g\d+)\)$/.exec(sample.getAttribute("fill") ?? "")?.[1];
    const said = sample.nextElementSibling?.textContent ?? "";
    const ground = GROUNDS.find(([, known]) => known.test(said))?.[0];
    const pattern = number ? drawn.querySelector(`pattern#${number}`) : null;
    if (!ground || !pattern) continue;
    const paper = pattern.querySelector<SVGElement>("rect");
    const strokes = pattern.querySelector<SVGElement>("path");
    if (paper) paper.style.fill = `var(--t-${ground})`;
    if (strokes) strokes.style.stroke = `var(--t-${ground}-ink)`;
  }
}
