/** A base on the plane that is to be placed: it follows the pointer from one legal place to the next, and is turned by the wheel or two keys. */
import type { Drawing, Spot } from "../drawing";
import { button, el, svgElement } from "../elements";
import type { Plane } from "./play_line";

const TURN = 5;
const FINE_TURN = 1;
const FULL_TURN = 360;
const POSE = /^(-?[\d.]+) (-?[\d.]+) (-?[\d.]+)$/;
/** How far from the way that an arrow points a place may lie, as the tangent of the angle. */
const CONE = 1;

/** What the base would see from a pose, in the unit of the board, and how far it may go. */
export interface Sights {
  readonly reach: number | null;
  /** The widest arc that the rules ask about, in degrees. */
  readonly arc: number | null;
  readonly seen: readonly {
    readonly thing: string;
    readonly at: readonly [x: number, y: number];
    readonly gap: number;
    /** None where the rules never ask. */
    readonly sees: boolean | null;
    readonly ahead: boolean | null;
  }[];
}

/** After so long at one pose, what it sees is asked. */
const LOOK_MS = 120;

interface Place {
  readonly spot: Spot;
  readonly x: number;
  readonly y: number;
}

export class PlacedBase {
  /** The exact numbers, in fields, and the button that sets the base down. */
  readonly exact: HTMLElement;
  private readonly group = svgElement("g", { class: "ghost", role: "button", tabindex: 0 });
  private readonly way = svgElement("path", { class: "ghost-way", d: "" });
  private readonly tag = svgElement("rect", { class: "ghost-tag", rx: 11, height: 22, width: 92 });
  private readonly says = svgElement("text", { class: "ghost-says" });
  private readonly fields = ["across", "up", "turned"].map(() => el("input", { type: "text", inputmode: "decimal", autocomplete: "off" }));
  /** What is in sight from here, in words. */
  readonly seen = el("section", { class: "card tray", label: "From here", hidden: true });
  private readonly ring = svgElement("circle", { class: "ghost-reach", visibility: "hidden" });
  private readonly wedge = svgElement("path", { class: "ghost-arc", d: "" });
  private readonly lines = svgElement("g", { class: "ghost-lines" });
  private looks: ReturnType<typeof setTimeout> | undefined;
  private readonly places: readonly Place[];
  private readonly name: SVGElement;
  private readonly body: SVGElement;
  private at: Place;
  private facing: number;

  /** The places that are poses of a base; null where there are none. */
  static of(drawing: Drawing, spots: readonly Spot[], plane: Plane, answer: (typed: string) => void, look: ((typed: string) => Promise<Sights | null>) | null): PlacedBase | null {
    const places = spots.flatMap((spot) => {
      const [, x, y] = POSE.exec(spot.typed) ?? [];
      return x !== undefined && y !== undefined ? [{ spot, x: Number(x), y: Number(y) }] : [];
    });
    return plane.base && places.length && drawing.svg ? new PlacedBase(drawing, places, plane, plane.base, answer, look) : null;
  }

  private constructor(
    private readonly drawing: Drawing,
    places: readonly Place[],
    private readonly plane: Plane,
    private readonly base: NonNullable<Plane["base"]>,
    private readonly answer: (typed: string) => void,
    private readonly look: ((typed: string) => Promise<Sights | null>) | null,
  ) {
    this.places = places;
    this.facing = base.facing;
    const from = base.from;
    this.at = (from ? this.nearest(from[0], from[1]) : places[0]) as Place;
    this.body = base.radius ? svgElement("circle", { class: "shape", r: base.radius }) : svgElement("polygon", { class: "shape", points: base.outline });
    this.body.setAttribute("fill", `url(#${base.side})`);
    const reach = base.radius || 20;
    const name = svgElement("text", { class: "ghost-name", y: 4 });
    name.textContent = base.thing;
    drawing.svg?.classList.add("guided");
    this.name = name;
    this.group.append(this.body, svgElement("path", { class: "nose", d: `M0 ${-reach - 11}l8 10h-16z` }), name);
    const view = svgElement("g", {}, this.ring, this.wedge);
    const field = drawing.svg?.querySelector<SVGRectElement>("rect.field");
    if (field) {
      const edge = svgElement("rect", Object.fromEntries(["x", "y", "width", "height"].map((each) => [each, field.getAttribute(each) ?? "0"])));
      drawing.add(svgElement("clipPath", { id: "ghost-field" }, edge));
      view.setAttribute("clip-path", "url(#ghost-field)");
    }
    for (const each of [view, this.lines, this.way, this.group, this.tag, this.says]) drawing.add(each);
    const unit = plane.unit === "inches" ? "in" : plane.unit;
    const labels = [`across, ${unit}`, `up, ${unit}`, "turned, °"];
    this.exact = el("form", { class: "exact", on: { submit: (event) => { event.preventDefault(); this.answer(this.fields.map((each) => each.value.trim()).join(" ")); } } },
      ...this.fields.map((each, at) => el("label", {}, labels[at] ?? "", each)),
      el("button", { type: "submit", class: "primary big" }, "Set it down here ", el("kbd", { class: "key" }, "Enter")),
      button("Turn left", () => this.turn(-TURN), { class: "turn" }), button("Turn right", () => this.turn(TURN), { class: "turn" }));
    this.hear();
    this.show();
  }

