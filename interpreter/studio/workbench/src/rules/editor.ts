/** The editor of one pane: one view, in which one of the open texts is shown. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentService, indentUnit } from "@codemirror/language";
import { lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, RangeSetBuilder } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  Decoration,
  ViewPlugin,
  type ViewUpdate,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type * as lsp from "vscode-languageserver-protocol";
import { coded, el } from "../elements";
import type { Document } from "./documents";
import type { Language } from "./language";
import { offsetIn } from "./language";
import { gridded, setProblems } from "./grids";
import { lit, written } from "./marks";

/** What the keys of a text do besides typing; the pane carries it out. */
export interface Does {
  readonly save: () => void;
  readonly remedies: () => void;
  readonly explain: () => void;
  readonly rename: () => void;
  readonly definition: () => void;
  readonly references: () => void;
  readonly format: () => void;
}

/** So many letters deeper than its beginning a line goes on that is broken. */
const HANGS = 4;

/** The keys of a text, for the page of keys. */
export const KEYS: readonly (readonly [key: string, says: string, does: keyof Does])[] = [
  ["Mod-s", "Save all changed texts", "save"],
  ["Mod-.", "Show remedies for the problem at the cursor", "remedies"],
  ["Mod-i", "Explain what is at the cursor", "explain"],
  ["F2", "Rename everywhere", "rename"],
  ["F12", "Go to the definition", "definition"],
  ["Shift-F12", "Show all uses", "references"],
  ["Shift-Alt-f", "Tidy the lines", "format"],
];

