/** A position that is put up by clicking: things from a palette, their attributes in a form with bounds, places on the board; kept as a scenario or as a state. */
import { type Desk, isGivenUp, Problem } from "../desk";
import { type Drawing, drawing, type Spot } from "../drawing";
import { button, type Child, coded, el, fill } from "../elements";
import { filed } from "../names";
import type { Begins } from "./play_start";

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type Values = Record<string, Json>;

interface Field {
  readonly name: string;
  readonly title: string;
  readonly type: string;
  readonly optional: boolean;
  readonly sort: "number" | "flag" | "one" | "thing" | "cell" | "point" | "decimal" | "text" | "other";
  readonly low?: number | null;
  readonly high?: number | null;
  readonly values?: readonly string[];
  readonly says?: readonly string[];
  readonly section?: string;
  readonly board?: string | null;
  /** What it is unless it is said. */
  readonly start?: Json;
}

interface Kind {
  readonly kind: string;
  readonly section: string;
  readonly title: string;
  readonly fields: readonly Field[];
}

interface Board {
  readonly board: string;
  readonly svg: string;
  readonly outline: string;
  readonly fields: readonly Field[];
  readonly cells: readonly { readonly place: string; readonly x: number; readonly y: number }[];
  readonly plane: { readonly x: number; readonly y: number; readonly scale: number; readonly unit: string } | null;
}

interface Position {
  readonly state: Values;
  /** The state as a scenario has it, in YAML. */
  readonly text: string;
  readonly boards: readonly Board[];
  readonly kinds: readonly Kind[];
  readonly game: readonly Field[];
}

interface Choices {
  readonly procedures: readonly { readonly name: string; readonly title: string; readonly roles: readonly { readonly name: string; readonly type: string; readonly optional: boolean }[] }[];
  readonly scenarios: readonly { readonly file: string; readonly cases: readonly string[]; readonly refused: readonly string[]; readonly procedures: Readonly<Record<string, string>> }[];
}

type Brush = { readonly sort: "thing"; readonly kind: Kind } | { readonly sort: "ground"; readonly board: string; readonly field: Field; readonly value: Json };

const EMPTY_COLUMNS = 8;
const EMPTY_ROWS = 6;
const MOST_KEPT = 100;
/** How near to a thing of the plane it is pressed, in lengths of the drawing. */
const REACH = 26;
/** What a story says of a play that cannot begin. */
const REFUSED = /^ {2}may start: no, (.*)$/;

export class PositionEditor {
  readonly host = el("section", { class: "position", label: "A position, put up by clicking" });
  private choices: Choices = { procedures: [], scenarios: [] };
  private position: Position | null = null;
  private state: Values = {};
  private readonly before: Values[] = [];
  private chosen: { readonly section: string; readonly id: string } | null = null;
  private brush: Brush | null = null;
  private wrong = "";
  private drawings: Drawing[] = [];
  private asked = new AbortController();
  private readonly base = el("select", { id: "position-base" });
  private readonly boards = el("div", { class: "boards" });
  private readonly side = el("div", { class: "play-side" });
  private readonly told = el("div", { role: "status", "aria-live": "polite" });
  private readonly hint = el("p", { class: "faint" });
  private readonly back = button("Take back", () => this.takeBack());
  private readonly name = el("input", { type: "text", size: 24, autocomplete: "off", spellcheck: "false" });
  private readonly procedure = el("select", {});
  private readonly roles = el("div", { class: "row" });
  private readonly keepsWrong = el("p", { class: "bad", role: "alert" });

