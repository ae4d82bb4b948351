/** Drawings of the server in a root of their own, with the looks that they bring, and places in them to point at. */
import { el, svg } from "./elements";

const SVG = "http://www.w3.org/2000/svg";

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
}

export interface Drawing {
  readonly host: HTMLElement;
  /** Lights the places of some answers. */
  light(typed: ReadonlySet<string>): void;
}

export interface Pointing {
  readonly spots: readonly Spot[];
  /** What is done when somebody points at a place, or at any point of the drawing, in its coordinates. */
  pick(spot: Spot): void;
  point?(x: number, y: number): void;
  /** The pointer is over a place, or over none. */
  over?(spot: Spot | null): void;
}

const LOOKS = /<style>([^<]*)<\/style>/g;

const SPOTS = new CSSStyleSheet();
SPOTS.replaceSync(`
:host { display: block; border-radius: 0.3rem; overflow: auto; max-height: 75vh; }
svg { display: block; max-width: 100%; max-height: 100%; height: auto; margin: 0 auto; }
.spot { fill: #ffd54a; fill-opacity: 0.3; stroke: var(--accent); stroke-width: 2.5; cursor: pointer; }
.spot:hover, .spot.lit { fill-opacity: 0.5; stroke-width: 4; }
.spot.small { stroke-width: 1; }
.spot.small:hover { stroke-width: 3; }
.spot.refused { fill: none; stroke: none; pointer-events: all; cursor: help; }
svg.open { cursor: crosshair; }
`);

/** A drawing, named for readers of the screen; its places are for the pointer, the answers are told beside it, too. */
export function drawing(text: string, label: string, pointing?: Pointing): Drawing {
  const host = el("div", { class: "drawing" });
  const made = svg(text.replaceAll(LOOKS, ""));
  const spots = new Map<string, Element[]>();
  if (!made) return { host, light: () => undefined };
  made.setAttribute("aria-label", label);
  const root = host.attachShadow({ mode: "open" });
  const looks = new CSSStyleSheet();
  looks.replaceSync([...text.matchAll(LOOKS)].map((each) => each[1]).join("\n"));
  root.adoptedStyleSheets = [looks, SPOTS];
  if (pointing) made.append(places(pointing, spots));
  if (pointing?.point) {
    made.classList.add("open");
    made.addEventListener("click", (event) => {
      const to = made.getScreenCTM()?.inverse();
      const at = new DOMPoint(event.clientX, event.clientY);
      if (to) pointing.point?.(at.matrixTransform(to).x, at.matrixTransform(to).y);
    });
  }
  root.append(made);
  return {
    host,
    light(typed) {
      for (const [each, drawn] of spots) for (const one of drawn) one.classList.toggle("lit", typed.has(each));
    },
  };
}

function places(pointing: Pointing, spots: Map<string, Element[]>): SVGGElement {
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("aria-hidden", "true");
  for (const spot of pointing.spots) {
    const shape = document.createElementNS(SVG, spot.outline ? "polygon" : "circle");
    if (spot.outline) {
      shape.setAttribute("points", spot.outline);
      shape.setAttribute("transform", `translate(${spot.x} ${spot.y})`);
    } else {
      shape.setAttribute("cx", String(spot.x));
      shape.setAttribute("cy", String(spot.y));
      shape.setAttribute("r", String(spot.radius));
    }
    shape.classList.add("spot", ...(spot.refused !== null ? ["refused"] : []), ...(spot.radius > 0 && spot.radius < 8 ? ["small"] : []));
    const title = document.createElementNS(SVG, "title");
    title.textContent = spot.refused === null ? spot.shown : `${spot.shown}: ${spot.refused}`;
    shape.append(title);
    shape.addEventListener("click", (event) => {
      event.stopPropagation();
      if (spot.refused === null) pointing.pick(spot);
    });
    shape.addEventListener("pointerenter", () => pointing.over?.(spot));
    shape.addEventListener("pointerleave", () => pointing.over?.(null));
    spots.set(spot.typed, [...(spots.get(spot.typed) ?? []), shape]);
    group.append(shape);
  }
  return group;
}
