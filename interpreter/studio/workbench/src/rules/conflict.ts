/** What two texts have otherwise, shown before something is done with them. */
import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { ask, el } from "../elements";
import { type Document, hunks } from "./documents";
import type { Edited } from "./language";

const AROUND = 1;

/** The lines that edits take away and put there, file by file, a few around them. */
export function shownEdits(edits: readonly Edited[]): HTMLElement[] {
  return edits.map(({ document, after }) => {
    const before = document.current.doc.toString().split("\n");
    const next = after.split("\n");
    const rows = hunks(before, next).flatMap(({ from, to, fromB, toB }) => [
      ...lines("", before, from - AROUND, from, from - AROUND),
      ...lines("−", before, from, to, from),
      ...lines("+", next, fromB, toB, fromB),
      ...lines("", before, to, to + AROUND, to),
    ]);
    return el("figure", { class: "edits" }, el("figcaption", {}, document.path), el("div", { class: "wide" }, el("table", { class: "diff" }, el("tbody", {}, ...rows))));
  });
}

function lines(sign: string, text: readonly string[], from: number, to: number, first: number): HTMLElement[] {
  const start = Math.max(0, from);
  return text.slice(start, Math.max(start, to)).map((line, at) =>
    el(
      "tr",
      { class: sign === "+" ? "put" : sign ? "taken" : undefined },
      el("td", { class: "n" }, String(Math.max(0, first) + at + 1)),
      el("td", { label: sign === "+" ? "new" : sign ? "old" : undefined }, sign || " "),
      el("td", {}, el("code", {}, line)),
    ),
  );
}

const look = EditorView.theme({
  "&": { backgroundColor: "var(--paper)", color: "var(--ink)", fontSize: "0.85rem" },
  ".cm-scroller": { fontFamily: "var(--mono)" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--faint)" },
  ".cm-content": { caretColor: "var(--ink)" },
});

/** Shows a text and what the disk has of it beside each other; answers the text that is to stand, null where all stays. */
export async function settled(document: Document): Promise<string | null> {
  const disk = document.disk;
  if (!disk) return null;
  const host = el("div", { class: "merge" });
  const root = host.attachShadow({ mode: "open" });
  const named = (name: string) => EditorView.contentAttributes.of({ "aria-label": name });
  const common = [lineNumbers(), look, EditorView.lineWrapping];
  const view = new MergeView({
    parent: root,
    root,
    a: { doc: disk.text ?? "", extensions: [common, named("The file on the disk"), EditorState.readOnly.of(true)] },
    b: { doc: document.text, extensions: [common, named("Your text")] },
    revertControls: "a-to-b",
    gutter: true,
  });
  const says = disk.text === null ? "The file on the disk is gone. Your text is still here." : "The file on the disk is on the left, your text on the right. An arrow copies a part over.";
  const chosen = await ask(`${document.path}: the file on the disk has changed`, [el("p", {}, says), host], [
    ["mine", "Keep my text"],
    ["disk", "Take the file on the disk"],
    ["later", "Decide later"],
  ]);
  const made = view.b.state.doc.toString();
  view.destroy();
  if (chosen === "mine") return made;
  return chosen === "disk" && disk.text !== null ? disk.text : null;
}