  constructor(
    private readonly desk: Desk,
    private readonly begin: (begins: Begins) => Promise<void>,
    close: () => void,
  ) {
    this.base.addEventListener("change", () => void this.from());
    this.procedure.addEventListener("change", () => this.asks());
    fill(this.host, el("div", { class: "play-parts" },
      el("div", { class: "play-main" },
        el("div", { class: "asking nobody", role: "group", label: "Put up a position" },
          el("div", { class: "asking-head" },
            el("div", { class: "asking-words" }, el("h2", { class: "asked" }, "Put up a position"), this.hint),
            el("div", { class: "row deeds" }, el("label", { class: "field" }, el("span", {}, "Begin with"), this.base), this.back, button("Leave", close))),
          this.told),
        this.boards),
      this.side));
    void this.open();
  }

  private get path(): string {
    return this.desk.ruleset ?? "";
  }

  private async open(): Promise<void> {
    try {
      this.choices = await this.desk.ask<Choices>("play/choices", { path: this.path });
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      fill(this.told, el("p", { class: "bad", role: "alert" }, ...coded(fault.message)));
      return;
    }
    const cases = this.choices.scenarios.flatMap((file) => file.cases.filter((each) => !file.refused.includes(each)).map((name) => ({ file: file.file, name })));
    fill(this.base, ...cases.map(({ file, name }) => el("option", { value: `${file}\n${name}` }, name)), el("option", { value: "" }, "an empty map"));
    fill(this.procedure, ...this.choices.procedures.map((each) => el("option", { value: each.name }, each.title || each.name)));
    const begins = this.choices.scenarios.find((each) => each.cases.length)?.procedures;
    const first = begins && Object.values(begins)[0];
    if (first !== undefined && this.choices.procedures.some((each) => each.name === first)) this.procedure.value = first;
    this.name.value = this.free();
    await this.from();
  }

  /** `position 1`, or the next number whose file is not there. */
  private free(): string {
    for (let number = 1; ; number += 1) {
      if (!this.desk.files.some((each) => [".scenario.yaml", ".state.yaml"].some((ending) => each.path === `${this.folder}position-${number}${ending}`))) return `position ${number}`;
    }
  }

  private get folder(): string {
    return this.path.slice(0, this.path.lastIndexOf("/") + 1);
  }

  /** Begins anew: from the position of a scenario, or with an empty map. */
  private async from(): Promise<void> {
    const [scenario, name] = this.base.value.split("\n");
    this.chosen = null;
    if (scenario && name) await this.see({ scenario, name });
    else await this.see({ state: await this.emptied() });
  }

  /** Nothing but players and maps: those of the position before, else as the text of the rules names them. */
  private async emptied(): Promise<Values> {
    if (this.position) {
      const { kinds } = this.position;
      return { ...this.state, ...Object.fromEntries(kinds.filter((each) => each.kind !== "player").map((each) => [each.section, {}])) };
    }
    const state: Values = { players: { red: {}, blue: {} } };
    const texts = this.desk.files.filter((each) => each.sort === "rules" && (each.ruleset ?? each.path) === this.path);
    for (const each of texts) {
      const { text } = await this.desk.read(each.path);
      for (const [, board = "", space] of text.matchAll(/^board (\w+) of (hex|square8?|plane)\b/gm)) {
        if (space === "plane") continue;
        state[board] = { ...(space === "hex" ? { coordinates: "odd rows" } : {}), shape: { columns: EMPTY_COLUMNS, rows: EMPTY_ROWS } };
      }
    }
    return state;
  }

  /** Shows a state; where it cannot stand, what was shown before stays, with why. */
  private async see(given: { readonly scenario?: string; readonly name?: string; readonly state?: Values }, keeps = true): Promise<void> {
    this.asked.abort();
    const own = (this.asked = new AbortController());
    const last = this.state;
    if (given.state) this.state = given.state;
    try {
      const found = await this.desk.ask<Position>("play/position", { path: this.path, ...given }, own.signal);
      if (keeps && this.position) this.remember(last);
      this.position = found;
      this.state = found.state;
      this.wrong = "";
    } catch (fault) {
      if (isGivenUp(fault)) return;
      if (!(fault instanceof Problem)) throw fault;
      if (keeps && this.position && given.state) this.remember(last);
      this.wrong = fault.message;
    }
    this.show();
  }

