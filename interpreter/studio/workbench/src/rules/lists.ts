/** The lists around a text: files by ruleset, names of the text, what is wrong with remedies to click. */
import type * as lsp from "vscode-languageserver-protocol";
import type { Desk, Place } from "../desk";
import { button, coded, el, fill } from "../elements";
import type { Documents } from "./documents";
import { severity, words } from "./editor";
import type { Language } from "./language";

const SHOWN_REMEDIES = 20;

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
  const lists = [...groups].map(([ruleset, paths]) => {
    const head = ruleset === null ? el("span", { class: "faint" }, "Other files") : paths.includes(ruleset) ? says(ruleset) : ruleset;
    const others = paths.filter((each) => each !== ruleset).map((each) => el("li", {}, says(each, ruleset?.slice(0, ruleset.lastIndexOf("/") + 1))));
    return el("li", {}, head, el("ul", { class: ruleset === null ? "list" : "list inner" }, ...others));
  });
  const focused = host.contains(document.activeElement) ? document.activeElement?.getAttribute("data-path") : null;
  fill(host, el("ul", { class: "list" }, ...lists));
  if (focused) [...host.querySelectorAll("button")].find((each) => each.dataset["path"] === focused)?.focus();
}

/** Shows the names that a text gives, one inside the other. */
export function listNames(host: HTMLElement, symbols: readonly lsp.DocumentSymbol[], go: (line: number, column: number) => void): void {
  const item = (symbol: lsp.DocumentSymbol): HTMLElement => {
    const { start } = symbol.selectionRange;
    const lines = { "data-line": String(start.line + 1), "data-end": String(symbol.range.end.line + 1) };
    const says = button(symbol.name, () => go(start.line + 1, start.character + 1), { class: "plain", ...lines });
    if (symbol.detail && symbol.detail !== symbol.name) says.append(el("span", { class: "faint" }, ` ${symbol.detail}`));
    return el("li", {}, says, symbol.children?.length ? el("ul", { class: "list inner" }, ...symbol.children.map(item)) : null);
  };
  fill(host, symbols.length ? el("ul", { class: "list" }, ...symbols.map(item)) : el("p", { class: "faint" }, "This text has no names yet."));
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
    fill(host, ...quick.map((each) => button(each.title, () => this.mend(each))));
    for (const each of told) each.hidden = quick.length > 0 && /^help: (did you mean|write) \S+$/.test(each.textContent ?? "");
  }
}