const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--paper)", color: "var(--ink)", fontSize: "13.5px" },
  "&.cm-focused": { outline: "0.15rem solid var(--accent)", outlineOffset: "-0.15rem" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", minWidth: "0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--ink-2)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 15%, transparent)", color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)",
  },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--warn) 25%, transparent)" },
  ".cm-lit": { backgroundColor: "var(--warn-soft)" },
  ".cm-aside": { color: "var(--ink-2)", font: "italic 0.78em var(--sans)", backgroundColor: "var(--sunken)", borderRadius: "0.3em", marginInline: "0.4em", paddingInline: "0.35em", whiteSpace: "nowrap", cursor: "help" },
  ".cm-lenses": { color: "var(--ink-2)", font: "0.82rem var(--sans)", display: "flex", gap: "1rem" },
  ".cm-lenses button": {
    font: "inherit",
    color: "var(--accent)",
    background: "none",
    border: "none",
    padding: "0",
    textDecoration: "underline",
    cursor: "pointer",
  },
  ".cm-cover .cm-gutterElement": { width: "1.1rem", textAlign: "center" },
  ".cm-gutter-lint": { width: "1rem" },
  ".cm-reached": { color: "var(--good)" },
  ".cm-half-reached": { color: "var(--warn)" },
  ".cm-unreached": { color: "var(--warn)" },
  ".cm-is-keyword": { color: "var(--k-word)" },
  ".cm-is-comment": { color: "var(--ink-2)", fontStyle: "italic" },
  ".cm-is-string": { color: "var(--k-str)" },
  ".cm-is-number": { color: "var(--k-num)" },
  ".cm-is-decorator": { color: "var(--k-mark)" },
  ".cm-is-class, .cm-is-struct, .cm-is-enum, .cm-is-namespace": { color: "var(--k-type)" },
  ".cm-is-function, .cm-is-event, .cm-is-label": { color: "var(--k-name)" },
  ".cm-is-declared": { fontWeight: "600" },
  ".cm-tooltip": { backgroundColor: "var(--sunken)", color: "var(--ink)", border: "1px solid var(--ink-2)", maxWidth: "36rem" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionDetail": { color: "var(--ink-2)" },
  ".cm-completionInfo": { backgroundColor: "var(--sunken)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", whiteSpace: "pre-wrap", padding: "0.3rem 0.6rem" },
  ".cm-diagnosticAction": { backgroundColor: "var(--accent)", color: "var(--on-accent)", font: "0.9em var(--sans)" },
  ".cm-lsp-documentation": { fontFamily: "var(--sans)", padding: "0.3rem 0.6rem", overflowWrap: "anywhere" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-textfield": { backgroundColor: "var(--paper)", color: "var(--ink)" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--paper)", color: "var(--ink)", borderColor: "var(--ink-2)" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-soft)" },
  ".cm-grid-place": { padding: "4px 14px 8px", whiteSpace: "normal", textIndent: "0" },
  ".cm-grid": { border: "2px solid var(--accent)", borderRadius: "10px", overflow: "hidden", background: "var(--surface)", font: "13px/1.3 var(--sans)", maxWidth: "46rem" },
  ".cm-grid header": { display: "flex", flexWrap: "wrap", gap: "4px 10px", alignItems: "center", padding: "5px 6px 5px 12px", background: "var(--accent-soft)" },
  ".cm-grid header strong": { font: "600 14px/1.2 var(--sans)" },
  ".cm-grid header > span:not(.seg)": { color: "var(--ink-2)", marginInlineEnd: "auto" },
  ".cm-grid .seg": { display: "inline-flex", padding: "2px", borderRadius: "8px", background: "var(--sunken)", border: "1px solid var(--line)" },
  ".cm-grid .seg button": { minHeight: "28px", padding: "0 11px", border: "0", borderRadius: "6px", background: "transparent", color: "var(--ink-2)", font: "500 13px/1 var(--sans)", cursor: "pointer" },
  ".cm-grid .seg [aria-pressed=true]": { background: "var(--surface)", color: "var(--ink)", fontWeight: "600", boxShadow: "var(--shadow-1)" },
  ".cm-grid .wide": { overflowX: "auto" },
  ".cm-grid table": { borderCollapse: "collapse", width: "100%", tableLayout: "fixed" },
  ".cm-grid col.head": { width: "5.6rem" },
  ".cm-grid .many": { minWidth: "64rem" },
  ".cm-grid col.add": { width: "34px" },
  ".cm-grid th, .cm-grid td": { padding: "0", border: "1px solid var(--line)", textAlign: "start", fontWeight: "600", color: "var(--ink-2)", position: "relative" },
  ".cm-grid thead th:not(:has(input, select, button))": { padding: "6px 9px" },
  ".cm-grid select, .cm-grid input": { width: "100%", minHeight: "34px", padding: "0 6px", border: "0", borderRadius: "0", background: "transparent", color: "var(--ink)", font: "500 12.5px/1.2 var(--sans)", cursor: "pointer", boxSizing: "border-box" },
  ".cm-grid .word": { position: "relative", display: "grid", alignItems: "center", minHeight: "34px", height: "100%", padding: "3px 7px", font: "500 12.5px/1.2 var(--sans)", overflowWrap: "anywhere", boxSizing: "border-box" },
  ".cm-grid th .word": { fontWeight: "600" },
  ".cm-grid .word > select": { position: "absolute", inset: "0", height: "100%", opacity: "0" },
  ".cm-grid .word:focus-within": { outline: "3px solid var(--accent)", outlineOffset: "-3px", zIndex: "1" },
  ".cm-grid td": { height: "34px" },
  ".cm-grid th select, .cm-grid th input": { fontWeight: "600", color: "var(--ink-2)" },
  ".cm-grid .wrong::after": { content: '""', position: "absolute", inset: "0", boxShadow: "inset 0 0 0 2px var(--bad)", pointerEvents: "none" },
  ".cm-grid .wrong.warning::after": { boxShadow: "inset 0 0 0 2px var(--warn)" },
  ".cm-grid .wrong.hint::after": { boxShadow: "inset 0 0 0 2px var(--accent-line)" },
  ".cm-grid .wrong::before": { content: '"!"', position: "absolute", insetBlockStart: "1px", insetInlineEnd: "1px", width: "14px", height: "14px", borderRadius: "0 0 0 6px", background: "var(--bad)", color: "var(--surface)", font: "700 11px/14px var(--sans)", textAlign: "center", pointerEvents: "none", zIndex: "1" },
  ".cm-grid .wrong.warning::before": { background: "var(--warn)" },
  ".cm-grid .wrong.hint::before": { content: "none" },
  ".cm-grid .cell-problem": { margin: "0", padding: "6px 12px", borderTop: "1px solid var(--line)", background: "var(--bad-soft)", color: "var(--ink)", font: "13px/1.4 var(--sans)", whiteSpace: "pre-wrap" },
  ".cm-grid .cell-problem.warning": { background: "var(--warn-soft)" },
  ".cm-grid .cell-problem.hint": { background: "var(--sunken)" },
  ".cm-grid option": { background: "var(--surface)", color: "var(--ink)" },
  ".cm-grid :is(select, input, button):focus-visible": { outline: "3px solid var(--accent)", outlineOffset: "-3px", position: "relative", zIndex: "1" },
  ".cm-grid :is(td, th).add": { border: "0", background: "var(--surface)" },
  ".cm-grid .more": { minWidth: "28px", minHeight: "30px", padding: "0 8px", border: "0", background: "transparent", color: "var(--ink-2)", font: "500 13px/1 var(--sans)", cursor: "pointer", whiteSpace: "nowrap" },
  ".cm-grid thead th > .more": { position: "absolute", insetBlock: "0", insetInlineEnd: "0", minWidth: "22px", opacity: "0" },
  ".cm-grid th:hover > .more, .cm-grid tr:hover > .add > .more, .cm-grid .more:focus-visible": { opacity: "1" },
  ".cm-grid tbody tr:not(:last-child) > .add > .more": { opacity: "0" },
  ".cm-grid tbody tr:not(:last-child):hover > .add > .more, .cm-grid tbody tr > .add > .more:focus-visible": { opacity: "1" },
  ".cm-grid .more:hover": { color: "var(--accent)" },
  "@media (max-width: 32rem)": { ".cm-lenses button, .cm-diagnosticAction, .cm-button, .cm-textfield": { minHeight: "2.75rem" } },
  ".cm-foldPlaceholder": { backgroundColor: "var(--sunken)", color: "var(--ink)", borderColor: "var(--ink-2)" },
});

