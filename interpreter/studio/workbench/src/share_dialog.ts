/** Makes the shared page of a ruleset and hands it to the browser as a download. */
import { Asking } from "./asking";
import { type Desk, Problem } from "./desk";
import { button, coded, el, fill } from "./elements";

interface Made {
  readonly page: string;
  readonly bytes: number;
  readonly scenarios: readonly string[];
  readonly left_out: readonly string[];
  /** Files whose text is typed and not saved; the page plays what is typed. */
  readonly typed: readonly string[];
}

interface Offered {
  readonly title: string;
  readonly scenarios: readonly { readonly file: string; readonly cases: readonly string[]; readonly refused: readonly string[] }[];
}

const LONGEST = 300;

export class ShareDialog {
  private readonly dialog = el("dialog", { class: "sharing", "aria-labelledby": "sharing-title" });
  private readonly said = el("div", { role: "status", "aria-live": "polite" });
  private readonly go = el("button", { type: "submit", class: "primary" }, "Make the page");
  private readonly chosen = el("div", { class: "sharing-scenarios" });
  private readonly asking: Asking;
  private address = "";

  constructor(
    private readonly desk: Desk,
    private readonly path: string,
  ) {
    this.asking = new Asking(desk, "Making the page", LONGEST);
    const close = (): void => {
      this.asking.stop();
      if (this.address) URL.revokeObjectURL(this.address);
      this.dialog.close();
      this.dialog.remove();
    };
    this.dialog.addEventListener("cancel", (event) => { event.preventDefault(); close(); });
    this.dialog.append(el("form", { on: { submit: (event) => { event.preventDefault(); void this.make(); } } },
      el("h2", { id: "sharing-title" }, "Share a page to play"),
      el("div", { class: "dialog-body", tabindex: "0", role: "group", label: "Share a page to play" },
        el("p", {}, "One file that anybody plays in a browser: on a phone, from a disk, without a network. Players send their play back as a small file: drop it on the workbench."),
        this.chosen, this.asking.bar, this.said),
      el("div", { class: "row end" }, this.go, button("Close", close))));
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.go.focus();
    void this.offer();
  }

  /** The scenarios that can be chosen; none of them chosen is all. */
  private async offer(): Promise<void> {
    try {
      const found = await this.desk.ask<Offered>("play/choices", { path: this.path });
      const names = [...new Set(found.scenarios.flatMap((each) => each.cases.filter((one) => !each.refused.includes(one))))];
      if (names.length < 2) return;
      fill(this.chosen, el("details", {}, el("summary", {}, "Only some scenarios"),
        el("fieldset", {}, el("legend", {}, "Choose those that players begin with; none chosen: all in which somebody is asked something"),
          ...names.map((name) => el("label", { class: "choice" }, el("input", { type: "checkbox", value: name }), el("span", {}, name))))));
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault; // making it says what is wrong
    }
  }

  private async make(): Promise<void> {
    const names = [...this.chosen.querySelectorAll<HTMLInputElement>("input:checked")].map((each) => each.value);
    const begun = Date.now();
    this.go.disabled = true;
    this.chosen.querySelector("details")?.removeAttribute("open");
    fill(this.said);
    try {
      const made = await this.asking.run((signal, asking) => this.desk.ask<Made>("share", { path: this.path, tab: this.desk.tab, names, asking }, signal));
      if (made !== null) this.hand(made, Date.now() - begun);
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      fill(this.said, el("div", { class: "scene-wrong", role: "alert" }, el("p", { class: "bad" }, "This cannot be shared yet."), ...fault.message.split("\n").map((each) => el("p", {}, ...coded(each)))));
    } finally {
      this.go.disabled = false;
    }
  }

  private hand(made: Made, took: number): void {
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = URL.createObjectURL(new Blob([made.page], { type: "text/html" }));
    const name = (this.path.split("/").at(-1) ?? "").replace(/\.rules$/, "") + ".html";
    const link = el("a", { href: this.address, download: name }, "Download it again");
    const count = made.scenarios.length === 1 ? "1 scenario" : `${made.scenarios.length} scenarios`;
    fill(this.said,
      el("p", {}, el("strong", {}, name), ` is in your downloads: ${count}, ${Math.round(made.bytes / 1e6)} MB, made in ${Math.max(1, Math.round(took / 1000))} s. `, link),
      made.typed.length ? el("p", { class: "warn" }, `It plays what is typed; ${made.typed.join(", ")} ${made.typed.length === 1 ? "is" : "are"} not saved yet.`) : null,
      made.left_out.length ? el("details", {}, el("summary", {}, `Left out, because nobody is asked anything in them or they cannot begin: ${made.left_out.length}`), el("ul", { class: "list" }, ...made.left_out.map((each) => el("li", {}, each)))) : null);
    link.click();
  }
}
