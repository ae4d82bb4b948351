/** What is shown in a text besides its letters: colours, hints, lenses, folds and lines that scenarios reach. */
import { LanguageSupport, StreamLanguage, HighlightStyle, foldService, syntaxHighlighting } from "@codemirror/language";
import { yamlLanguage } from "@codemirror/lang-yaml";
import { type EditorState, type Extension, RangeSet, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, GutterMarker, ViewPlugin, type ViewUpdate, WidgetType, gutter } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type * as lsp from "vscode-languageserver-protocol";
import type { Document } from "./documents";
import { setTableWords } from "./grids";
import { type Language, offsetIn } from "./language";
import type { TableWords } from "./tables";

const PAUSE = 150;
/** After so long the server has checked the text, and knows what it did not at the first pause. */
const CHECKED = 700;
const NOT_TEXT = "A hint, not part of the text";

/** Words, names and kinds are coloured by the server of the language; this is what can be seen without it. */
const rulesLanguage = StreamLanguage.define<null>({
  name: "rulewright",
  token(stream) {
    if (stream.match(/#.*/)) return "comment";
    if (stream.match(/"[^"]*"?/)) return "string";
    if (stream.match(/@[\w.:-]+/)) return "meta";
    if (stream.match(/\d+([dD]\d+)?\b/)) return "number";
    if (!stream.match(/[A-Za-z_]\w*/)) stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "#" } },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--ink-2)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--k-str)" },
  { tag: tags.number, color: "var(--k-num)" },
  { tag: tags.meta, color: "var(--k-mark)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--k-name)" },
  { tag: [tags.keyword, tags.bool, tags.null], color: "var(--k-word)" },
]);

/** The colours of a text, by the sort of its file. */
export function written(path: string): Extension {
  return [new LanguageSupport(path.endsWith(".rules") ? rulesLanguage : yamlLanguage), syntaxHighlighting(colours)];
}

class Aside extends WidgetType {
  constructor(
    readonly says: string,
    readonly about: string,
  ) {
    super();
  }

  override eq(other: Aside): boolean {
    return other.says === this.says && other.about === this.about;
  }

  override toDOM(): HTMLElement {
    const made = document.createElement("span");
    made.className = "cm-aside";
    made.textContent = this.says;
    made.title = [this.about, NOT_TEXT].filter(Boolean).join(". ");
    return made;
  }
}

class LensLine extends WidgetType {
  constructor(
    readonly lenses: readonly lsp.CodeLens[],
    readonly indent: number,
    readonly run: (command: lsp.Command) => void,
  ) {
    super();
  }

  override eq(other: LensLine): boolean {
    return JSON.stringify(other.lenses) === JSON.stringify(this.lenses) && other.indent === this.indent;
  }

  override get estimatedHeight(): number {
    return 20;
  }

  override ignoreEvent(): boolean {
    return true;
  }

  override toDOM(): HTMLElement {
    const made = document.createElement("div");
    made.className = "cm-lenses";
    made.style.paddingInlineStart = `${this.indent}ch`;
    for (const { command } of this.lenses) {
      if (!command) continue;
      const says = document.createElement(command.command ? "button" : "span");
      says.textContent = command.title;
      if (says instanceof HTMLButtonElement) {
        says.type = "button";
        says.addEventListener("click", () => this.run(command));
      }
      made.append(says);
    }
    return made;
  }
}

type Sort = "colours" | "hints" | "lenses";
const setTold = StateEffect.define<{ readonly sort: Sort; readonly set: DecorationSet }>();

function told(sort: Sort): StateField<DecorationSet> {
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(value, transaction) {
      let made = value.map(transaction.changes);
      for (const each of transaction.effects) if (each.is(setTold) && each.value.sort === sort) made = each.value.set;
      return made;
    },
    provide: (field) => EditorView.decorations.from(field),
  });
}

const shown: readonly Extension[] = (["colours", "hints", "lenses"] as const).map(told);

const setFolds = StateEffect.define<readonly lsp.FoldingRange[]>();
const folds = StateField.define<RangeSet<Fold>>({
  create: () => RangeSet.empty,
  update(value, transaction) {
    let made = value.map(transaction.changes);
    for (const each of transaction.effects) {
      if (!each.is(setFolds)) continue;
      const { doc } = transaction.state;
      const found = each.value.filter(({ startLine, endLine }) => startLine < endLine && endLine < doc.lines);
      made = RangeSet.of(
        found.map((one) => new Fold().range(doc.line(one.startLine + 1).to, doc.line(one.endLine + 1).to)),
        true,
      );
    }
    return made;
  },
});