  private remember(state: Values): void {
    this.before.push(state);
    if (this.before.length > MOST_KEPT) this.before.shift();
  }

  private takeBack(): void {
    const last = this.before.pop();
    if (last) void this.see({ state: last }, false);
  }

  // What stands where.

  private things(section: string): Readonly<Record<string, Values>> {
    const found = this.state[section];
    return found !== null && typeof found === "object" && !Array.isArray(found) ? (found as Record<string, Values>) : {};
  }

  private kind(section: string): Kind | undefined {
    return this.position?.kinds.find((each) => each.section === section);
  }

  private placed(kind: Kind | undefined, board: Board): Field | undefined {
    return kind?.fields.find((each) => (each.sort === "cell" || each.sort === "point") && each.board === board.board);
  }

  private standing(board: Board, place: string): { readonly section: string; readonly id: string }[] {
    return (this.position?.kinds ?? []).flatMap((kind) => {
      const field = this.placed(kind, board);
      return field ? Object.entries(this.things(kind.section)).filter(([, each]) => String(each[field.name]) === place).map(([id]) => ({ section: kind.section, id })) : [];
    });
  }

  private sectionOf(id: string): string | undefined {
    return this.position?.kinds.find((each) => id in this.things(each.section))?.section;
  }

  private change(section: string, id: string, values: Values): void {
    void this.see({ state: { ...this.state, [section]: { ...this.things(section), [id]: { ...this.things(section)[id], ...values } } } });
  }

  /** A new thing like the one that is chosen, or like the last of its kind; else with the least that it may have. */
  private add(kind: Kind, place: Values = {}): void {
    const things = this.things(kind.section);
    const like = this.chosen?.section === kind.section ? things[this.chosen.id] : Object.values(things).at(-1);
    const values: Values = {};
    for (const field of kind.fields) {
      const known = like?.[field.name];
      values[field.name] = known !== undefined && field.sort !== "cell" && field.sort !== "point" ? known : this.least(field);
    }
    const stem = kind.kind.toLowerCase();
    let number = 1;
    while (`${stem}_${number}` in things || this.sectionOf(`${stem}_${number}`)) number += 1;
    const id = `${stem}_${number}`;
    this.chosen = { section: kind.section, id };
    void this.see({ state: { ...this.state, [kind.section]: { ...things, [id]: { ...values, ...place } } } });
  }

  private least(field: Field): Json {
    if (field.start !== undefined) return field.start;
    if (field.optional) return null;
    switch (field.sort) {
      case "number": case "decimal": return field.low ?? 0;
      case "flag": return false;
      case "one": return field.values?.[0] ?? null;
      case "thing": return Object.keys(this.things(field.section ?? ""))[0] ?? null;
      case "text": return "";
      default: return null;
    }
  }

  private remove(section: string, id: string): void {
    const { [id]: _, ...others } = this.things(section);
    this.chosen = null;
    void this.see({ state: { ...this.state, [section]: others } });
  }

  /** Calls a thing otherwise, also where others name it. */
  private rename(section: string, id: string, name: string): void {
    if (name === id || !/^[A-Za-z0-9_][\w.-]*$/.test(name) || this.sectionOf(name)) return this.show();
    const state: Values = { ...this.state };
    for (const kind of this.position?.kinds ?? []) {
      const named = kind.fields.filter((each) => each.sort === "thing" && each.section === section).map((each) => each.name);
      const entries = Object.entries(this.things(kind.section)).map(([key, each]) => [
        kind.section === section && key === id ? name : key,
        Object.fromEntries(Object.entries(each).map(([field, value]) => [field, named.includes(field) && value === id ? name : value])),
      ]);
      state[kind.section] = Object.fromEntries(entries) as Values;
    }
    this.chosen = { section, id: name };
    void this.see({ state });
  }

