/** The lists around a text: files by ruleset, names of the text, what is wrong with remedies to click. */
import type * as lsp from "vscode-languageserver-protocol";
import type { Desk, Place } from "../desk";
import { button, type Child, coded, el, fill } from "../elements";
import type { Documents } from "./documents";
import { severity, words } from "./editor";
import type { Language } from "./language";

const SHOWN_REMEDIES = 20;
/** What the server adds to a remedy that is shown before it is made. */
const UNSURE = / \(may change what the rules mean\)$/;

/** Which ruleset a file belongs to. */
export function belongs(desk: Desk, path: string | undefined): string | null {
  const file = desk.files.find((each) => each.path === path);
  return file ? (file.ruleset ?? (file.sort === "rules" ? file.path : null)) : null;
}

/** Shows the files of the folder, each under its ruleset, with what is changed or wrong; the focus stays where it is. */
export function listFiles(host: HTMLElement, desk: Desk, documents: Documents, language: Language, shown: string | undefined, open: (path: string) => void): void {
  const groups = new Map<string | null, string[]>();
  for (const { path } of desk.files) {
    const ruleset = belongs(desk, path);
    groups.set(ruleset, [...(groups.get(ruleset) ?? []), path]);
  }
  const says = (path: string, folder = ""): HTMLElement => {
    const wrong = (language.problems.get(path) ?? []).filter((each) => each.severity === 1).length;
    const name = path.startsWith(folder) ? path.slice(folder.length) : path;
    const made = button("", () => open(path), { class: "plain", title: path, "data-path": path, "aria-current": path === shown ? "true" : undefined });
    made.append(...name.split(/(?<=[/_.-])/).flatMap((each, at) => (at ? [el("wbr"), each] : [each])));
    if (documents.open.get(path)?.isChanged) made.append(el("span", { class: "mark", title: "changed, not saved" }, " ●"));
    if (wrong) made.append(el("span", { class: "bad" }, ` ${wrong} error${wrong === 1 ? "" : "s"}`));
    return made;
  };
  const lists = [...groups].sort(([one], [other]) => Number(other === desk.ruleset) - Number(one === desk.ruleset)).map(([ruleset, paths]) => {
    const head = ruleset === null ? el("span", { class: "faint" }, "Other files") : paths.includes(ruleset) ? says(ruleset) : ruleset;
    const others = paths.filter((each) => each !== ruleset).map((each) => el("li", {}, says(each, ruleset?.slice(0, ruleset.lastIndexOf("/") + 1))));
    return el("li", {}, head, el("ul", { class: ruleset === null ? "list" : "list inner" }, ...others));
  });
  const focused = host.contains(document.activeElement) ? document.activeElement?.getAttribute("data-path") : null;
  fill(host, el("ul", { class: "list" }, ...lists));
  if (focused) [...host.querySelectorAll("button")].find((each) => each.dataset["path"] === focused)?.focus();
}

/** Groups of an outline, each with the words that its declarations begin with. */
const GROUPS: readonly (readonly [says: string, begins: RegExp])[] = [
  ["Words and things", /^(values|kind|board|record|die|deck|game|setting|relation)\b/],
  ["Numbers and tables", /^(term|tally|decide|table|paths|measure|external term|always)\b/],
  ["Procedures", /^(inner |external )?(procedure|event|handler|whenever)\b/],
];
const METHOD = 6;
/** What the server says of a name that has no title. */
const UNTITLED = new Set(
  "list of words,kind,board,record,die,deck,field of the game,setting,relation,term,tally,decide,table,paths,measure,external term,invariant,procedure,external procedure,event,handler,standing rule,step".split(","),
);

