/** What is done with a text besides typing: remedies, names, places, words. Nothing is changed unseen, and nothing saved. */
import { LSPPlugin } from "@codemirror/lsp-client";
import type * as lsp from "vscode-languageserver-protocol";
import type { Desk, Place } from "../desk";
import { ask, button, coded, el, page } from "../elements";
import { shownEdits } from "./conflict";
import type { Document, Documents } from "./documents";
import { type Editor, words } from "./editor";
import type { Edited, Language } from "./language";

const MOST_REMEDIES = 12;

export class Commands {
  constructor(
    private readonly desk: Desk,
    private readonly documents: Documents,
    private readonly language: Language,
    private readonly editor: Editor,
    private readonly show: (place: Place) => Promise<void>,
  ) {}

  private focus(): void {
    this.editor.view.focus();
  }

  /** Makes the edits of a remedy; those that may change what rules mean are shown first. Answers whether they are made. */
  async mend(action: lsp.CodeAction): Promise<boolean> {
    if (!action.edit) return false;
    const edits = await this.language.edited(action.edit);
    if (!action.isPreferred && action.kind !== "source.fixAll" && !(await this.agreed(action.title, edits, "Make this change"))) return false;
    this.language.make(edits);
    this.desk.say(`Changed ${[...new Set(edits.map((each) => each.document.path))].join(", ")}; save to keep it.`);
    this.focus();
    return true;
  }

  private async agreed(title: string, edits: readonly Edited[], says: string): Promise<boolean> {
    return (await ask(title, shownEdits(edits), [["yes", says], ["no", "Cancel"]])) === "yes";
  }

  async remedies(): Promise<void> {
    const text = this.editor.shown;
    if (!text) return;
    const line = this.editor.view.state.doc.line(this.editor.line);
    const { from, to } = this.editor.view.state.selection.main;
    const range = { start: this.language.position(text, Math.min(from, line.from)), end: this.language.position(text, Math.max(to, line.to)) };
    const every = this.language.problems.get(text.path) ?? [];
    const found = every.filter((each) => each.range.start.line <= range.end.line && each.range.end.line >= range.start.line);
    let actions = await this.language.remedies(text, range, found);
    const isHere = actions.some((each) => each.kind !== "source.fixAll");
    if (!isHere && every.length > 0) actions = await this.language.remedies(text, { start: { line: 0, character: 0 }, end: this.language.position(text, text.current.doc.length) }, every);
    if (actions.length === 0) {
      this.desk.say(every.length > 0 ? `No problem of ${text.path} has a remedy that a button could make.` : `There is no problem in ${text.path}.`);
      return;
    }
    const told = isHere ? (found[0] ? words(found[0], text.uri) : "For this line:") : "There is no remedy for the line of the cursor. Elsewhere in the text:";
    const place = (action: lsp.CodeAction): string => {
      const first = action.edit?.changes?.[text.uri]?.[0];
      return isHere || action.kind !== "quickfix" || !first ? "" : `Line ${first.range.start.line + 1}: `;
    };
    const chosen = await ask("Remedies", [el("p", { class: "story" }, ...coded(told))], [
      ...actions.slice(0, MOST_REMEDIES).map((each, at) => [String(at), `${place(each)}${each.title}`] as const),
      ["", "Cancel"],
    ]);
    const action = chosen ? actions[Number(chosen)] : undefined;
    if (action) await this.mend(action);
    this.focus();
  }

  private here(): { text: Document; position: lsp.Position } | null {
    const text = this.editor.shown;
    return text ? { text, position: this.language.position(text, this.editor.view.state.selection.main.head) } : null;
  }

  async explain(): Promise<void> {
    const here = this.here();
    if (!here) return;
    const found = await this.language.ask<lsp.Hover>("textDocument/hover", here.text, { position: here.position });
    const shown = found && LSPPlugin.get(this.editor.view)?.docToHTML(found.contents as lsp.MarkupContent);
    if (shown) await ask("At the cursor", [page(shown)], [["done", "Close"]]);
    else this.desk.say("There is nothing to explain here.");
    this.focus();
  }

  async definition(): Promise<void> {
    const here = this.here();
    const found = here && (await this.language.ask<lsp.Location[]>("textDocument/definition", here.text, { position: here.position }));
    const first = found?.[0];
    const path = first && this.documents.path(first.uri);
    if (first && path) await this.show({ path, line: first.range.start.line + 1, column: first.range.start.character + 1 });
    else this.desk.say("There is no definition to go to here.");
  }

  async references(): Promise<void> {
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

  async rename(): Promise<void> {
    const here = this.here();
    const range = here && (await this.language.ask<lsp.Range>("textDocument/prepareRename", here.text, { position: here.position }));
    if (!here || !range) {
      this.desk.say("There is no name to change here.");
      return;
    }
    const [from, to] = [this.language.offset(here.text, range.start), this.language.offset(here.text, range.end)];
    const old = here.text.current.sliceDoc(from, to);
    const name = el("input", { value: old, label: "New name", autocomplete: "off" });
    if ((await ask(`Rename ${old}`, [el("label", { class: "field" }, el("span", {}, "New name"), name)], [["yes", "Show what changes"], ["no", "Cancel"]])) !== "yes") return;
    if (name.value === old || !name.value) return;
    const made = await this.language
      .ask<lsp.WorkspaceEdit>("textDocument/rename", here.text, { position: range.start, newName: name.value })
      .catch((fault: { message?: string }) => this.desk.say(fault.message ?? "This name is not possible.", true));
    if (!made) return;
    const edits = await this.language.edited(made);
    if (await this.agreed(`Rename ${old} to ${name.value}`, edits, "Rename")) {
      this.language.make(edits);
      this.desk.say(`Renamed in ${edits.length} ${edits.length === 1 ? "file" : "files"}; save to keep it.`);
    }
    this.focus();
  }

  async format(): Promise<void> {
    const text = this.editor.shown;
    const edits = text && (await this.language.ask<lsp.TextEdit[]>("textDocument/formatting", text, { options: { tabSize: 2, insertSpaces: true } }));
    if (text && edits?.length) this.language.make(await this.language.edited({ changes: { [text.uri]: edits } }));
    else this.desk.say("The lines are tidy already.");
  }
}