  private pick(board: Board, place: string): void {
    const { brush, chosen } = this;
    const at: Json = place.split(",").map(Number);
    if (brush?.sort === "ground") return this.paint(board, place, brush);
    if (brush?.sort === "thing") {
      const field = this.placed(brush.kind, board);
      if (field) return this.add(brush.kind, { [field.name]: at });
    }
    const here = this.standing(board, place);
    const current = here.findIndex((each) => each.section === chosen?.section && each.id === chosen.id);
    if (here.length && (current < 0 || here.length > 1)) {
      this.chosen = here[(current + 1) % here.length] ?? null;
      return this.show();
    }
    const field = chosen && !here.length ? this.placed(this.kind(chosen.section), board) : undefined;
    if (chosen && field) this.change(chosen.section, chosen.id, { [field.name]: at });
  }

  /** Lays a ground on a place, or takes it away where it lies there already. */
  private paint(board: Board, place: string, { field, value }: Extract<Brush, { sort: "ground" }>): void {
    const own = (this.state[board.board] ?? {}) as Values;
    const cells = (own["cells"] ?? {}) as Record<string, Values>;
    const { [field.name]: now, ...others } = cells[place] ?? {};
    const next = now === value ? others : { ...others, [field.name]: value };
    const { [place]: _, ...rest } = cells;
    void this.see({ state: { ...this.state, [board.board]: { ...own, cells: Object.keys(next).length ? { ...rest, [place]: next } : rest } } });
  }

  // What is shown.

  private show(): void {
    const { position } = this;
    this.back.disabled = !this.before.length;
    fill(this.told, this.wrong ? el("div", { class: "warn", role: "alert" }, el("p", {}, "This position cannot be played yet:"), ...this.wrong.split("\n").map((each) => el("p", {}, ...coded(each)))) : null);
    if (!position) return;
    fill(this.hint, this.brush?.sort === "ground" ? "Press places to lay the ground, and again to take it away." : this.brush ? `Press a place for a new ${this.brush.kind.kind}.` : this.chosen ? `${this.chosen.id} is chosen: press a place to put it there.` : "Press a counter to change or to move it, or take something new beside the board.");
    const focused = this.drawings.map((each) => each.focused);
    this.drawings = [];
    fill(this.boards, ...position.boards.map((each) => this.board(each)));
    focused.forEach((each, at) => { if (each !== null) this.drawings[at]?.focus(each); });
    this.boards.hidden = !position.boards.length;
    const inside = this.side.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset["at"] : undefined;
    fill(this.side, this.palette(position), this.form(), this.grounds(position), this.game(position), this.keeping());
    if (inside !== undefined) [...this.side.querySelectorAll<HTMLElement>("[data-at]")].find((each) => each.dataset["at"] === inside)?.focus();
  }

  private board(board: Board): HTMLElement {
    const spots = board.cells.map((each): Spot => ({ x: each.x, y: each.y, radius: 0, outline: board.outline, typed: each.place, shown: this.called(board, each.place), refused: null }));
    const movable = (this.position?.kinds ?? []).filter((kind) => this.placed(kind, board)).flatMap((kind) => Object.keys(this.things(kind.section)));
    const made = drawing(board.svg, `The board ${board.board}`, {
      spots, quiet: true, moves: board.plane || this.brush ? [] : movable,
      pick: (spot) => this.pick(board, spot.typed),
      press: (id) => { const section = this.sectionOf(id); if (section) { this.chosen = { section, id }; this.show(); } },
      move: (id, spot) => {
        const section = this.sectionOf(id);
        const field = this.placed(this.kind(section ?? ""), board);
        if (!section || !field) return;
        this.chosen = { section, id };
        this.change(section, id, { [field.name]: spot.typed.split(",").map(Number) });
      },
    });
    this.drawings.push(made);
    const { chosen } = this;
    const at = chosen ? this.placed(this.kind(chosen.section), board) : undefined;
    if (chosen && at) made.light(new Set([String(this.things(chosen.section)[chosen.id]?.[at.name])]));
    if (board.plane) made.svg?.addEventListener("click", (event) => this.onPlane(board, made.at(event)));
    return el("div", { class: "board", tabindex: "0", role: "group", label: `The map ${board.board}; scroll to see all of it` }, made.host);
  }