/** Shows the names that a text gives: of rules its declarations by what they are, in the author's words, with the steps of procedures; else one name inside the other. */
export function listNames(host: HTMLElement, symbols: readonly lsp.DocumentSymbol[], lines: ((line: number) => string) | null, go: (line: number, column: number) => void): void {
  const pressed = (symbol: lsp.DocumentSymbol, ...says: Child[]): HTMLElement => {
    const { start } = symbol.selectionRange;
    const made = button("", () => go(start.line + 1, start.character + 1), { class: "plain", title: symbol.name, "data-line": String(start.line + 1), "data-end": String(symbol.range.end.line + 1) });
    fill(made, ...says);
    return made;
  };
  const nested = (symbol: lsp.DocumentSymbol): HTMLElement => {
    const detail = symbol.detail && symbol.detail !== symbol.name ? el("span", { class: "faint" }, ` ${symbol.detail}`) : null;
    return el("li", {}, pressed(symbol, symbol.name, detail), symbol.children?.length ? el("ul", { class: "list inner" }, ...symbol.children.map(nested)) : null);
  };
  const isTitled = (symbol: lsp.DocumentSymbol): boolean => !!symbol.detail && !UNTITLED.has(symbol.detail);
  const declared = (symbol: lsp.DocumentSymbol): HTMLElement => {
    const steps = (symbol.children ?? []).filter((each) => each.kind === METHOD);
    const said = isTitled(symbol) ? (symbol.detail ?? "") : symbol.name.replaceAll("_", " ");
    const step = (each: lsp.DocumentSymbol): HTMLElement => el("li", {}, pressed(each, el("span", { class: "faint" }, each.name), isTitled(each) ? ` ${each.detail}` : null));
    return el("li", {}, pressed(symbol, said), steps.length ? el("ul", { class: "list inner" }, ...steps.map(step)) : null);
  };
  const grouped = (of: readonly lsp.DocumentSymbol[], says: string): Child[] => {
    const titled = of.filter(isTitled);
    const [shown, rest] = titled.length ? [titled, of.filter((each) => !isTitled(each))] : [of, []];
    return [
      el("p", { class: "eyebrow" }, says, el("span", { class: "faint" }, ` ${of.length}`)),
      el("ul", { class: "list" }, ...shown.map(declared)),
      rest.length ? el("details", {}, el("summary", { class: "faint" }, `${rest.length} without a title`), el("ul", { class: "list" }, ...rest.map(declared))) : null,
    ];
  };
  if (symbols.length === 0) fill(host, el("p", { class: "faint" }, "This text has no names yet."));
  else if (lines === null) fill(host, el("ul", { class: "list" }, ...symbols.map(nested)));
  else {
    const begins = (symbol: lsp.DocumentSymbol): string => lines(symbol.range.start.line + 1);
    const left = new Set(symbols);
    const groups = GROUPS.flatMap(([says, words]) => {
      const own = symbols.filter((each) => words.test(begins(each)));
      for (const each of own) left.delete(each);
      return own.length ? grouped(own, says) : [];
    });
    fill(host, ...groups, ...(left.size ? grouped([...left], groups.length ? "Other lines" : "Lines") : []));
  }
}

/** Lights the innermost name that holds a line. */
export function lightName(host: HTMLElement, line: number): void {
  let last: Element | null = null;
  for (const each of host.querySelectorAll("button")) {
    each.removeAttribute("aria-current");
    if (Number(each.dataset["line"]) <= line && line <= Number(each.dataset["end"])) last = each;
  }
  last?.setAttribute("aria-current", "true");
}

/** What is wrong with a ruleset and with the text that is shown. */
export class Problems {
  readonly host = el("section", { class: "problems", label: "Problems" });

  constructor(
    private readonly documents: Documents,
    private readonly language: Language,
    private readonly show: (place: Place) => void,
    private readonly mend: (action: lsp.CodeAction) => void,
  ) {}

  /** Shows them, with the remedies of the first few. */
  draw(isMeant: (path: string) => boolean): void {
    const found = [...this.language.problems].flatMap(([path, each]) => (isMeant(path) ? each.map((one) => [path, one] as const) : []));
    if (found.length === 0) {
      fill(this.host, el("p", { class: "faint" }, "No problems."));
      return;
    }
    const items = found.map(([path, one], at) => this.item(path, one, at < SHOWN_REMEDIES));
    fill(this.host, el("h3", {}, `${found.length} ${found.length === 1 ? "problem" : "problems"}`), el("ul", { class: "list" }, ...items));
  }

  private item(path: string, found: lsp.Diagnostic, isMended: boolean): HTMLElement {
    const at = found.range.start;
    const kind = severity(found);
    const mends = el("span", { class: "row mends" });
    const [first = "", ...more] = words(found, this.documents.uri(path)).split("\n");
    const told = more.map((each) => el("span", { class: "more" }, ...coded(each)));
    if (isMended) void this.remedies(path, found, mends, told);
    return el(
      "li",
      { class: `problem ${kind}` },
      button(`${path}:${at.line + 1}`, () => this.show({ path, line: at.line + 1, column: at.character + 1 }), { class: "plain place" }),
      el("span", { class: kind === "error" ? "bad" : kind === "warning" ? "warn" : "faint" }, `${kind} ${String(found.code ?? "")}`),
      el("span", { class: "says" }, ...coded(first), ...told),
      mends,
    );
  }

  /** Shows what mends a problem; help that says no more than the button is left out. */
  private async remedies(path: string, found: lsp.Diagnostic, host: HTMLElement, told: readonly HTMLElement[]): Promise<void> {
    const text = this.documents.open.get(path);
    if (!text) return;
    const actions = await this.language.remedies(text, found.range, [found]);
    const quick = actions.filter((each) => each.kind === "quickfix" && each.diagnostics?.some((one) => one.code === found.code));
    fill(host, ...quick.map((each) => button(each.title.replace(UNSURE, "…"), () => this.mend(each), { title: UNSURE.test(each.title) ? "This may change what the rules mean. You see the change before it is made." : "This is made at once, and not saved. Ctrl+Z takes it back." })));
    for (const each of told) each.hidden = quick.length > 0 && /^help: (did you mean|write) \S+$/.test(each.textContent ?? "");
  }
}
