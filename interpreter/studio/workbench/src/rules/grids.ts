/** Tables of a text as grids in the place of their lines. The text stays what is saved: each edit of a cell is one change of it. */
import { redo, undo } from "@codemirror/commands";
import { type EditorState, type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { coded, el, fill, type Child } from "../elements";
import { type Tone, tones } from "../outcomes";
import { type CellProblem, type Problem, type Row, type Table, type TableWords, next, spoken, tablesOf, wrongCells, written } from "./tables";

type Words = readonly (readonly [name: string, title: string])[];

/** What is known of the tables of a text. */
export const setTableWords = StateEffect.define<readonly TableWords[]>();
/** What is wrong in a text, to be marked in the cells of its grids. */
export const setProblems = StateEffect.define<readonly Problem[]>();
/** Shows a table as text or as a grid; all of them where no name is given. */
const setAsText = StateEffect.define<{ readonly name: string | null; readonly is: boolean }>();

interface Grids {
  readonly words: readonly TableWords[];
  readonly problems: readonly Problem[];
  /** The tables that are shown as text. */
  readonly asText: ReadonlySet<string>;
  readonly tables: readonly Table[];
  readonly shown: DecorationSet;
}

const NO_WORDS: TableWords = { name: "", title: "", parameters: [], result: [] };
const NO_ROW: Row = { from: 0, to: 0, begins: "", cells: [], bounds: [], ends: "", isPadded: false };
const BY_GRID = "input.grid";
/** What changes a text without a cursor in it. */
const UNTYPED = [BY_GRID, "input.complete", "disk", "undo", "redo"];

class Grid extends WidgetType {
  readonly key: string;

  constructor(
    readonly table: Table,
    readonly words: TableWords,
    readonly first: number,
    readonly last: number,
    readonly isLocked: boolean,
    readonly wrong: readonly CellProblem[],
  ) {
    super();
    this.key = JSON.stringify([table.name, table.across?.cells, table.rows.map((each) => each.cells), words, first, last, isLocked, wrong]);
  }

  override eq(other: Grid): boolean {
    return other.key === this.key;
  }

  override get estimatedHeight(): number {
    return 60 + 36 * this.table.rows.length;
  }

  override ignoreEvent(): boolean {
    return true;
  }

  override toDOM(view: EditorView): HTMLElement {
    const made = el("section", { class: "cm-grid", label: this.title });
    made.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || !/^[zy]$/i.test(event.key)) return;
      event.preventDefault();
      (event.shiftKey || event.key.toLowerCase() === "y" ? redo : undo)(view);
    });
    this.drawn(made, view);
    return el("div", { class: "cm-grid-place" }, made); // no margins: the editor does not count them
  }

  /** Draws it anew in the place of another state of it; the focus stays in its cell. */
  override updateDOM(place: HTMLElement, view: EditorView): boolean {
    const made = place.querySelector<HTMLElement>(".cm-grid");
    if (!made) return false;
    const root = made.getRootNode() as ShadowRoot | Document;
    const held = root.activeElement instanceof HTMLElement && made.contains(root.activeElement) ? root.activeElement.dataset["cell"] : undefined;
    made.setAttribute("aria-label", this.title);
    this.drawn(made, view);
    if (held !== undefined) [...made.querySelectorAll<HTMLElement>("[data-cell]")].find((each) => each.dataset["cell"] === held)?.focus();
    return true;
  }

  private get title(): string {
    return this.words.title || this.table.name;
  }

  private drawn(made: HTMLElement, view: EditorView): void {
    const { table, words } = this;
    const across = words.parameters.find((each) => each.name === table.across?.parameter);
    const leading = words.parameters.filter((each) => each !== across).slice(0, table.leading);
    const colours = toned(words.result);
    const heads = table.across?.cells ?? [];
    const label = (row: Row): string => row.cells.slice(0, table.leading).map((each, at) => spoken(each, leading[at]?.words ?? [])).join(", ");
    const note = el("p", { class: "cell-problem", "aria-live": "polite", hidden: true });
    const told = (found: CellProblem | undefined): void => {
      note.hidden = !found;
      if (found) note.className = `cell-problem ${found.severity}`;
      fill(note, ...(found ? [el("b", {}, `${label(table.rows[found.row] ?? NO_ROW) || "The columns"}${found.row >= 0 && found.column >= table.leading && table.across ? `, ${spoken(heads[found.column - table.leading] ?? "", across?.words ?? [])}` : ""}: `), ...coded(found.message)] : []));
    };
    /** Marks a cell in which something is wrong; its message stands below the grid, first while it is pointed at or has the keyboard. */
    const marked = (cell: HTMLElement, row: number, column: number): HTMLElement => {
      const found = this.wrong.find((each) => each.row === row && each.column === column);
      if (!found) return cell;
      cell.classList.add("wrong", found.severity);
      cell.title = found.message.replaceAll("`", "");
      const inside = cell.querySelector("select, input");
      inside?.setAttribute("aria-invalid", "true");
      inside?.setAttribute("aria-description", found.message.replaceAll("`", ""));
      for (const each of ["pointerenter", "focusin"]) cell.addEventListener(each, () => told(found));
      for (const each of ["pointerleave", "focusout"]) cell.addEventListener(each, () => told(this.wrong[0]));
      return cell;
    };
    const field = (value: string, choices: Words, says: string, where: string, put: (value: string) => void, tone?: Tone): HTMLElement => {
      const isWord = choices.some(([name]) => name === value);
      const field = isWord
        ? el("select", { label: says, title: spoken(value, choices), "data-cell": where, disabled: this.isLocked }, ...choices.map(([name, title]) => el("option", { value: name, selected: name === value }, title)))
        : el("input", { label: says, "data-cell": where, value: spoken(value, choices), size: "4", spellcheck: "false", autocomplete: "off", disabled: this.isLocked });
      const typed = (): string => (field.value.trim() === spoken(value, choices) ? value : field.value.trim());
      if (!isWord) {
        field.addEventListener("focus", () => { field.value = value; });
        field.addEventListener("blur", () => { if (typed() === value) field.value = spoken(value, choices); });
        field.addEventListener("keydown", (event) => { if (event instanceof KeyboardEvent && event.key === "Escape") { field.value = value; } });
      }
      field.addEventListener("change", () => {
        if (typed() && typed() !== value) put(typed());
      });
      if (!isWord) return field;
      const shown = el("span", { class: "word" }, el("span", { "aria-hidden": "true" }, spoken(value, choices)), field);
      if (tone) Object.assign(shown.style, { background: tone.fill, color: tone.ink });
      return shown;
    };
    const cellsOf = (): string[][] => table.rows.map((each) => [...each.cells]);
    const put = (rows: string[][], columns: readonly string[] | null = table.across?.cells ?? null, of = (at: number): Row | null => table.rows[at] ?? null): void => {
      const now = view.state.field(grids).tables.find((each) => each.name === table.name);
      if (now) view.dispatch({ changes: written(now, columns, rows, of), userEvent: BY_GRID });
    };
    const cell = (row: number, column: number, value: string): void => {
      const rows = cellsOf();
      const line = rows[row];
      if (line) line[column] = value;
      put(rows);
    };
    const head = (column: number, value: string): void => put(cellsOf(), heads.map((each, at) => (at === column ? value : each)));
    const small = (says: string, sign: string, press: () => void, where: string): HTMLElement =>
      el("button", { type: "button", class: "more", label: says, title: says, "data-cell": where, disabled: this.isLocked, on: { click: press } }, sign);
    const addRow = (): void => {
      const last = cellsOf().at(-1) ?? [];
      const taken = table.rows.map((each) => each.cells[0] ?? "");
      put([...cellsOf(), [next(last[0] ?? "", taken, leading[0]?.words ?? []), ...last.slice(1)]]);
    };
    const addColumn = (): void => put(cellsOf().map((each) => [...each, each.at(-1) ?? ""]), [...heads, next(heads.at(-1) ?? "", heads, across?.words ?? [])]);
    const dropRow = (row: number): void => put(cellsOf().filter((_, at) => at !== row), undefined, (at) => table.rows[at < row ? at : at + 1] ?? null);
    const dropColumn = (column: number): void => put(cellsOf().map((each) => each.filter((_, at) => at !== table.leading + column)), heads.filter((_, at) => at !== column));
    const canAddColumn = table.across !== null && (!across?.words.length || across.words.some(([name]) => !heads.includes(name)));
    const columns: Child[] = table.across
      ? heads.map((each, at) => marked(el("th", { scope: "col" }, field(each, across?.words ?? [], `Column ${at + 1}`, `h${at}`, (value) => head(at, value)),
          heads.length > 1 ? small(`Take out the column ${spoken(each, across?.words ?? [])}`, "×", () => dropColumn(at), `x${at}`) : null), -1, at))
      : [el("th", { scope: "col" }, "Result")];
    fill(made,
      el("header", {}, el("strong", {}, this.title), el("span", {}, this.first === this.last ? `line ${this.first}` : `lines ${this.first} to ${this.last}`),
        el("span", { class: "seg" }, el("button", { type: "button", "aria-pressed": "true" }, "Grid"),
          el("button", { type: "button", "aria-pressed": "false", label: `${this.title} as text`, on: { click: () => asText(view, table, true) } }, "Text"))),
      el("div", { class: "wide" }, el("table", { class: heads.length > 6 ? "many" : undefined },
        el("colgroup", {}, ...Array.from({ length: table.leading }, () => el("col", { class: "head" })), ...(table.across ? heads : [""]).map(() => el("col", {})), el("col", { class: "add" })),
        el("thead", {}, el("tr", {},
          ...Array.from({ length: table.leading }, (_, at) => el("th", { scope: "col" }, capital(leading[at]?.name ?? ""))),
          ...columns,
          el("th", { class: "add" }, canAddColumn ? small("Add a column", "+", addColumn, "+c") : null))),
        el("tbody", {}, ...table.rows.map((row, at) => el("tr", {},
          ...row.cells.map((each, column) => {
            if (column < table.leading) return marked(el("th", { scope: "row" }, field(each, leading[column]?.words ?? [], `${capital(leading[column]?.name ?? "")}, row ${at + 1}`, `${at}.${column}`, (value) => cell(at, column, value))), at, column);
            const says = [label(row), table.across ? spoken(heads[column - table.leading] ?? "", across?.words ?? []) : "result"].join(", ");
            return marked(el("td", {}, field(each, words.result, says, `${at}.${column}`, (value) => cell(at, column, value), colours.get(each))), at, column);
          }),
          el("td", { class: "add" }, table.rows.length > 1 ? small(`Take out the row ${label(row)}`, "×", () => dropRow(at), `y${at}`) : null))),
          el("tr", {}, el("td", { class: "add", colspan: String(table.leading) }, small("Add a row", "+ row", addRow, "+r")))))), note);
    told(this.wrong[0]);
  }
}