  private called(board: Board, place: string): string {
    const here = this.standing(board, place).map((each) => each.id);
    const cells = ((this.state[board.board] ?? {}) as Values)["cells"] as Record<string, Values> | undefined;
    const ground = Object.entries(cells?.[place] ?? {}).filter(([, value]) => value !== false && value !== null).map(([name, value]) => (value === true ? name : `${name} ${String(value)}`));
    return [place, ...here, ...ground].join(", ");
  }

  /** A point of the plane, to a tenth: for a new thing, for the chosen one, or the nearest thing is chosen. */
  private onPlane(board: Board, [x, y]: readonly [number, number]): void {
    const { plane } = board;
    if (!plane) return;
    const at: Json = [(x - plane.x) / plane.scale, (plane.y - y) / plane.scale].map((each) => Math.round(each * 10) / 10);
    const { brush, chosen } = this;
    const field = brush?.sort === "thing" ? this.placed(brush.kind, board) : undefined;
    if (brush?.sort === "thing" && field) return this.add(brush.kind, { [field.name]: at });
    const near = this.nearest(board, x, y);
    if (near && (near.section !== chosen?.section || near.id !== chosen.id)) {
      this.chosen = near;
      return this.show();
    }
    const own = chosen ? this.placed(this.kind(chosen.section), board) : undefined;
    if (chosen && own) this.change(chosen.section, chosen.id, { [own.name]: at });
  }

  /** The thing that stands there on the plane. */
  private nearest({ plane, ...board }: Board, x: number, y: number): { readonly section: string; readonly id: string } | undefined {
    if (!plane) return undefined;
    return (this.position?.kinds ?? []).flatMap((kind) => {
      const field = this.placed(kind, { plane, ...board });
      return field ? Object.entries(this.things(kind.section)).filter(([, each]) => {
        const at = each[field.name];
        return Array.isArray(at) && Math.hypot(plane.x + Number(at[0]) * plane.scale - x, plane.y - Number(at[1]) * plane.scale - y) < REACH;
      }).map(([id]) => ({ section: kind.section, id })) : [];
    })[0];
  }

  private palette({ kinds }: Position): HTMLElement {
    const own = kinds.filter((each) => each.kind !== "player" || each.fields.length);
    return el("section", { class: "card", label: "Things" }, el("h3", {}, "Things"), ...own.map((kind) => {
      const isOn = this.brush?.sort === "thing" && this.brush.kind.section === kind.section;
      const hasPlace = kind.fields.some((each) => each.sort === "cell" || each.sort === "point");
      const press = (): void => {
        if (!hasPlace) return this.add(kind);
        this.brush = isOn ? null : { sort: "thing", kind };
        this.show();
      };
      return el("div", { class: "palette" },
        button(`New ${kind.kind}`, press, { "data-at": `new ${kind.section}`, "aria-pressed": hasPlace ? String(isOn) : undefined, title: kind.title }),
        ...Object.keys(this.things(kind.section)).map((id) => button(id, () => {
          this.brush = null;
          this.chosen = this.chosen?.id === id ? null : { section: kind.section, id };
          this.show();
        }, { class: "more", "data-at": `thing ${id}`, "aria-pressed": String(this.chosen?.section === kind.section && this.chosen.id === id) })));
    }), this.players());
  }

