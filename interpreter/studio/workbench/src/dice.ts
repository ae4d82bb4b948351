/** Dice: a face as SVG with pips or a numeral, a row of faces to press, and a roll whose end is known before. */
import { el, fill, svgElement, type Child } from "./elements";
import type { Side } from "./sides";

const PIPS: Readonly<Record<string, readonly (readonly [x: number, y: number])[]>> = {
  0: [],
  1: [[30, 28]],
  2: [[17, 15], [43, 41]],
  3: [[17, 15], [30, 28], [43, 41]],
  4: [[17, 15], [43, 15], [17, 41], [43, 41]],
  5: [[17, 15], [43, 15], [30, 28], [17, 41], [43, 41]],
  6: [[17, 15], [17, 28], [17, 41], [43, 15], [43, 28], [43, 41]],
};
/** Outlines of dice that are no cubes, by how many faces they have; their numeral stands at 30, 30. */
const OUTLINES: Readonly<Record<number, readonly (readonly [x: number, y: number])[]>> = {
  4: [[30, 3], [58, 53], [2, 53]],
  8: [[30, 1], [58, 29], [30, 57], [2, 29]],
  10: [[30, 1], [58, 25], [50, 38], [30, 57], [10, 38], [2, 25]],
  12: [[30, 1], [46, 5], [57, 17], [57, 37], [46, 51], [30, 56], [14, 51], [3, 37], [3, 17], [14, 5]],
  20: [[30, 1], [57, 15], [57, 43], [30, 57], [3, 43], [3, 15]],
};
const RIDGES: Readonly<Record<number, string>> = {
  10: "M2 25L30 38L58 25M30 38V57",
  20: "M30 1L13 39H47zM3 43L13 39M57 43L47 39M3 15L13 39M57 15L47 39M30 57L13 39M30 57L47 39",
};
const ROLL_MS = 400;
const SHOWN_WHILE_ROLLING = 5;

export interface Die {
  /** All faces, in order; of a die of six where nothing is said. */
  readonly faces?: readonly string[];
  readonly side?: Side | undefined;
}

/** Whether the faces are the numbers from 1 on. */
function isNumbered(faces: readonly string[]): boolean {
  return faces.every((each, at) => each === String(at + 1));
}

function written(face: string, y: number): SVGElement {
  const size = face.length < 3 ? 24 : Math.max(8, Math.min(18, 90 / face.length));
  const text = svgElement("text", { x: 30, y: y + size * 0.35, "font-size": size });
  text.textContent = face.length > 10 ? `${face.slice(0, 9)}…` : face;
  return text;
}

/** A face as it lies, for the eye alone. */
export function face(shown: string, { faces = ["1", "2", "3", "4", "5", "6"] }: Die = {}): SVGElement {
  const numbered = isNumbered(faces);
  const outline = numbered ? OUTLINES[faces.length] : undefined;
  const parts: Element[] = [];
  if (outline) {
    const points = outline.map((each) => each.join(",")).join(" ");
    parts.push(
      svgElement("polygon", { class: "edge", points, transform: "translate(0 5)" }),
      svgElement("g", { class: "up" }, svgElement("polygon", { class: "face", points, "stroke-linejoin": "round" }),
        ...(RIDGES[faces.length] ? [svgElement("path", { class: "ridge", d: RIDGES[faces.length] ?? "" })] : []), written(shown, faces.length === 4 ? 38 : 29)),
    );
  } else {
    const pips = numbered && faces.length <= 6 ? PIPS[shown] : undefined;
    const on = pips ? pips.map(([x, y]) => svgElement("circle", { class: "pip", cx: x, cy: y, r: 4.6 })) : [written(shown, 28)];
    parts.push(
      svgElement("rect", { class: "edge", x: 3, y: 8, width: 54, height: 52, rx: 12 }),
      svgElement("g", { class: "up" }, svgElement("rect", { class: "face", x: 3, y: 2, width: 54, height: 52, rx: 12 }), ...on),
    );
  }
  return svgElement("svg", { viewBox: "0 0 60 62", "aria-hidden": "true", focusable: "false" }, ...parts);
}

/** A die that lies there, with what it shows as its name; `small` stands in a line of text. */
export function die(shown: string, kind: Die = {}, small = false): HTMLElement {
  return el("span", { class: `die ${kind.side ?? ""} ${small ? "in" : ""}`.trim(), role: "img", label: shown }, face(shown, kind));
}

export interface Faces extends Die {
  readonly label: string;
  /** What is done when a face is pressed. */
  press(face: string): void;
  /** What stands below a face, and its colour among the outcomes: a class such as `o-4`. */
  below?(face: string): { readonly says: Child; readonly sort?: string; readonly name?: string } | null;
  readonly chosen?: string | undefined;
}

/** A row of the faces of a die, each of them a button. */
export function faceRow(row: Faces): HTMLOListElement {
  const faces = row.faces ?? ["1", "2", "3", "4", "5", "6"];
  const below = faces.map((each) => row.below?.(each) ?? null);
  return el("ol", { class: below.some(Boolean) ? "faces" : "faces bare", label: row.label }, ...faces.map((each, at) => {
    const told = below[at];
    const isChosen = row.chosen === each;
    const pressed = el("button", {
      type: "button", class: `die ${row.side ?? ""} ${isChosen ? "down" : ""}`.trim(), label: told?.name ? `${each}: ${told.name}` : each,
      "aria-pressed": row.chosen === undefined ? undefined : String(isChosen), on: { click: () => row.press(each) },
    }, face(each, { ...row, faces }));
    return el("li", { class: [told?.sort ?? "", isChosen ? "chosen" : ""].join(" ").trim() || undefined }, pressed, told ? el("span", {}, told.says) : null);
  }));
}

const isCalm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

function anyFace(kind: Die): SVGElement {
  const faces = kind.faces ?? ["1", "2", "3", "4", "5", "6"];
  return face(faces[Math.floor(Math.random() * faces.length)] ?? "", kind);
}

/** Lets a die tumble in its place while nobody knows yet what it shows; the result is to be called to end that. */
export function tumble(place: HTMLElement, kind: Die = {}): () => void {
  if (isCalm()) return () => undefined;
  const before = [...place.childNodes];
  place.classList.add("rolling");
  const timer = setInterval(() => fill(place, anyFace(kind)), ROLL_MS / SHOWN_WHILE_ROLLING);
  return () => {
    clearInterval(timer);
    place.classList.remove("rolling");
    place.replaceChildren(...before);
  };
}

/** Lets a die tumble in its place until it shows a face; at once where less motion is wanted. */
export async function roll(place: HTMLElement, shown: string, kind: Die = {}): Promise<void> {
  if (!isCalm()) {
    place.classList.add("rolling");
    for (let at = 0; at < SHOWN_WHILE_ROLLING; at += 1) {
      fill(place, anyFace(kind));
      await new Promise((done) => setTimeout(done, ROLL_MS / SHOWN_WHILE_ROLLING));
    }
    place.classList.remove("rolling");
  }
  fill(place, face(shown, kind));
  place.setAttribute("aria-label", shown);
}