class Fold extends GutterMarker {
  override eq(): boolean {
    return true;
  }
}

const folding = foldService.of((state: EditorState, start: number, end: number) => {
  let found: { from: number; to: number } | null = null;
  state.field(folds).between(start, end, (from, to) => {
    if (from >= start && from <= end && to > end && (!found || to > found.to)) found = { from: end, to };
  });
  return found;
});

/** What a line of the margin says: whether scenarios reach something of it. */
export interface Reached {
  readonly line: number;
  readonly sort: string;
  readonly reached: boolean | null;
  readonly said: string;
}

const SIGNS = { "cm-reached": "✓", "cm-half-reached": "◐", "cm-unreached": "○" } as const;

class Cover extends GutterMarker {
  constructor(
    readonly sort: keyof typeof SIGNS,
    readonly said: string,
  ) {
    super();
  }

  override eq(other: Cover): boolean {
    return other.sort === this.sort && other.said === this.said;
  }

  override toDOM(): HTMLElement {
    const made = document.createElement("span");
    made.className = this.sort;
    made.textContent = SIGNS[this.sort];
    made.title = this.said;
    return made;
  }
}

/** What the margin says of a line: of one that scenarios reach in part, how many cells of a table, or what they do not come to. */
function covering(found: readonly Reached[]): Cover {
  const missed = found.filter((one) => !one.reached);
  const said = (some: readonly Reached[]): string => [...new Set(some.map((one) => one.said))].join("; ");
  if (!missed.length) return new Cover("cm-reached", said(found));
  if (missed.length === found.length) return new Cover("cm-unreached", "no scenario reaches this line");
  const cells = found.filter((one) => one.sort === "rows");
  if (cells.length < 2) return new Cover("cm-half-reached", said(missed));
  const rest = said(missed.filter((one) => one.sort !== "rows"));
  return new Cover("cm-half-reached", [`scenarios reach ${cells.filter((one) => one.reached).length} of ${cells.length} cells`, rest].filter(Boolean).join("; "));
}

export const setCover = StateEffect.define<readonly Reached[]>();
const cover = StateField.define<RangeSet<Cover>>({
  create: () => RangeSet.empty,
  update(value, transaction) {
    let made = value.map(transaction.changes);
    for (const each of transaction.effects) {
      if (!each.is(setCover)) continue;
      const { doc } = transaction.state;
      const byLine = new Map<number, Reached[]>();
      for (const one of each.value) {
        if (one.reached !== null && one.line <= doc.lines) byLine.set(one.line, [...(byLine.get(one.line) ?? []), one]);
      }
      const markers = [...byLine].map(([line, found]) => covering(found).range(doc.line(line).from));
      made = RangeSet.of(markers, true);
    }
    return made;
  },
});