  private players(): HTMLElement {
    const now = this.things("players");
    const field = el("input", { type: "text", value: Object.keys(now).join(", "), size: 20, autocomplete: "off", spellcheck: "false", "data-at": "players" });
    field.addEventListener("change", () => {
      const names = field.value.split(/[\s,]+/).filter(Boolean);
      void this.see({ state: { ...this.state, players: Object.fromEntries(names.map((each) => [each, now[each] ?? {}])) } });
    });
    return el("label", { class: "field" }, el("span", {}, "Players"), field);
  }

  /** The attributes of what is chosen. */
  private form(): HTMLElement | null {
    const { chosen } = this;
    const kind = chosen ? this.kind(chosen.section) : undefined;
    const values = chosen ? this.things(chosen.section)[chosen.id] : undefined;
    if (!chosen || !kind || !values) return null;
    const name = el("input", { type: "text", value: chosen.id, autocomplete: "off", spellcheck: "false", "data-at": "name" });
    name.addEventListener("change", () => this.rename(chosen.section, chosen.id, name.value.trim()));
    return el("section", { class: "card", label: `What ${chosen.id} is` }, el("h3", {}, `${kind.title || kind.kind}: ${chosen.id}`),
      el("div", { class: "position-form" },
        el("label", {}, el("span", {}, "name"), name, el("small", {})),
        ...kind.fields.map((field) => this.input(field, values[field.name] ?? null, (value) => this.change(chosen.section, chosen.id, { [field.name]: value })))),
      button(kind.fields.some((each) => each.sort === "cell" || each.sort === "point") ? "Take it off the board" : "Take it away", () => this.remove(chosen.section, chosen.id), { "data-at": "remove" }));
  }

  private input(field: Field, value: Json, changed: (value: Json) => void): HTMLElement {
    const at = { "data-at": `field ${field.name}` };
    const says = field.title || field.name.replaceAll("_", " ");
    const bounds = field.sort === "number" && typeof field.low === "number" && typeof field.high === "number" ? `${field.low} to ${field.high}` : field.optional ? "may be none" : "";
    let made: HTMLInputElement | HTMLSelectElement;
    if (field.sort === "flag") {
      made = el("input", { type: "checkbox", checked: value === true, ...at });
      made.addEventListener("change", () => changed((made as HTMLInputElement).checked));
    } else if (field.sort === "one" || field.sort === "thing") {
      const values = field.sort === "one" ? field.values ?? [] : Object.keys(this.things(field.section ?? ""));
      const list = el("select", at, field.optional || value === null ? el("option", { value: "" }, "none") : null, ...values.map((each, index) => el("option", { value: each }, (field.sort === "one" && field.says?.[index]) || each)));
      list.value = value === null ? "" : String(value);
      list.addEventListener("change", () => changed(list.value === "" ? null : list.value));
      made = list;
    } else {
      const isNumber = field.sort === "number" || field.sort === "decimal";
      const written = value === null ? "" : typeof value === "object" ? (field.sort === "cell" || field.sort === "point" ? String(value) : JSON.stringify(value)) : String(value);
      made = el("input", { type: isNumber ? "number" : "text", value: written, min: field.low ?? undefined, max: field.high ?? undefined, step: field.sort === "decimal" ? "any" : isNumber ? 1 : undefined, autocomplete: "off", spellcheck: "false", ...at });
      made.addEventListener("change", () => changed(read(field, made.value.trim())));
    }
    return el("label", {}, el("span", {}, says), made, el("small", {}, bounds || (field.sort === "other" ? field.type : "")));
  }