/** The line above a table that is shown as text. */
class AsGrid extends WidgetType {
  constructor(
    readonly name: string,
    readonly title: string,
  ) {
    super();
  }

  override eq(other: AsGrid): boolean {
    return other.name === this.name && other.title === this.title;
  }

  override ignoreEvent(): boolean {
    return true;
  }

  override toDOM(view: EditorView): HTMLElement {
    const press = (): void => {
      const table = view.state.field(grids).tables.find((each) => each.name === this.name);
      if (table) asText(view, table, false);
    };
    return el("div", { class: "cm-lenses cm-as-grid" }, el("button", { type: "button", label: `${this.title} as a grid`, on: { click: press } }, "Show as a grid"));
  }
}

function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replaceAll("_", " ");
}

/** Of each word its colour, where a table gives words. */
function toned(words: Words): ReadonlyMap<string, Tone> {
  return words.length > 2 ? tones(words.map(([key, says]) => ({ key, says })), "words", null) : new Map<string, Tone>();
}

/** Shows a table as text, with the cursor in it, or as a grid, with the cursor out of it. */
function asText(view: EditorView, table: Table, is: boolean): void {
  const { from } = table;
  const isInside = view.state.selection.ranges.some((each) => each.to >= from && each.from <= table.to);
  view.dispatch({ effects: setAsText.of({ name: table.name, is }), ...(is ? { selection: { anchor: from } } : isInside ? { selection: { anchor: Math.max(0, from - 1) } } : {}) });
  view.focus();
}

