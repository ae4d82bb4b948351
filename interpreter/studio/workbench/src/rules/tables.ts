/** The rows of a table, read from a text line by line, and the edits that a grid makes in them. */
import { type ChangeSpec, Text } from "@codemirror/state";

/** What may stand in the cells of a table, as the last check without errors has it. */
export interface TableWords {
  readonly name: string;
  readonly title: string;
  readonly parameters: readonly { readonly name: string; readonly words: readonly (readonly [name: string, title: string])[] }[];
  readonly result: readonly (readonly [name: string, title: string])[];
}

export interface Row {
  readonly from: number;
  readonly to: number;
  /** What stands before the first cell: the indentation, the name of the row, `across …:`. */
  readonly begins: string;
  readonly cells: readonly string[];
  /** Where each cell ends, with the space behind it. */
  readonly bounds: readonly number[];
  /** What stands behind the last cell: citations, a remark. */
  readonly ends: string;
  /** Whether a bar stands further away than the formatter puts it, so that it keeps all of them in columns. */
  readonly isPadded: boolean;
}

export interface Table {
  readonly name: string;
  /** The lines of its rows. */
  readonly from: number;
  readonly to: number;
  readonly across: (Row & { readonly parameter: string }) | null;
  readonly rows: readonly Row[];
  /** How many cells of a row stand before its results. */
  readonly leading: number;
}