/** A line that is broken goes on a little deeper than it begins. */
const hanging = ViewPlugin.fromClass(
  class {
    decorations = Decoration.none;
    constructor(view: EditorView) {
      this.lay(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.lay(update.view);
    }
    private lay(view: EditorView): void {
      const made = new RangeSetBuilder<Decoration>();
      for (const { from, to } of view.visibleRanges) {
        for (let at = from; at <= to; ) {
          const line = view.state.doc.lineAt(at);
          const deep = line.text.search(/\S|$/) + HANGS;
          made.add(line.from, line.from, Decoration.line({ attributes: { style: `text-indent: -${deep}ch; padding-inline-start: calc(6px + ${deep}ch)` } }));
          at = line.to + 1;
        }
      }
      this.decorations = made.finish();
    }
  },
  { decorations: (each) => each.decorations },
);

/** A new line after one that ends in `:` begins two letters deeper; any other begins as its line does. */
const deeper = indentService.of((context, at) => {
  const { text } = context.lineAt(at, -1);
  const isBroken = context.lineAt(at, 1).from === at && context.state.doc.lineAt(at).from !== at;
  const [begins = ""] = /^\s*(- +)*/.exec(text) ?? [];
  return isBroken && /:\s*(#[^"]*)?$/.test(text) ? context.countColumn(begins) + context.unit : undefined;
});

/** What every text has, whatever it says. */
export function extensions(language: Language, text: Document, does: Does, heard: (isTyped: boolean) => void, more: Extension): Extension {
  const own = KEYS.map(([key, , name]) => ({
    key,
    preventDefault: true,
    run: () => {
      does[name]();
      return true;
    },
  }));
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    codeFolding(),
    foldGutter(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    EditorState.tabSize.of(2),
    indentUnit.of("  "),
    deeper,
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    highlightActiveLine(),
    EditorView.lineWrapping,
    hanging,
    highlightSelectionMatches(),
    search({ top: true }),
    lintGutter(),
    lit,
    text.path.endsWith(".rules") ? gridded : [],
    look,
    written(text.path),
    more,
    language.client.plugin(text.uri, text.path.endsWith(".rules") ? "rulewright" : "yaml"),
    EditorView.contentAttributes.of({ "aria-label": `Text of ${text.path}`, spellcheck: "false", tabindex: "0" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) heard(true);
      else if (update.selectionSet) heard(false);
    }),
    keymap.of([
      ...own,
      { key: "F8", run: nextDiagnostic, shift: previousDiagnostic, preventDefault: true },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...defaultKeymap.filter((each) => each.key !== "Mod-i"),
      indentWithTab,
    ]),
  ];
}

/** How much of the view stays above a line that is gone to. */
const ABOVE = 0.3;

/** One view; it stands in a shadow root, so that its styles need no leave of the page's policy. */
export class Editor {
  readonly view: EditorView;
  shown: Document | null = null;

  constructor(
    host: HTMLElement,
    private readonly language: Language,
  ) {
    const root = host.attachShadow({ mode: "open" });
    this.view = new EditorView({ root, parent: root as unknown as Element });
    this.view.dom.style.height = "100%";
    let height = 0;
    new ResizeObserver(() => {
      const before = height;
      height = this.view.scrollDOM.clientHeight;
      if (!this.view.hasFocus || height >= before) return;
      const at = this.view.coordsAtPos(this.view.state.selection.main.head);
      const { top } = this.view.scrollDOM.getBoundingClientRect();
      if (at && at.bottom <= top + before && at.bottom > top + height) this.view.dispatch({ effects: EditorView.scrollIntoView(this.view.state.selection.main.head) });
    }).observe(host);
  }

  /** Shows a text in place of the one that was shown, which keeps its cursor and history. */
  show(document: Document): void {
    if (this.shown === document) return;
    this.put();
    this.language.client.sync();
    this.shown = document;
    document.view = this.view;
    this.view.setState(document.state);
    this.diagnose(document);
    this.view.dispatch({ effects: document.scrolled ?? EditorView.scrollIntoView(this.view.state.selection.main.head, { y: "center" }) });
  }

  /** Takes what is shown out of the view. */
  put(): void {
    if (!this.shown) return;
    this.language.client.sync();
    this.shown.state = this.view.state;
    this.shown.scrolled = this.view.scrollSnapshot();
    this.shown.view = null;
    this.shown = null;
  }

  /** Marks what is wrong. */
  diagnose(document: Document): void {
    if (this.shown !== document) return;
    const found = this.language.problems.get(document.path) ?? [];
    const { doc } = this.view.state;
    const made = found.map((each) => {
      const from = offsetIn(doc, each.range.start);
      return { from, to: Math.max(from, offsetIn(doc, each.range.end)), severity: severity(each), message: words(each, document.uri), renderMessage: () => el("span", {}, ...coded(words(each, document.uri))) };
    });
    this.view.dispatch(setDiagnostics(this.view.state, made));
    this.view.dispatch({ effects: setProblems.of(made.map(({ from, to, severity, message }) => ({ from, to, severity, message }))) });
  }

  /** Brings a line into sight, with the cursor at it; most of what is in sight stands below it, as a rule does below its name. */
  go(line: number, column = 1, focus = true): void {
    const { doc } = this.view.state;
    const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    const at = Math.min(from + Math.max(0, column - 1), to);
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "start", yMargin: this.view.scrollDOM.clientHeight * ABOVE }) });
    if (focus) this.view.focus();
  }

  /** The line of the cursor, from 1. */
  get line(): number {
    return this.view.state.doc.lineAt(this.view.state.selection.main.head).number;
  }
}

/** What is said of a problem in a text, and of other places that belong to it, each by its line. */
export function words(found: lsp.Diagnostic, uri: string): string {
  const said = typeof found.message === "string" ? found.message : found.message.value;
  const places = (found.relatedInformation ?? []).map(({ location, message }) => {
    const file = location.uri === uri ? "" : `${decodeURIComponent(location.uri.split("/").pop() ?? "")}, `;
    return `${file}line ${location.range.start.line + 1}: ${message}`;
  });
  return [said, ...places].join("\n");
}

export function severity(found: lsp.Diagnostic): "error" | "warning" | "hint" {
  return found.severity === 1 ? "error" : found.severity === 2 ? "warning" : "hint";
}
