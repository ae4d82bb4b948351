/** Sheets over the page: one thing to read or to fill in, closed by a button, by Escape, or from within. */
import { button, el, type Child } from "../elements";

export function dialog(title: string, body: readonly Child[]): { readonly close: () => void } {
  const close = (): void => {
    sheet.close();
    sheet.remove();
  };
  const sheet = el("dialog", { class: "sheet", "aria-labelledby": "sheet-title" },
    el("header", {}, el("h2", { id: "sheet-title" }, title), button("Close", close, { class: "quiet" })),
    el("div", { class: "sheet-body", tabindex: "0", role: "group", label: title }, ...body));
  sheet.addEventListener("cancel", (event) => { event.preventDefault(); close(); });
  document.body.append(sheet);
  sheet.showModal();
  return { close };
}