const HEAD = /^table\s+(\w+)\s*\(/;
const MOST_HEAD_LINES = 6;
const LINE_COLUMNS = 120;
const BAR = " | ";

/** The tables of a text that have the form of a grid. */
export function tablesOf(doc: Text): Table[] {
  const found: Table[] = [];
  for (let number = 1; number <= doc.lines; number++) {
    const name = HEAD.exec(doc.line(number).text)?.[1];
    if (name === undefined) continue;
    const last = headEnd(doc, number);
    const table = last === null ? null : tableBelow(doc, last, name);
    if (table) found.push(table);
  }
  return found;
}

/** What is wrong in a text. */
export interface Problem {
  readonly from: number;
  readonly to: number;
  readonly severity: "error" | "warning" | "hint";
  readonly message: string;
}

/** What is wrong in one cell; row -1 is the line of the columns. */
export interface CellProblem {
  readonly row: number;
  readonly column: number;
  readonly severity: Problem["severity"];
  readonly message: string;
}

/** The cells of a table in which something is wrong: of a problem that spans several the first one. */
export function wrongCells(table: Table, problems: readonly Problem[]): CellProblem[] {
  const rows = [...(table.across ? [table.across] : []), ...table.rows];
  const first = table.across ? -1 : 0;
  return problems.flatMap(({ from, to, severity, message }) => {
    const at = rows.findIndex((each) => from <= each.to && Math.max(from, to - 1) >= each.from);
    const row = rows[at];
    if (!row || from < row.from) return [];
    const column = row.bounds.findIndex((bound) => from < bound);
    return [{ row: at + first, column: column < 0 ? row.bounds.length - 1 : column, severity, message }];
  });
}

/** The line with which the head of a declaration ends. */
function headEnd(doc: Text, first: number): number | null {
  for (let number = first; number <= Math.min(doc.lines, first + MOST_HEAD_LINES); number++) {
    const { text } = doc.line(number);
    if (/:\s*(@[\w.:-]+\s*)*(#[^"]*)?$/.test(text)) return number;
    if (number > first && /^\S/.test(text)) return null;
  }
  return null;
}

function tableBelow(doc: Text, head: number, name: string): Table | null {
  const rows: Row[] = [];
  let across: Table["across"] = null;
  for (let number = head + 1; number <= doc.lines; number++) {
    const line = doc.line(number);
    if (!/^\s+\S/.test(line.text)) break;
    const row = rowOf(line.text, line.from);
    if (!row) return null;
    const parameter = /^\s*across\s+(\w+)/.exec(row.begins)?.[1];
    if (parameter !== undefined) {
      if (rows.length || across) return null;
      across = { ...row, parameter };
    } else rows.push(row);
  }
  const [first] = rows;
  if (!first || rows.some((each) => each.cells.length !== first.cells.length)) return null;
  const leading = across ? first.cells.length - across.cells.length : first.cells.length - 1;
  if (leading < 1) return null;
  return { name, from: (across ?? first).from, to: rows.at(-1)?.to ?? first.to, across, rows, leading };
}

function rowOf(text: string, from: number): Row | null {
  const begins = /^\s+(?:across\s+\w+\s*:\s*|[A-Za-z_]\w*\s*:\s*)?/.exec(text)?.[0] ?? "";
  if (text.startsWith("#", begins.length)) return null;
  const cells: string[] = [];
  const bounds: number[] = [];
  let depth = 0;
  let isQuoted = false;
  let start = begins.length;
  let at = start;
  let isPadded = false;
  for (; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (sign === "(" || sign === "[" || sign === "{") depth++;
    else if (sign === ")" || sign === "]" || sign === "}") depth--;
    else if (sign === "#" || sign === "@") break;
    else if (sign === "|" && depth === 0) {
      cells.push(text.slice(start, at).trim());
      bounds.push(from + at);
      isPadded ||= /\s{2,}$/.test(text.slice(start, at));
      start = at + 1;
    }
  }
  const last = text.slice(start, at);
  cells.push(last.trim());
  bounds.push(from + text.length);
  if (depth !== 0 || isQuoted || cells.some((each) => each === "")) return null;
  const behind = text.slice(start + last.trimEnd().length);
  return { from, to: from + text.length, begins, cells, bounds, ends: behind.trim() ? `  ${behind.trim()}` : "", isPadded };
}

/** The lines of a table with other cells, laid out as the formatter does it, as one change of the text. */
export function written(table: Table, across: readonly string[] | null, rows: readonly (readonly string[])[], of: (row: number) => Row | null): ChangeSpec {
  const [first] = table.rows;
  const indent = /^\s*/.exec(first?.begins ?? "")?.[0] ?? "  ";
  const begun = rows.map((cells, at) => {
    const name = /^\s*(\w+)\s*:/.exec(of(at)?.begins ?? "")?.[1];
    return name === undefined ? cells : [`${name}: ${cells[0] ?? ""}`, ...cells.slice(1)];
  });
  const wide = begun[0]?.map((_, column) => Math.max(...begun.map((each) => (each[column] ?? "").length))) ?? [];
  const fits = indent.length + wide.reduce((sum, each) => sum + each, 0) + BAR.length * (wide.length - 1) <= LINE_COLUMNS;
  const isPadded = fits && table.rows.some((each) => each.isPadded);
  const lines = begun.map((cells, at) => `${indent}${(isPadded ? cells.map((each, column) => each.padEnd(wide[column] ?? 0)) : cells).join(BAR).trimEnd()}${of(at)?.ends ?? ""}`);
  const head = table.across && across ? [`${indent}across ${table.across.parameter}: ${across.join(BAR)}${table.across.ends}`] : [];
  return { from: table.from, to: table.to, insert: Text.of([...head, ...lines]) };
}

/** A cell as a reader says it: `at most 1` is `1 or less`, a word its title. */
export function spoken(cell: string, words: readonly (readonly [name: string, title: string])[]): string {
  const title = words.find(([name]) => name === cell || cell.endsWith(`.${name}`))?.[1];
  if (title !== undefined) return title;
  const bound = /^at (least|most) (.*)$/.exec(cell);
  if (bound) return `${bound[2]} or ${bound[1] === "least" ? "more" : "less"}`;
  const more = /^(\d+)\s*\+$/.exec(cell);
  if (more) return `${more[1]} or more`;
  return cell.replace(/^(-?\d+)\.\.(-?\d+)$/, "$1 to $2");
}

/** What would stand in a line that is added behind one with this cell. */
export function next(cell: string, taken: readonly string[], words: readonly (readonly [name: string, title: string])[]): string {
  const free = words.find(([name]) => !taken.includes(name));
  if (free) return free[0];
  const numbers = cell.match(/-?\d+/g);
  return numbers ? String(Number(numbers.at(-1)) + 1) : cell;
}
