/** The row of buttons that insert declarations to fill in, written by the server with the names of the ruleset. */
import { snippet } from "@codemirror/autocomplete";
import type { Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { button, el, fill } from "../elements";
import type { Document } from "./documents";
import type { Editor } from "./editor";
import type { Language } from "./language";

interface Snippet {
  /** What it inserts, as in `a table`. */
  readonly name: string;
  readonly title: string;
  /** Lines with fields such as `${1:name}`, which Tab goes through. */
  readonly body: string;
}

export class Inserts {
  readonly host = el("div", { class: "inserts", role: "group", label: "Insert" });
  private known = "";

  constructor(
    private readonly language: Language,
    private readonly editor: Editor,
  ) {}

  /** Asks what can be inserted into a text. */
  async refresh(text: Document): Promise<void> {
    const found = text.path.endsWith(".rules") ? ((await this.language.ask<Snippet[]>("rulewright/snippets", text)) ?? []) : [];
    if (this.editor.shown !== text) return;
    this.host.hidden = found.length === 0;
    const known = JSON.stringify([text.path, found]);
    if (known === this.known) return;
    this.known = known;
    fill(this.host, el("span", {}, "Insert"), ...found.map((each) => button(each.name, () => this.insert(each), { title: each.title, label: `Insert ${each.name}` })));
  }

  /** Puts it behind the declaration of the cursor, with its first field chosen. */
  private insert(chosen: Snippet): void {
    const { view } = this.editor;
    const { doc } = view.state;
    if (view.state.readOnly) return;
    const at = behind(doc, this.editor.line);
    const before = at > 0 ? doc.lineAt(at - 1).text : "";
    const opens = at > 0 && at === doc.length && doc.lineAt(at).length > 0 ? "\n" : "";
    const gap = before.trim() || opens ? "\n" : "";
    snippet(`${opens}${gap}${chosen.body.trimEnd()}\n${at < doc.length ? "\n" : ""}`)(view, null, at, at);
    view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head, { y: "center" }) });
    view.focus();
  }
}

/** Where the next declaration begins below a line, with the remarks above it; the end where there is none. */
function behind(doc: Text, line: number): number {
  for (let at = line + 1; at <= doc.lines; at++) {
    const { text, from } = doc.line(at);
    if (/^\S/.test(text)) return from;
  }
  return doc.length;
}