  focus(): void {
    this.group.focus();
  }

  turn(degrees: number): void {
    this.facing = (((this.facing + degrees) % 360) + 360) % 360;
    this.show();
  }

  private hear(): void {
    const svg = this.drawing.svg;
    if (!svg) return;
    svg.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch" || event.buttons) this.follow(event); });
    svg.addEventListener("click", (event) => {
      const wasTouched = (event as PointerEvent).pointerType === "touch";
      this.follow(event);
      if (!wasTouched) this.answer(this.typed());
    });
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.turn(Math.sign(event.deltaY || event.deltaX) * (event.shiftKey ? FINE_TURN : TURN));
    }, { passive: false });
    this.group.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const ways: Record<string, readonly [number, number]> = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const way = ways[event.key];
    if (event.key === "Enter" || event.key === " ") this.answer(this.typed());
    else if (event.key === "[" || event.key === "{") this.turn(event.shiftKey ? -FINE_TURN : -TURN);
    else if (event.key === "]" || event.key === "}") this.turn(event.shiftKey ? FINE_TURN : TURN);
    else if (way) this.step(way);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The next legal place the way that an arrow points. */
  private step([right, up]: readonly [number, number]): void {
    const far = (each: Place): number => {
      const [x, y] = [each.x - this.at.x, each.y - this.at.y];
      const [ahead, aside] = [x * right + y * up, Math.abs(x * up - y * right)];
      return ahead > 0 && aside <= ahead * CONE ? ahead + 2 * aside : Infinity;
    };
    const found = this.places.reduce((best, each) => (far(each) < far(best) ? each : best), this.at);
    if (far(found) < Infinity) {
      this.at = found;
      this.show();
    }
  }

  private follow(event: MouseEvent): void {
    const [x, y] = this.drawing.at(event);
    const found = this.nearest(x, y);
    if (found === this.at) return;
    this.at = found;
    this.show();
  }

  private nearest(x: number, y: number): Place {
    const far = ({ spot }: Place): number => Math.hypot(spot.x - x, spot.y - y);
    return this.places.reduce((best, each) => (far(each) < far(best) ? each : best));
  }

  private typed(): string {
    return `${this.at.x} ${this.at.y} ${this.facing}`;
  }

  /** Asks what is in sight from here, once the base stands still. */
  private lookAround(): void {
    clearTimeout(this.looks);
    if (!this.look) return;
    const typed = this.typed();
    this.looks = setTimeout(() => void this.look?.(typed).then((sights) => { if (sights && typed === this.typed()) this.sighted(sights); }), LOOK_MS);
  }

  private sighted({ reach, arc, seen }: Sights): void {
    const { plane, base, at } = this;
    const unit = plane.unit === "inches" ? "in" : plane.unit;
    if (reach !== null && base.from) {
      for (const [name, value] of [["cx", base.from[0]], ["cy", base.from[1]], ["r", reach * plane.scale]] as const) this.ring.setAttribute(name, String(value));
      this.ring.setAttribute("visibility", "visible");
      this.clip();
    }
    if (arc !== null && arc < FULL_TURN) {
      const far = Math.hypot(this.drawing.svg?.viewBox.baseVal.width ?? 0, this.drawing.svg?.viewBox.baseVal.height ?? 0);
      const half = ((arc / 2) * Math.PI) / (FULL_TURN / 2);
      const [side, ahead] = [Math.sin(half) * far, -Math.cos(half) * far];
      this.wedge.setAttribute("d", `M0 0L${-side} ${ahead}A${far} ${far} 0 ${arc > FULL_TURN / 2 ? 1 : 0} 1 ${side} ${ahead}Z`);
    }
    const isClear = (each: Sights["seen"][number]): boolean => each.sees !== false && each.ahead !== false;
    const why = (each: Sights["seen"][number]): string => [each.ahead === false ? "not ahead" : "", each.sees === false ? "out of sight" : ""].filter(Boolean).join(", ") || [each.sees ? "in sight" : "", each.ahead ? "ahead" : ""].filter(Boolean).join(", ");
    this.lines.replaceChildren(...seen.map((each) => svgElement("line", {
      class: isClear(each) ? "clear" : "blocked", x1: at.spot.x, y1: at.spot.y, x2: plane.x + each.at[0] * plane.scale, y2: plane.y - each.at[1] * plane.scale,
    })));
    this.seen.hidden = !seen.length;
    const near = [...seen].sort((one, other) => Number(isClear(other)) - Number(isClear(one)) || one.gap - other.gap);
    this.seen.replaceChildren(el("h3", {}, `From here, turned to ${this.facing}°`), el("ul", { class: "list sights" }, ...near.map((each) =>
      el("li", { class: isClear(each) ? "" : "faint" }, el("b", { class: "game" }, each.thing), ` ${each.gap.toFixed(1)} ${unit} away, ${why(each)}`))));
  }

  /** Cuts what may be chosen at the reach, beyond which its dots stand out by half their width. */
  private clip(): void {
    const { svg } = this.drawing;
    const legal = svg?.querySelector(".legal");
    if (!legal || svg?.querySelector("#ghost-within")) return;
    const within = svgElement("circle", Object.fromEntries(["cx", "cy", "r"].map((each) => [each, this.ring.getAttribute(each) ?? "0"])));
    this.drawing.add(svgElement("clipPath", { id: "ghost-within" }, within));
    legal.setAttribute("clip-path", "url(#ghost-within)");
  }

  private show(): void {
    this.lines.replaceChildren();
    this.lookAround();
    const { x, y } = this.at.spot;
    this.wedge.setAttribute("transform", `translate(${x} ${y}) rotate(${this.facing})`);
    const unit = this.plane.unit === "inches" ? "in" : this.plane.unit;
    this.group.setAttribute("transform", `translate(${x} ${y}) rotate(${this.base.radius ? this.facing : this.facing - this.base.facing})`);
    if (this.base.radius) this.body.setAttribute("transform", `rotate(${-this.facing})`); // its hatching stands as that of its side
    this.name.setAttribute("transform", `rotate(${-(this.base.radius ? this.facing : this.facing - this.base.facing)})`);
    const from = this.base.from;
    if (from) {
      const far = Math.hypot(x - from[0], y - from[1]) / this.plane.scale;
      this.way.setAttribute("d", `M${from[0]} ${from[1]}L${x} ${y}`);
      this.says.textContent = `${far.toFixed(1)} ${unit}`;
      const below = y - (this.base.radius || 20) - 44 < 20;
      const tag = below ? y + (this.base.radius || 20) + 26 : y - (this.base.radius || 20) - 32;
      for (const [name, value] of [["x", x - 46], ["y", tag - 15]] as const) this.tag.setAttribute(name, String(value));
      for (const [name, value] of [["x", x], ["y", tag]] as const) this.says.setAttribute(name, String(value));
    } else this.tag.setAttribute("visibility", "hidden");
    this.group.setAttribute("aria-label", `${this.base.thing} at ${this.at.x}, ${this.at.y}, turned to ${this.facing} degrees: Enter sets it down, arrows move it, [ and ] turn it`);
    const [across, up, turned] = this.fields;
    if (across && up && turned) [across.value, up.value, turned.value] = [String(this.at.x), String(this.at.y), String(this.facing)];
  }
}