/** Shows all tables as text. */
export function showTexts(view: EditorView): void {
  view.dispatch({ effects: setAsText.of({ name: null, is: true }) });
}

const grids: StateField<Grids> = StateField.define<Grids>({
  create: (state) => made(state, [], new Set(), []),
  update(value, transaction) {
    let { words, problems } = value;
    if (transaction.docChanged) problems = problems.map((each) => ({ ...each, from: transaction.changes.mapPos(each.from, 1), to: transaction.changes.mapPos(each.to, -1) }));
    const texts = new Set(value.asText);
    for (const each of transaction.effects) {
      if (each.is(setTableWords)) words = each.value;
      if (each.is(setProblems)) problems = each.value;
      if (!each.is(setAsText)) continue;
      for (const { name } of each.value.name === null ? value.tables : [{ name: each.value.name }]) {
        if (each.value.is) texts.add(name);
        else texts.delete(name);
      }
    }
    const isOwn = UNTYPED.some((each) => transaction.isUserEvent(each));
    if (transaction.docChanged && !isOwn) {
      transaction.changes.iterChangedRanges((from, to) => {
        for (const each of value.tables) if (to >= each.from && from <= each.to) texts.add(each.name);
      });
    }
    const isMoved = transaction.selection !== undefined && !isOwn;
    const isSame = !transaction.docChanged && words === value.words && problems === value.problems && texts.size === value.asText.size && [...texts].every((each) => value.asText.has(each));
    const before = isSame && transaction.state.readOnly === transaction.startState.readOnly ? value : made(transaction.state, words, texts, problems);
    if (!isMoved) return before;
    const entered = before.tables.filter((each) => !texts.has(each.name) && transaction.newSelection.ranges.some(({ head, anchor }) => Math.max(head, anchor) > each.from && Math.min(head, anchor) < each.to && !(Math.min(head, anchor) <= each.from && Math.max(head, anchor) >= each.to)));
    return entered.length ? made(transaction.state, words, new Set([...texts, ...entered.map((each) => each.name)]), problems) : before;
  },
  provide: (field) => [
    EditorView.decorations.from(field, (each) => each.shown),
    EditorView.atomicRanges.of((view) => view.state.field(field).shown.update({ filter: (from, to) => to > from })),
  ],
});

function made(state: EditorState, words: readonly TableWords[], texts: ReadonlySet<string>, problems: readonly Problem[]): Grids {
  const tables = tablesOf(state.doc);
  const ranges: Range<Decoration>[] = tables.map((table) => {
    const about = words.find((each) => each.name === table.name) ?? NO_WORDS;
    if (texts.has(table.name)) return Decoration.widget({ widget: new AsGrid(table.name, about.title || table.name), block: true, side: -1 }).range(table.from);
    const lines = [state.doc.lineAt(table.from).number, state.doc.lineAt(table.to).number] as const;
    return Decoration.replace({ widget: new Grid(table, about, ...lines, state.readOnly, wrongCells(table, problems)), block: true }).range(table.from, table.to);
  });
  return { words, problems, asText: texts, tables, shown: Decoration.set(ranges, true) };
}

export const gridded: Extension = grids;
