/** The pane in which texts are written: files, outline, editor, problems, the chapter and the chart beside them. */
import { LSPPlugin } from "@codemirror/lsp-client";
import type * as lsp from "vscode-languageserver-protocol";
import type { Desk, Key, Open, Pane, Place } from "../desk";
import { ask, button, el, fill, page } from "../elements";
import { settled, shownEdits } from "../rules/conflict";
import { type Document, Documents } from "../rules/documents";
import { type Does, Editor, KEYS, extensions, severity, words } from "../rules/editor";
import { type Edited, Language } from "../rules/language";
import { type Reached, askAgain, marks, setCover } from "../rules/marks";
import { Reading, type Sort } from "../rules/reading";

const SHOWN_REMEDIES = 20;
const READ_AGAIN = 900;
const TOLD_TOGETHER = 60;

export const pane: Pane = {
  name: "rules",
  title: "Rules",
  open(host: HTMLElement, desk: Desk): Open {
    const rules = new Rules(host, desk);
    return {
      keys: rules.keys(),
      show: (place) => void rules.show(place),
      front: () => rules.front(),
      close: () => rules.close(),
    };
  },
};

class Rules {
  private readonly documents: Documents;
  private readonly language: Language;
  private readonly editor: Editor;
  private readonly reading: Reading;
  private readonly files = el("nav", { class: "files", label: "Files" });
  private readonly outline = el("nav", { class: "outline", label: "Outline" });
  private readonly head = el("h2", { class: "path" });
  private readonly bars = el("div", { class: "bars" });
  private readonly problems = el("section", { class: "problems", label: "Problems" });
  private readonly about = el("section", { class: "about", label: "Beside the text" });
  private readonly aboutBody = el("div", { class: "about-body", tabindex: "0", role: "region", label: "Chapter or chart" });
  private readonly saves = button("Save", () => void this.save(), { primary: true, title: "Ctrl+S" });
  private readonly switches = new Map<Sort | "none", HTMLButtonElement>();
  private symbols: lsp.DocumentSymbol[] = [];
  private isCovered = false;
  private rereads: ReturnType<typeof setTimeout> | null = null;
  private tells: ReturnType<typeof setTimeout> | null = null;
  private readonly ends: (() => void)[] = [];
  private wanted = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly desk: Desk,
  ) {
    this.documents = new Documents(desk, (text) => this.extensions(text), (text) => this.heard(text));
    this.language = new Language(
      desk,
      this.documents,
      async (path) => {
        await this.open(path);
        return this.editor.view;
      },
      (path) => this.told(path),
      (is) => {
        host.classList.toggle("offline", !is);
        if (!is) desk.say("The studio does not answer; what is typed stays in this page until it does.");
      },
    );
    const text = el("div", { class: "text" });
    this.editor = new Editor(text, this.language);
    this.reading = new Reading(this.aboutBody, desk, () => this.typed(), (place) => void this.show(place));
    this.laid(text);
    this.ends.push(
      desk.on("files", () => this.listed()),
      desk.on("changed", (changed) => {
        this.language.changed(changed.map((each) => each.path));
        this.reread();
      }),
      desk.on("ruleset", (path) => {
        if (path !== null && this.belongs() !== path) void this.open(path);
        void this.reading.refresh();
      }),
    );
    this.listed();
    if (desk.ruleset !== null) void this.open(desk.ruleset);
    this.beside(innerWidth > 1100 ? "chapter" : "none");
  }

  private laid(text: HTMLElement): void {
    const tools = el(
      "div",
      { class: "row tools" },
      this.saves,
      button("Undo all", () => void this.undoAll(), { title: "Back to what was saved" }),
      button("Remedies", () => void this.remedies(), { title: "Ctrl+." }),
      button("Lay out", () => void this.format(), { title: "Shift+Alt+F" }),
      button("Coverage", () => void this.cover(), { "aria-pressed": "false", class: "covers", title: "Which lines scenarios come to" }),
    );
    for (const [sort, says] of [["chapter", "Chapter"], ["chart", "Chart"], ["none", "Text alone"]] as const) {
      this.switches.set(sort, button(says, () => this.beside(sort), { "aria-pressed": "false" }));
    }
    const group = el("div", { class: "row switch", role: "group", label: "Beside the text" }, ...this.switches.values());
    this.about.append(this.aboutBody);
    fill(
      this.host,
      el("div", { class: "side" }, el("details", { open: innerWidth > 700 }, el("summary", {}, "Files"), this.files, button("New file…", () => void this.create())), el("details", { open: innerWidth > 1100 }, el("summary", {}, "Outline"), this.outline)),
      el("div", { class: "middle" }, el("div", { class: "row" }, this.head, group), tools, this.bars, text, this.problems),
      this.about,
    );
  }

  keys(): Key[] {
    const named = (key: string): string => key.replace("Mod", "Ctrl").replaceAll("-", "+");
    return [
      { keys: "Ctrl+s", says: "Save all texts that were changed", run: () => void this.save() },
      ...KEYS.filter(([key]) => key !== "Mod-s").map(([key, says]) => ({ keys: named(key), says })),
      { keys: "F8", says: "Next problem; with Shift the one before" },
      { keys: "Ctrl+Space", says: "What may stand here" },
      { keys: "Ctrl+f", says: "Search in the text, and replace" },
      { keys: "Escape, then Tab", says: "Leave the text, for Tab moves its lines in" },
      { keys: "Alt+t", says: "Go to the text", run: () => this.editor.view.focus() },
      { keys: "Alt+c", says: "Chapter beside the text", run: () => this.beside("chapter") },
      { keys: "Alt+h", says: "Chart beside the text", run: () => this.beside("chart") },
    ];
  }

  private extensions(text: Document) {
    const does: Does = {
      save: () => void this.save(),
      remedies: () => void this.remedies(),
      explain: () => void this.explain(),
      rename: () => void this.rename(),
      definition: () => void this.definition(),
      references: () => void this.references(),
      format: () => void this.format(),
    };
    const run = (command: lsp.Command): void => {
      const [, address] = command.arguments ?? [];
      this.desk.go("play", { path: text.path, address: String(address ?? "") });
    };
    const more = marks(this.language, text, run, (symbols) => {
      if (this.editor.shown !== text) return;
      this.symbols = symbols;
      this.outlined();
    });
    return extensions(this.language, text, does, (isTyped) => this.moved(text, isTyped), more);
  }

  private moved(text: Document, isTyped: boolean): void {
    if (isTyped) {
      this.documents.typed(text);
      this.language.client.sync();
      this.reread();
    }
    if (this.editor.shown !== text) return;
    this.reading.follow(text.path, this.editor.line);
    this.outlineLit();
  }

  private reread(): void {
    if (this.rereads !== null) clearTimeout(this.rereads);
    this.rereads = setTimeout(() => void this.reading.refresh(), READ_AGAIN);
  }

  private typed(): Record<string, string> {
    const changed = [...this.documents.open.values()].filter((each) => each.isChanged);
    return Object.fromEntries(changed.map((each) => [each.path, each.text]));
  }

  private belongs(path = this.editor.shown?.path): string | null {
    const file = this.desk.files.find((each) => each.path === path);
    return file ? (file.ruleset ?? (file.sort === "rules" ? file.path : null)) : null;
  }

  async open(path: string): Promise<void> {
    const wanted = ++this.wanted;
    const text = await this.documents.get(path);
    if (wanted !== this.wanted) return;
    if (this.editor.shown === text) return;
    this.language.know(text);
    this.symbols = [];
    this.editor.show(text);
    const ruleset = this.belongs(path);
    if (ruleset !== null && ruleset !== this.desk.ruleset) this.desk.choose(ruleset);
    this.heard(text);
    this.listed();
    this.outlined();
    this.reading.follow(path, this.editor.line);
    history.replaceState(null, "", `#rules/${encodeURIComponent(path)}`);
  }

  /** Shows a place that is pointed to from elsewhere. */
  async show(place: Place): Promise<void> {
    if (place.path === undefined) return;
    if (place.line === undefined && place.address) {
      const found = await this.addressed(place.path, place.address);
      if (found) {
        await this.open(found.path);
        this.editor.go(found.line);
        return;
      }
    }
    await this.open(place.path);
    if (place.line !== undefined) this.editor.go(place.line, place.column ?? 1);
  }

  /** Where an address is given: names of the outline, one inside the other, in any text of the ruleset. */
  private async addressed(path: string, address: string): Promise<{ path: string; line: number } | null> {
    const ruleset = this.belongs(path);
    const others = this.desk.files.filter((each) => each.sort === "rules" && each.ruleset === ruleset && ruleset !== null);
    const names = address.split("/");
    for (const each of new Set([path, ...others.map((one) => one.path)])) {
      const text = await this.documents.get(each);
      this.language.know(text);
      let inside = (await this.language.ask<lsp.DocumentSymbol[]>("textDocument/documentSymbol", text)) ?? [];
      let line: number | null = null;
      for (const name of names) {
        const found = inside.find((one) => one.name === name);
        if (!found) break;
        line = found.selectionRange.start.line + 1;
        inside = found.children ?? [];
      }
      if (line !== null) return { path: each, line };
    }
    return null;
  }

  front(): void {
    this.editor.view.requestMeasure();
    this.editor.view.dispatch({ effects: askAgain.of(null) });
  }

  close(): void {
    for (const each of this.ends) each();
    this.editor.put();
    this.language.close();
    this.editor.view.destroy();
    fill(this.host);
  }

  /** A text is another, or stands otherwise than before. */
  private heard(text: Document): void {
    this.listed();
    this.saves.disabled = ![...this.documents.open.values()].some((each) => each.isChanged);
    if (this.editor.shown !== text) return;
    fill(this.head, text.path, text.isChanged ? el("span", { class: "faint" }, " changed") : null);
    const bars: HTMLElement[] = [];
    if (text.isElsewhere) {
      bars.push(el("div", { class: "row bar-note" }, "Another tab is changing this text, so it cannot be typed in here until it is saved there.", button("Type here anyway", () => this.documents.elsewhere(text, false))));
    }
    if (text.disk) {
      const says = text.disk.text === null ? "The file is gone from the disk." : "The file on the disk was changed, in lines that were changed here too.";
      bars.push(el("div", { class: "row bar-note" }, says, button("Compare and decide…", () => void this.decide(text))));
    }
    fill(this.bars, ...bars);
  }

  private listed(): void {
    const groups = new Map<string | null, string[]>();
    for (const each of this.desk.files) {
      const ruleset = each.ruleset ?? (each.sort === "rules" ? each.path : null);
      groups.set(ruleset, [...(groups.get(ruleset) ?? []), each.path]);
    }
    const shown = this.editor?.shown?.path;
    const item = (path: string): HTMLElement => {
      const text = this.documents.open.get(path);
      const wrong = (this.language?.problems.get(path) ?? []).filter((each) => each.severity === 1).length;
      const says = button(path, () => void this.open(path), { class: "plain", "aria-current": path === shown ? "true" : undefined });
      if (text?.isChanged) says.append(el("span", { class: "mark", title: "changed, not saved" }, " ●"));
      if (wrong) says.append(el("span", { class: "bad" }, ` ${wrong} wrong`));
      return el("li", {}, says);
    };
    const lists = [...groups].map(([ruleset, paths]) => {
      const others = paths.filter((each) => each !== ruleset).map(item);
      return ruleset === null
        ? el("li", {}, el("span", { class: "faint" }, "Other files"), el("ul", { class: "list" }, ...others))
        : el("li", {}, ...(paths.includes(ruleset) ? [...item(ruleset).childNodes] : [ruleset]), el("ul", { class: "list inner" }, ...others));
    });
    const focused = this.files.contains(document.activeElement) ? document.activeElement?.textContent : null;
    fill(this.files, el("ul", { class: "list" }, ...lists));
    if (focused) [...this.files.querySelectorAll("button")].find((each) => each.textContent === focused)?.focus();
  }

  private outlined(): void {
    const item = (symbol: lsp.DocumentSymbol): HTMLElement => {
      const line = symbol.selectionRange.start.line + 1;
      const says = button(symbol.name, () => this.editor.go(line, symbol.selectionRange.start.character + 1), { class: "plain", "data-line": String(line), "data-end": String(symbol.range.end.line + 1) });
      if (symbol.detail && symbol.detail !== symbol.name) says.append(el("span", { class: "faint" }, ` ${symbol.detail}`));
      return el("li", {}, says, symbol.children?.length ? el("ul", { class: "list inner" }, ...symbol.children.map(item)) : null);
    };
    fill(this.outline, this.symbols.length ? el("ul", { class: "list" }, ...this.symbols.map(item)) : el("p", { class: "faint" }, "Nothing has a name here yet."));
    this.outlineLit();
  }

  private outlineLit(): void {
    const line = this.editor.line;
    let last: Element | null = null;
    for (const each of this.outline.querySelectorAll("button")) {
      each.removeAttribute("aria-current");
      if (Number(each.dataset["line"]) <= line && line <= Number(each.dataset["end"])) last = each;
    }
    last?.setAttribute("aria-current", "true");
  }

  /** Something else is wrong with a file than before. */
  private told(path: string): void {
    const text = this.documents.open.get(path);
    if (text) this.editor.diagnose(text);
    if (text && this.editor.shown === text) this.editor.view.dispatch({ effects: askAgain.of(null) });
    if (this.tells === null) {
      this.tells = setTimeout(() => {
        this.tells = null;
        this.listed();
        this.problemsShown();
      }, TOLD_TOGETHER);
    }
  }

  private problemsShown(): void {
    const ruleset = this.desk.ruleset;
    const found = [...this.language.problems].filter(([path, each]) => each.length > 0 && (this.belongs(path) === ruleset || path === this.editor.shown?.path));
    const count = found.reduce((sum, [, each]) => sum + each.length, 0);
    if (count === 0) {
      fill(this.problems, el("p", { class: "faint" }, "No problems."));
      return;
    }
    const items = found.flatMap(([path, each]) => each.map((one) => this.problem(path, one)));
    fill(this.problems, el("h3", {}, `${count} ${count === 1 ? "problem" : "problems"}`), el("ul", { class: "list" }, ...items.map(([item]) => item)));
    for (const [, mend] of items.slice(0, SHOWN_REMEDIES)) void mend();
  }

  private problem(path: string, found: lsp.Diagnostic): [HTMLElement, () => Promise<void>] {
    const at = found.range.start;
    const kind = severity(found);
    const mends = el("span", { class: "row mends" });
    const [first = "", ...more] = words(found).split("\n");
    const item = el(
      "li",
      { class: `problem ${kind}` },
      button(`${path}:${at.line + 1}`, () => void this.show({ path, line: at.line + 1, column: at.character + 1 }), { class: "plain place" }),
      el("span", { class: kind === "error" ? "bad" : kind === "warning" ? "warn" : "faint" }, `${kind} ${String(found.code ?? "")}`),
      el("span", { class: "says" }, first, ...more.map((each) => el("span", { class: "more" }, each))),
      mends,
    );
    const mend = async (): Promise<void> => {
      const text = this.documents.open.get(path);
      if (!text) return;
      const actions = await this.language.remedies(text, found.range, [found]);
      const quick = actions.filter((each) => each.kind === "quickfix" && each.diagnostics?.some((one) => one.code === found.code));
      fill(mends, ...quick.map((each) => button(each.title, () => void this.mend(each))));
    };
    return [item, mend];
  }

  /** Makes the edits of a remedy; those that may change what rules mean are shown first. */
  private async mend(action: lsp.CodeAction): Promise<void> {
    if (!action.edit) return;
    const edits = await this.language.edited(action.edit);
    if (!action.isPreferred && action.kind !== "source.fixAll" && !(await this.agreed(action.title, edits, "Make this change"))) return;
    this.language.make(edits);
    this.desk.say(`Done: ${action.title}`);
    this.editor.view.focus();
  }

  private async agreed(title: string, edits: readonly Edited[], says: string): Promise<boolean> {
    return (await ask(title, shownEdits(edits), [["yes", says], ["no", "Leave it"]])) === "yes";
  }

  private async remedies(): Promise<void> {
    const text = this.editor.shown;
    if (!text) return;
    const line = this.editor.view.state.doc.line(this.editor.line);
    const { from, to } = this.editor.view.state.selection.main;
    const range = { start: this.language.position(text, Math.min(from, line.from)), end: this.language.position(text, Math.max(to, line.to)) };
    const found = (this.language.problems.get(text.path) ?? []).filter((each) => each.range.start.line <= range.end.line && each.range.end.line >= range.start.line);
    const actions = await this.language.remedies(text, range, found);
    if (actions.length === 0) {
      this.desk.say("There is no remedy for this line.");
      return;
    }
    const chosen = await ask("Remedies", [el("p", {}, words(found[0] ?? { message: "For the whole text:" } as lsp.Diagnostic))], [
      ...actions.map((each, at) => [String(at), each.title] as const),
      ["", "Leave it"],
    ]);
    const action = chosen ? actions[Number(chosen)] : undefined;
    if (action) await this.mend(action);
    this.editor.view.focus();
  }

  private here(): { text: Document; position: lsp.Position } | null {
    const text = this.editor.shown;
    return text ? { text, position: this.language.position(text, this.editor.view.state.selection.main.head) } : null;
  }

  private async explain(): Promise<void> {
    const here = this.here();
    if (!here) return;
    const found = await this.language.ask<lsp.Hover>("textDocument/hover", here.text, { position: here.position });
    const shown = found && LSPPlugin.get(this.editor.view)?.docToHTML(found.contents as lsp.MarkupContent);
    if (shown) await ask("At the cursor", [page(shown)], [["done", "Close"]]);
    else this.desk.say("Nothing is known of this place.");
    this.editor.view.focus();
  }

  private async definition(): Promise<void> {
    const here = this.here();
    const found = here && (await this.language.ask<lsp.Location[]>("textDocument/definition", here.text, { position: here.position }));
    const first = found?.[0];
    const path = first && this.documents.path(first.uri);
    if (first && path) await this.show({ path, line: first.range.start.line + 1, column: first.range.start.character + 1 });
    else this.desk.say("Nothing here is given elsewhere.");
  }

  private async references(): Promise<void> {
    const here = this.here();
    if (!here) return;
    this.desk.say("Looking for all uses…");
    const found = (await this.language.ask<lsp.Location[]>("textDocument/references", here.text, { position: here.position, context: { includeDeclaration: true } })) ?? [];
    this.desk.say(`${found.length} ${found.length === 1 ? "use" : "uses"}`);
    if (found.length === 0) return;
    const items = await Promise.all(
      found.map(async (each) => {
        const path = this.documents.path(each.uri);
        if (path === null) return null;
        const text = await this.documents.get(path);
        const { start } = each.range;
        const line = start.line < text.current.doc.lines ? text.current.doc.line(start.line + 1).text : "";
        const go = (): void => {
          dialog?.close();
          dialog?.remove();
          void this.show({ path, line: start.line + 1, column: start.character + 1 });
        };
        return el("li", {}, button(`${path}:${start.line + 1}`, go, { class: "plain place" }), el("code", {}, line.trim()));
      }),
    );
    const asked = ask(`${found.length} uses`, [el("ul", { class: "list uses" }, ...items)], [["done", "Close"]]);
    const dialog = document.querySelector<HTMLDialogElement>("dialog[open]");
    await asked;
  }

  private async rename(): Promise<void> {
    const here = this.here();
    const range = here && (await this.language.ask<lsp.Range>("textDocument/prepareRename", here.text, { position: here.position }));
    if (!here || !range) {
      this.desk.say("Nothing here has a name that can be changed.");
      return;
    }
    const [from, to] = [this.language.offset(here.text, range.start), this.language.offset(here.text, range.end)];
    const old = here.text.current.sliceDoc(from, to);
    const name = el("input", { value: old, label: "New name", autocomplete: "off" });
    if ((await ask(`Rename ${old}`, [el("label", { class: "field" }, el("span", {}, "New name"), name)], [["yes", "Show what changes"], ["no", "Leave it"]])) !== "yes") return;
    if (name.value === old || !name.value) return;
    const made = await this.language
      .ask<lsp.WorkspaceEdit>("textDocument/rename", here.text, { position: range.start, newName: name.value })
      .catch((fault: { message?: string }) => this.desk.say(fault.message ?? "It cannot have this name.", true));
    if (!made) return;
    const edits = await this.language.edited(made);
    if (await this.agreed(`Rename ${old} to ${name.value}`, edits, "Rename")) {
      this.language.make(edits);
      this.desk.say(`Renamed in ${edits.length} ${edits.length === 1 ? "file" : "files"}; save to keep it.`);
    }
    this.editor.view.focus();
  }

  private async format(): Promise<void> {
    const text = this.editor.shown;
    const edits = text && (await this.language.ask<lsp.TextEdit[]>("textDocument/formatting", text, { options: { tabSize: 2, insertSpaces: true } }));
    if (text && edits?.length) this.language.make(await this.language.edited({ changes: { [text.uri]: edits } }));
    else this.desk.say("Nothing is to be laid out otherwise.");
  }

  async save(): Promise<void> {
    const changed = [...this.documents.open.values()].filter((each) => each.isChanged).map((each) => each.path);
    const left = await this.documents.save();
    const [first] = left;
    if (first !== undefined) {
      const text = this.documents.open.get(first);
      if (text?.disk) {
        await this.open(first);
        await this.decide(text);
      } else if (text) this.desk.say(`${first}: the file on the disk was changed too; look at it and save again.`);
    } else this.desk.say(changed.length === 0 ? "Nothing is to be saved." : `Saved: ${changed.join(", ")}`);
    if (this.isCovered) void this.covered();
  }

  private async decide(text: Document): Promise<void> {
    const made = await settled(text);
    if (made !== null) this.documents.settle(text, made);
    this.editor.view.focus();
  }

  private async undoAll(): Promise<void> {
    const text = this.editor.shown;
    if (!text?.isChanged) return;
    if ((await ask(`Back to what was saved of ${text.path}?`, [], [["yes", "Undo all changes"], ["no", "Keep them"]])) === "yes") this.documents.drop(text);
  }

  private async create(): Promise<void> {
    const name = el("input", { label: "Name of the file", autocomplete: "off", placeholder: "skirmish.rules" });
    if ((await ask("New file", [el("label", { class: "field" }, el("span", {}, "Name"), name)], [["yes", "Make it"], ["no", "Leave it"]])) !== "yes" || !name.value) return;
    await this.desk.write(name.value, "", null);
    await this.open(name.value);
    this.editor.view.focus();
  }

  private beside(sort: Sort | "none"): void {
    for (const [each, says] of this.switches) says.setAttribute("aria-pressed", String(each === sort));
    this.host.classList.toggle("alone", sort === "none");
    this.reading.show(sort === "none" ? null : sort);
  }

  private async cover(): Promise<void> {
    this.isCovered = !this.isCovered;
    this.host.querySelector(".covers")?.setAttribute("aria-pressed", String(this.isCovered));
    if (this.isCovered) await this.covered();
    else this.editor.view.dispatch({ effects: setCover.of([]) });
  }

  private async covered(): Promise<void> {
    const text = this.editor.shown;
    if (!text || this.desk.ruleset === null) return;
    this.desk.say("Playing the scenarios…");
    const found = await this.desk.post<Covered>("/api/rules/cover", { path: this.desk.ruleset });
    if (this.editor.shown !== text) return;
    const lines = found.lines.filter((each) => each.path === text.path);
    this.editor.view.dispatch({ effects: setCover.of(lines) });
    const missed = lines.filter((each) => each.reached === false).length;
    const few = `no scenario comes to ${missed} of ${lines.length} places of this text`;
    this.desk.say(found.scenarios === 0 ? "There is no scenario yet." : missed === 0 ? "Scenarios come everywhere in this text." : `${found.scenarios} scenarios: ${few}.`);
  }
}

interface Covered {
  readonly lines: readonly (Reached & { readonly path: string })[];
  readonly scenarios: number;
}