/** The extension by which a text shows what the server of the language knows of it. */
export function marks(language: Language, text: Document, run: (command: lsp.Command) => void, heard: (symbols: lsp.DocumentSymbol[]) => void): Extension {
  const asking = ViewPlugin.fromClass(
    class {
      private waits: ReturnType<typeof setTimeout> | null = null;
      private isEnded = false;

      constructor(private readonly view: EditorView) {
        this.soon(0);
      }

      update(update: ViewUpdate): void {
        if (update.docChanged || update.transactions.some((each) => each.effects.some((effect) => effect.is(askAgain)))) this.soon(PAUSE);
      }

      destroy(): void {
        this.isEnded = true;
        if (this.waits !== null) clearTimeout(this.waits);
      }

      private soon(pause: number): void {
        if (this.waits !== null) clearTimeout(this.waits);
        this.waits = setTimeout(() => {
          this.waits = null;
          void this.ask().catch(() => undefined); // the next key asks again
          if (pause === PAUSE) this.soon(CHECKED);
        }, pause);
      }

      private async ask(): Promise<void> {
        const { doc } = this.view.state;
        const range = { start: { line: 0, character: 0 }, end: { line: doc.lines, character: 0 } };
        const take = <T>(asked: Promise<T | null>, shows: (found: T) => void): Promise<void> =>
          asked.then((found) => {
            if (found !== null && !this.isEnded && this.view.state.doc === doc) shows(found);
          });
        const put = (sort: Sort, set: DecorationSet): void => this.view.dispatch({ effects: setTold.of({ sort, set }) });
        await Promise.all([
          take(language.ask<lsp.SemanticTokens>("textDocument/semanticTokens/full", text), ({ data }) => put("colours", coloured(doc, language, data))),
          take(language.ask<lsp.DocumentSymbol[]>("textDocument/documentSymbol", text), heard),
          text.path.endsWith(".rules") ? take(language.ask<TableWords[]>("rulewright/tableWords", text), (found) => this.view.dispatch({ effects: setTableWords.of(found) })) : null,
          take(language.ask<lsp.FoldingRange[]>("textDocument/foldingRange", text), (found) => this.view.dispatch({ effects: setFolds.of(found) })),
          take(language.ask<lsp.InlayHint[]>("textDocument/inlayHint", text, { range }), (found) => put("hints", hinted(doc, found))),
          take(language.ask<lsp.CodeLens[]>("textDocument/codeLens", text), (found) => put("lenses", lensed(doc, found, run))),
        ]);
      }
    },
  );
  const margin = gutter({ class: "cm-cover", markers: (view) => view.state.field(cover) });
  return [shown, folds, folding, cover, margin, asking];
}

/** Asks the server again what it knows, for something else than this text was changed. */
export const askAgain = StateEffect.define<null>();

function hinted(doc: Text, hints: readonly lsp.InlayHint[]): DecorationSet {
  const ranges = hints.map((each) => {
    const says = typeof each.label === "string" ? each.label : each.label.map((part) => part.value).join("");
    const about = typeof each.tooltip === "string" ? each.tooltip : "";
    return Decoration.widget({ widget: new Aside(says, about), side: 1 }).range(offsetIn(doc, each.position));
  });
  return Decoration.set(ranges, true);
}

function lensed(doc: Text, lenses: readonly lsp.CodeLens[], run: (command: lsp.Command) => void): DecorationSet {
  const byLine = new Map<number, lsp.CodeLens[]>();
  for (const each of lenses) {
    const line = each.range.start.line;
    if (line < doc.lines) byLine.set(line, [...(byLine.get(line) ?? []), each]);
  }
  const ranges = [...byLine].map(([line, found]) => {
    const { from, text } = doc.line(line + 1);
    const indent = text.length - text.trimStart().length;
    return Decoration.widget({ widget: new LensLine(found, indent, run), block: true, side: -1 }).range(from);
  });
  return Decoration.set(ranges, true);
}

function coloured(doc: Text, language: Language, data: readonly number[]): DecorationSet {
  const types = language.client.serverCapabilities?.semanticTokensProvider?.legend.tokenTypes ?? [];
  const ranges = [];
  let line = 0;
  let character = 0;
  for (let at = 0; at + 4 < data.length; at += 5) {
    const [down = 0, along = 0, length = 0, type = 0, modifiers = 0] = data.slice(at, at + 5);
    character = down ? along : character + along;
    line += down;
    if (line >= doc.lines || length <= 0) continue;
    const start = doc.line(line + 1);
    const from = start.from + character;
    const to = Math.min(from + length, start.to);
    const sort = `cm-is-${types[type] ?? "variable"}${modifiers & 1 ? " cm-is-declared" : ""}`;
    if (from < to) ranges.push(Decoration.mark({ class: sort }).range(from, to));
  }
  return Decoration.set(ranges, true);
}

/** Lights lines of a text, where another part of the pane is about them. */
export const setLit = StateEffect.define<{ readonly line: number; readonly end: number } | null>();
const litLine = Decoration.line({ class: "cm-lit" });
export const lit = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    let made = value.map(transaction.changes);
    for (const each of transaction.effects) {
      if (!each.is(setLit)) continue;
      const builder = new RangeSetBuilder<Decoration>();
      const { doc } = transaction.state;
      if (each.value) {
        for (let line = each.value.line; line <= Math.min(each.value.end, doc.lines); line++) {
          const { from } = doc.line(line);
          builder.add(from, from, litLine);
        }
      }
      made = builder.finish();
    }
    return made;
  },
  provide: (field) => EditorView.decorations.from(field),
});
