/** Sheets over the page: one thing to read or to fill in, closed by a button, by Escape, by the Back key, or from within. */
import { button, el, type Child } from "../elements";

const open: (() => void)[] = [];
/** Whether the Back that is heard next was done here, after the last sheet was closed otherwise. */
let goesBack = false;

const hasPlace = (): boolean => (history.state as { readonly sheet?: boolean } | null)?.sheet === true;

/** Has Back close the sheet, and not leave the page. */
function takeBack(): void {
  if (!hasPlace()) history.pushState({ sheet: true }, "");
}

addEventListener("popstate", () => {
  if (!goesBack) open.at(-1)?.();
  goesBack = false;
  if (open.length) takeBack();
});

export function dialog(title: string, body: readonly Child[]): { readonly close: () => void } {
  const close = (): void => {
    if (!open.includes(close)) return;
    open.splice(open.indexOf(close), 1);
    sheet.close();
    sheet.remove();
    setTimeout(() => {
      if (open.length || goesBack || !hasPlace()) return;
      goesBack = true;
      history.back();
    });
  };
  const sheet = el("dialog", { class: "sheet", "aria-labelledby": "sheet-title" },
    el("header", {}, el("h2", { id: "sheet-title" }, title), button("Close", close, { class: "quiet" })),
    el("div", { class: "sheet-body", tabindex: "0", role: "group", label: title }, ...body));
  sheet.addEventListener("cancel", (event) => { event.preventDefault(); close(); });
  document.body.append(sheet);
  sheet.showModal();
  open.push(close);
  takeBack();
  return { close };
}