  private grounds({ boards }: Position): HTMLElement | null {
    const rows = boards.filter((each) => each.cells.length).flatMap((board) => board.fields.flatMap((field): Child[] => {
      const values: readonly (readonly [Json, string])[] = field.sort === "flag" ? [[true, field.title || field.name]] : field.sort === "one" ? (field.values ?? []).map((each, at) => [each, field.says?.[at] ?? each]) : field.sort === "number" ? Array.from({ length: Math.min(10, (field.high ?? 0) - (field.low ?? 0) + 1) }, (_, at) => [(field.low ?? 0) + at, `${field.name} ${(field.low ?? 0) + at}`] as const) : [];
      return values.map(([value, says]) => {
        const isOn = this.brush?.sort === "ground" && this.brush.board === board.board && this.brush.field.name === field.name && this.brush.value === value;
        return button(says, () => { this.brush = isOn ? null : { sort: "ground", board: board.board, field, value }; this.show(); }, { "aria-pressed": String(isOn), "data-at": `ground ${field.name} ${String(value)}` });
      });
    }));
    return rows.length ? el("section", { class: "card", label: "The ground" }, el("h3", {}, "The ground"), el("div", { class: "palette" }, ...rows)) : null;
  }

  private game({ game }: Position): HTMLElement | null {
    const now = (this.state["game"] ?? {}) as Values;
    return game.length ? el("section", { class: "card", label: "The game" }, el("h3", {}, "The game"), el("div", { class: "position-form" },
      ...game.map((field) => this.input(field, now[field.name] ?? null, (value) => void this.see({ state: { ...this.state, game: { ...now, [field.name]: value } } }))))) : null;
  }

  // What becomes of it.

  private keeping(): HTMLElement {
    const cannot = this.wrong !== "";
    this.asks();
    const play = button("Keep and play", () => void this.keep(true), { primary: true });
    const scenario = button("Keep as a scenario", () => void this.keep(false));
    const state = button("Keep as a state", () => void this.keepState());
    for (const each of [play, scenario, state]) each.disabled = cannot;
    return el("section", { class: "card", label: "Keep it" }, el("h3", {}, "Keep it"),
      el("label", { class: "field" }, el("span", {}, "Name"), this.name),
      el("label", { class: "field" }, el("span", {}, "Played is"), this.procedure), this.roles, this.keepsWrong,
      el("div", { class: "row" }, play, scenario, state),
      el("p", { class: "faint" }, "A scenario is a start to play from, also in a page that you share. A state is the position alone."));
  }

  /** The roles of the procedure, from what stands in the position. */
  private asks(): void {
    const found = this.choices.procedures.find((each) => each.name === this.procedure.value);
    const before = new Map([...this.roles.querySelectorAll<HTMLSelectElement | HTMLInputElement>("[name]")].map((each) => [each.name, each.value]));
    const taken: { readonly kind: Kind; readonly id: string }[] = [];
    fill(this.keepsWrong);
    fill(this.roles, ...(found?.roles ?? []).map((role) => {
      const kind = this.position?.kinds.find((each) => each.kind === role.type.replace(/\?$/, ""));
      const section = kind?.section;
      const made = section
        ? el("select", { name: role.name }, role.optional ? el("option", { value: "" }, "left out") : null, ...Object.keys(this.things(section)).map((each) => el("option", { value: each }, each)))
        : el("input", { name: role.name, type: "text", placeholder: role.optional ? `${role.type}, or left out` : role.type, size: 12 });
      const known = before.get(role.name);
      if (known !== undefined && (made instanceof HTMLInputElement || [...made.options].some((each) => each.value === known))) made.value = known;
      else if (kind && !role.optional) made.value = this.another(kind, taken.filter((each) => each.kind === kind).map((each) => each.id));
      made.addEventListener("change", () => fill(this.keepsWrong));
      if (kind && made.value) taken.push({ kind, id: made.value });
      return el("label", { class: "field" }, el("span", {}, role.name.replaceAll("_", " ")), made);
    }));
  }

  /** A thing that is not taken: rather one that belongs to somebody else than those that are. */
  private another(kind: Kind, taken: readonly string[]): string {
    const things = this.things(kind.section);
    const owners = kind.fields.filter((each) => each.sort === "thing").map((each) => each.name);
    const free = Object.keys(things).filter((each) => !taken.includes(each));
    const others = free.filter((each) => taken.every((one) => owners.some((name) => things[one]?.[name] !== things[each]?.[name])));
    return others[0] ?? free[0] ?? taken[0] ?? "";
  }

