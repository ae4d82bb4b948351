/** The pane in which texts are written: files, outline, editor, problems, the chapter and the chart beside them. */
import type * as lsp from "vscode-languageserver-protocol";
import type { Desk, Edit, Key, Open, Outlined, Pane, Place } from "../desk";
import { ask, button, el, fill } from "../elements";
import { Commands } from "../rules/commands";
import { settled } from "../rules/conflict";
import { type Document, Documents, hunks } from "../rules/documents";
import { type Does, Editor, KEYS, extensions } from "../rules/editor";
import { showTexts } from "../rules/grids";
import { Language } from "../rules/language";
import { Live } from "../rules/live";
import { Problems, belongs, lightName, listFiles, listNames } from "../rules/lists";
import { type Reached, askAgain, marks, setCover } from "../rules/marks";
import { Reading, type Sort } from "../rules/reading";
import { Inserts } from "../rules/snippets";

const READ_AGAIN = 500;
const TOLD_TOGETHER = 60;
/** From so many pixels on the outline stands beside the text, and the chapter does. */
const WIDE = 1250;
const NARROW = 860;

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

/** How often, and how soon again, the server of the language is asked that has not started yet. */
const MOST_TRIES = 40;
const TRIES_AGAIN_MS = 250;

class Rules {
  private readonly documents: Documents;
  private readonly language: Language;
  private readonly editor: Editor;
  private readonly reading: Reading;
  private readonly files = el("nav", { class: "files", label: "Files" });
  private readonly outline = el("nav", { class: "outline", label: "Outline" });
  private readonly remedies = button("Show remedies", () => void this.commands.remedies(), { class: "quiet", title: "Ctrl+.", hidden: true });
  private readonly head = el("h2", { class: "path" });
  private readonly bars = el("div", { class: "bars" });
  private readonly problems: Problems;
  private readonly commands: Commands;
  private readonly inserts: Inserts;
  private readonly live: Live;
  private readonly about = el("section", { class: "about", label: "Beside the text" });
  private readonly aboutHead = el("header", { class: "row about-head" });
  private readonly aboutBody = el("div", { class: "about-body", tabindex: "0", role: "region", label: "Chapter or chart" });
  private readonly saves = button("Save", () => void this.save(), { primary: true, title: "Ctrl+S" });
  private readonly group = el("div", { class: "seg", role: "group", label: "Beside the text" });
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
        if (is && host.classList.contains("offline")) desk.say("");
        host.classList.toggle("offline", !is);
        if (!is) desk.say("The workbench does not answer. What you type stays in this page until it does.");
      },
    );
    const text = el("div", { class: "text" });
    this.editor = new Editor(text, this.language);
    this.commands = new Commands(desk, this.documents, this.language, this.editor, (place) => this.show(place));
    this.problems = new Problems(this.documents, this.language, (place) => void this.show(place), (action) => void this.commands.mend(action));
    this.reading = new Reading(this.aboutBody, desk, () => this.typed(), (place) => void this.show(place));
    this.inserts = new Inserts(this.language, this.editor);
    this.live = new Live(desk, () => this.typed());
    this.laid(text);
    this.ends.push(
      desk.on("files", () => this.listed()),
      desk.on("changed", (changed) => {
        this.language.changed(changed.map((each) => each.path));
        this.reread();
      }),
      desk.on("ruleset", (path) => {
        if (path !== null && belongs(desk, this.editor.shown?.path) !== path) void this.open(path);
        else this.wanted += 1; // a text of another ruleset that is still on its way is wanted no more
        void this.reading.refresh();
      }),
    );
    desk.save = () => this.save();
    desk.mend = (edits) => this.mend(edits);
    desk.outline = () => this.outlines();
    desk.type = async (path, edit) => {
      const text = await this.documents.get(path);
      const made = edit(text.text);
      if (made === null) return false;
      text.become(made);
      this.documents.typed(text);
      return true;
    };
    for (const each of desk.files) if (each.draft) void this.documents.get(each.path).then((text) => this.heard(text));
    this.listed();
    if (desk.ruleset !== null) void this.open(desk.ruleset);
    this.beside(innerWidth > NARROW ? "chapter" : "none");
  }

  private laid(text: HTMLElement): void {
    const tools = el(
      "div",
      { class: "row tools" },
      button("Back to the saved text", () => void this.undoAll(), { class: "quiet", title: "Drops all changes since the last save" }),
      this.remedies,
      button("Tidy the lines", () => void this.commands.format(), { class: "quiet", title: "Shift+Alt+F" }),
      button("What scenarios reach", () => void this.cover(), { "aria-pressed": "false", class: "covers quiet", title: "Marks the lines that scenarios reach" }),
      this.saves,
    );
    for (const [sort, says] of [["chapter", "Chapter"], ["chart", "Chart"], ["none", "Text only"]] as const) {
      this.switches.set(sort, button(says, () => this.turn(sort), { "aria-pressed": "false" }));
    }
    fill(this.group, ...this.switches.values());
    this.about.append(this.aboutHead, this.aboutBody, this.live.host);
    fill(
      this.host,
      el("div", { class: "side" }, el("details", { open: innerWidth > WIDE }, el("summary", {}, "Outline"), this.outline), el("details", { open: innerWidth > WIDE }, el("summary", {}, "Files"), this.files, button("New file…", () => void this.create()))),
      el("div", { class: "middle" }, el("div", { class: "edbar" }, this.head, tools), this.bars, text, this.problems.host, this.inserts.host),
      this.about,
    );
  }

  keys(): Key[] {
    const named = (key: string): string => key.replace("Mod", "Ctrl").replaceAll("-", "+");
    return [
      { keys: "Ctrl+s", says: "Save all changed texts", run: () => void this.save() },
      ...KEYS.filter(([key]) => key !== "Mod-s").map(([key, says]) => ({ keys: named(key), says })),
      { keys: "F8", says: "Next problem; with Shift the previous one" },
      { keys: "Ctrl+Space", says: "Suggest what can go here" },
      { keys: "Ctrl+f", says: "Search in the text, and replace" },
      { keys: "Escape, then Tab", says: "Leave the text (Tab alone indents its lines)" },
      { keys: "Alt+t", says: "Go to the text", run: () => this.editor.view.focus() },
      { keys: "Alt+c", says: "Chapter beside the text", run: () => this.turn("chapter") },
      { keys: "Alt+h", says: "Chart beside the text", run: () => this.turn("chart") },
    ];
  }

  private extensions(text: Document) {
    const does: Does = {
      save: () => void this.save(),
      remedies: () => void this.commands.remedies(),
      explain: () => void this.commands.explain(),
      rename: () => void this.commands.rename(),
      definition: () => void this.commands.definition(),
      references: () => void this.commands.references(),
      format: () => void this.commands.format(),
    };
    const run = (command: lsp.Command): void => {
      const [, address] = command.arguments ?? [];
      this.desk.go("play", { path: text.path, address: String(address ?? "") });
    };
    const more = marks(this.language, text, run, (symbols) => {
      if (this.editor.shown !== text) return;
      this.symbols = symbols;
      this.outlined();
      void this.inserts.refresh(text);
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
    if (text.path.endsWith(".rules")) this.live.near(this.procedureAt(this.editor.line));
    else this.live.at(text.path, this.namesAt(this.editor.line).join(" / "), text.current.doc.line(this.editor.line).text);
    lightName(this.outline, this.editor.line);
  }

  private reread(): void {
    this.reading.older();
    this.live.older();
    if (this.rereads !== null) clearTimeout(this.rereads);
    this.rereads = setTimeout(() => {
      void this.live.refresh();
      void this.reading.refresh();
    }, READ_AGAIN);
  }

  /** The declaration that holds a line. */
  private procedureAt(line: number): string {
    return this.symbols.find((each) => each.range.start.line < line && line <= each.range.end.line + 1)?.name ?? "";
  }

  /** The scenario that holds a line, and the one inside of it: each goes on to the next. */
  private namesAt(line: number, symbols = this.symbols): string[] {
    const found = symbols.findLast((each) => each.range.start.line < line);
    return found ? [found.name, ...this.namesAt(line, found.children ?? [])] : [];
  }

  private typed(): Record<string, string> {
    const changed = [...this.documents.open.values()].filter((each) => each.isChanged);
    return Object.fromEntries(changed.map((each) => [each.path, each.text]));
  }

  async open(path: string): Promise<void> {
    const wanted = ++this.wanted;
    const text = await this.documents.get(path);
    if (wanted !== this.wanted) return;
    if (this.editor.shown === text) return;
    this.language.know(text);
    this.symbols = [];
    this.editor.show(text);
    const ruleset = belongs(this.desk, path);
    if (ruleset !== null && ruleset !== this.desk.ruleset) this.desk.choose(ruleset);
    this.heard(text);
    this.listed();
    this.outlined();
    this.reading.follow(path, this.editor.line);
    if (!this.host.hidden) history.replaceState(null, "", `#rules/${encodeURIComponent(path)}`);
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

  /** The texts of the ruleset as they are typed, with what they declare, by address. */
  private async outlines(): Promise<Outlined[]> {
    const { desk } = this;
    const paths = desk.files.filter((each) => each.sort === "rules" && (each.ruleset ?? each.path) === desk.ruleset).map((each) => each.path);
    const made: Outlined[] = [];
    for (const path of paths) {
      const text = await this.documents.get(path);
      this.language.know(text);
      let symbols = await this.language.ask<lsp.DocumentSymbol[]>("textDocument/documentSymbol", text);
      for (let tries = 0; symbols === null && tries < MOST_TRIES; tries += 1) {
        await new Promise((done) => setTimeout(done, TRIES_AGAIN_MS)); // the server of the language is still starting
        symbols = await this.language.ask<lsp.DocumentSymbol[]>("textDocument/documentSymbol", text);
      }
      const listed = (inside: readonly lsp.DocumentSymbol[], above: string): Outlined["rules"] => inside.flatMap((each) => {
        const address = `${above}${each.name}`;
        return [{ address, title: each.detail ?? "", line: each.selectionRange.start.line + 1 }, ...listed(each.children ?? [], `${address}/`)];
      });
      made.push({ path, text: text.text, rules: listed(symbols ?? [], "") });
    }
    return made;
  }

  /** Where an address is given: names of the outline, one inside the other, in any text of the ruleset. */
  private async addressed(path: string, address: string): Promise<{ path: string; line: number } | null> {
    const ruleset = belongs(this.desk, path);
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
    this.live.close();
    this.editor.put();
    this.language.close();
    this.editor.view.destroy();
    fill(this.host);
  }

  /** A text is another, or stands otherwise than before. */
  private heard(text: Document): void {
    this.listed();
    const unsaved = Object.keys(this.typed());
    this.saves.disabled = unsaved.length === 0;
    if (unsaved.join("\n") !== this.desk.unsaved.join("\n")) {
      this.desk.unsaved = unsaved;
      this.desk.tell("unsaved", unsaved);
    }
    if (this.editor.shown !== text) return;
    const edits = text.isChanged ? hunks(text.saved.split(/\r?\n/), text.text.split(/\r?\n/)).length : 0;
    this.head.title = text.path;
    fill(this.head, text.path.split("/").at(-1), edits ? el("span", { class: "edits-count" }, ` ● ${edits} ${edits === 1 ? "edit" : "edits"}`) : null);
    const bars: HTMLElement[] = [];
    if (text.isElsewhere) {
      bars.push(el("div", { class: "row bar-note" }, "Another tab is changing this text. You can type here once it is saved there.", button("Type here anyway", () => this.documents.elsewhere(text, false))));
    }
    if (text.disk) {
      const says = text.disk.text === null ? "The file is gone from the disk." : "The file on the disk changed in lines that you changed here too.";
      bars.push(el("div", { class: "row bar-note" }, says, button("Compare and decide…", () => void this.decide(text))));
    }
    fill(this.bars, ...bars);
  }

  private listed(): void {
    if (this.editor) listFiles(this.files, this.desk, this.documents, this.language, this.editor.shown?.path, (path) => void this.open(path));
  }

  private outlined(): void {
    const { shown } = this.editor;
    const isRules = shown?.path.endsWith(".rules") ?? false;
    const lines = (line: number): string => { const doc = shown?.current.doc; return doc && line <= doc.lines ? doc.line(line).text : ""; };
    listNames(this.outline, this.symbols, isRules ? lines : null, (line, column) => this.editor.go(line, column));
    lightName(this.outline, this.editor.line);
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
        this.remedies.hidden = !this.language.problems.get(this.editor.shown?.path ?? "")?.length;
        this.problems.draw((each) => each === this.editor.shown?.path || (this.desk.ruleset !== null && belongs(this.desk, each) === this.desk.ruleset));
      }, TOLD_TOGETHER);
    }
  }

  /** Saves all changed texts; answers whether none is left. */
  async save(): Promise<boolean> {
    const changed = [...this.documents.open.values()].filter((each) => each.isChanged).map((each) => each.path);
    const left = await this.documents.save();
    const [first] = left;
    if (first !== undefined) {
      const text = this.documents.open.get(first);
      if (text?.disk) {
        if (this.host.hidden) this.desk.go("rules");
        await this.open(first);
        await this.decide(text);
      } else if (text) this.desk.say(`${first}: the file on the disk changed too. Look at it and save again.`);
    } else this.desk.say(changed.length === 0 ? "Everything is saved already." : `Saved: ${changed.join(", ")}`);
    if (this.isCovered) void this.covered();
    return this.desk.unsaved.length === 0;
  }

  /** Edits of saved files as the server of the language has them. */
  private async edited(edits: readonly Edit[]): Promise<Record<string, lsp.TextEdit[]>> {
    const changes: Record<string, lsp.TextEdit[]> = {};
    for (const { place, replacement } of edits) {
      const { doc } = (await this.documents.get(place.file)).current;
      const at = (line: number, column: number): lsp.Position => ({ line: line - 1, character: [...doc.line(line).text].slice(0, column - 1).join("").length });
      (changes[this.documents.uri(place.file)] ??= []).push({ range: { start: at(place.line, place.column), end: at(place.end_line, place.end_column) }, newText: replacement });
    }
    return changes;
  }

  /** Makes edits of saved files, and saves them. */
  private async mend(edits: readonly Edit[]): Promise<void> {
    const changes = await this.edited(edits);
    const paths = [...new Set(edits.map((each) => each.place.file))];
    const made = await this.commands.mend({ title: `Change ${paths.join(", ")}`, edit: { changes }, isPreferred: edits.every((each) => each.safe) });
    if (made && (await this.documents.save(paths)).length === 0) this.desk.say(`Changed and saved: ${paths.join(", ")}`);
  }

  private async decide(text: Document): Promise<void> {
    const made = await settled(text);
    if (made !== null) this.documents.settle(text, made);
    this.editor.view.focus();
  }

  private async undoAll(): Promise<void> {
    const text = this.editor.shown;
    if (!text?.isChanged) return;
    if ((await ask(`Go back to the saved text of ${text.path}?`, [], [["yes", "Drop my changes"], ["no", "Keep my changes"]])) === "yes") this.documents.drop(text);
  }

  private async create(): Promise<void> {
    const name = el("input", { label: "Name of the file", autocomplete: "off", placeholder: "skirmish.rules" });
    if ((await ask("New file", [el("label", { class: "field" }, el("span", {}, "Name"), name)], [["yes", "Make the file"], ["no", "Cancel"]])) !== "yes" || !name.value) return;
    await this.desk.write(name.value, "", null);
    await this.open(name.value);
    this.editor.view.focus();
  }

  /** Shows another part beside the text, or below it where the page is narrow. */
  private turn(sort: Sort | "none"): void {
    this.beside(sort);
    if (sort !== "none") this.about.scrollIntoView({ block: "start" });
  }

  private beside(sort: Sort | "none"): void {
    for (const [each, says] of this.switches) says.setAttribute("aria-pressed", String(each === sort));
    this.host.classList.toggle("alone", sort === "none");
    const held = this.group.contains(document.activeElement) ? document.activeElement : null;
    if (sort === "none") this.host.querySelector(".edbar")?.append(this.group);
    else fill(this.aboutHead, this.reading.exports, this.group);
    if (held instanceof HTMLElement) held.focus();
    this.reading.show(sort === "none" ? null : sort);
    this.live.show(sort !== "none");
  }

  private async cover(): Promise<void> {
    this.isCovered = !this.isCovered;
    this.host.querySelector(".covers")?.setAttribute("aria-pressed", String(this.isCovered));
    if (this.isCovered) await this.covered();
    else this.editor.view.dispatch({ effects: setCover.of([]) });
    if (this.isCovered) showTexts(this.editor.view);
  }

  private async covered(): Promise<void> {
    const text = this.editor.shown;
    if (!text || this.desk.ruleset === null) return;
    this.desk.say("Playing the scenarios…");
    const found = await this.desk.ask<Covered>("rules/cover", { path: this.desk.ruleset, texts: this.typed() });
    if (this.editor.shown !== text) return;
    const lines = found.lines.filter((each) => each.path === text.path);
    this.editor.view.dispatch({ effects: setCover.of(lines) });
    const missed = lines.filter((each) => each.reached === false).length;
    const few = `they do not reach ${missed} of ${lines.length} places in this text`;
    this.desk.say(found.scenarios === 0 ? "There is no scenario yet." : missed === 0 ? "The scenarios reach all of this text." : `Scenarios: ${found.scenarios}; ${few}.`);
  }
}

interface Covered {
  readonly lines: readonly (Reached & { readonly path: string })[];
  readonly scenarios: number;
}