  private async keep(plays: boolean, isTried = false): Promise<void> {
    const given = [...this.roles.querySelectorAll<HTMLSelectElement | HTMLInputElement>("[name]")].filter((each) => each.value.trim()).map((each) => `${JSON.stringify(each.name)}: ${/^-?\d+$/.test(each.value.trim()) ? each.value.trim() : JSON.stringify(each.value.trim())}`);
    const name = this.name.value.trim() || this.free();
    const file = filed(name.split("/").at(-1) ?? name, ".scenario.yaml", this.folder);
    const text = [
      `ruleset: ${JSON.stringify(this.path.slice(this.folder.length))}`, `procedure: ${this.procedure.value}`,
      ...(given.length ? [`with: {${given.join(", ")}}`] : []), (this.position?.text ?? "").trimEnd(), "scenarios:", `  ${JSON.stringify(name)}: {}`, "",
    ].join("\n");
    const refused = isTried || this.isThere(file) ? [] : await this.refusals(name, text);
    if (refused.length) {
      fill(this.keepsWrong, `${this.procedure.selectedOptions[0]?.textContent ?? "It"} cannot begin like this: `, ...coded(refused.join("; ")), ". ", button("Keep it all the same", () => void this.keep(plays, true), { class: "more" }));
      return;
    }
    if (!(await this.write(file, text))) return;
    this.desk.say(`The position is a scenario in ${file}.`);
    if (!plays) return;
    try {
      await this.begin({ path: file, name, scripted: false, dice: "ask" });
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      fill(this.keepsWrong, ...coded(fault.message));
    }
  }

  /** Why a scenario that is not written yet cannot begin, tried in place of a file that is there; none where it can, or there is no such file. */
  private async refusals(name: string, text: string): Promise<string[]> {
    const file = this.desk.files.find((each) => each.sort === "scenario" && each.path.slice(0, each.path.lastIndexOf("/") + 1) === this.folder)?.path;
    if (file === undefined) return [];
    try {
      const { scenes } = await this.desk.ask<{ scenes: readonly { readonly told: readonly string[] }[] }>("scenarios/scenes", { file, name, texts: { [file]: text } });
      return (scenes[0]?.told ?? []).flatMap((each) => REFUSED.exec(each)?.[1] ?? []);
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      return [fault.message];
    }
  }

  private async keepState(): Promise<void> {
    const name = this.name.value.trim() || this.free();
    const file = filed(name.split("/").at(-1) ?? name, ".state.yaml", this.folder);
    const lines = (this.position?.text ?? "").split("\n").slice(1).map((each) => each.replace(/^ {2}/, ""));
    if (await this.write(file, lines.join("\n"))) this.desk.say(`The state is kept in ${file}.`);
  }

  private isThere(file: string): boolean {
    return this.desk.files.some((each) => each.path === file);
  }

  /** Writes a new file; one that is there already is left alone. */
  private async write(file: string, text: string): Promise<boolean> {
    fill(this.keepsWrong);
    if (this.isThere(file)) {
      fill(this.keepsWrong, ...coded(`\`${file}\` is there already. Choose another name.`));
      return false;
    }
    try {
      await this.desk.write(file, text, null);
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      fill(this.keepsWrong, ...coded(fault.message));
      return false;
    }
    this.name.value = this.free();
    return true;
  }
}

/** What was typed, as a state has it. */
function read(field: Field, typed: string): Json {
  if (typed === "" && field.sort !== "text") return null;
  switch (field.sort) {
    case "number": case "decimal": return Number(typed);
    case "cell": case "point": return typed.split(/[\s,]+/).map(Number);
    case "text": return typed;
    default:
      try {
        return JSON.parse(typed) as Json;
      } catch {
        return typed;
      }
  }
}
