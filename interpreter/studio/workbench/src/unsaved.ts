/** A note that what a pane shows is of the saved text, while another one is typed; with a button that saves it. */
import type { Desk } from "./desk";
import { button, el, fill } from "./elements";

export class Unsaved {
  readonly note = el("div", { role: "status" });
  private readonly leave: (() => void)[];

  constructor(
    private readonly desk: Desk,
    /** What is of the saved text, as a sentence. */
    private readonly says: string,
    /** What the button does once all is saved, and what it is called. */
    private readonly then: { readonly says: string; readonly run: () => void },
    /** Of which files; those of other rulesets never. */
    private readonly concerns: (path: string) => boolean = () => true,
  ) {
    this.leave = [desk.on("unsaved", () => this.show()), desk.on("ruleset", () => this.show())];
    this.show();
  }

  private show(): void {
    const { desk } = this;
    const own = desk.files.filter((each) => (each.ruleset ?? each.path) === desk.ruleset && desk.unsaved.includes(each.path) && this.concerns(each.path)).map((each) => each.path);
    const names = own.length > 1 ? `${own.slice(0, -1).join(", ")} and ${own.at(-1)}` : own.join("");
    fill(this.note, own.length > 0 && el("p", { class: "row bar-note" }, `${this.says}; ${names} ${own.length > 1 ? "have" : "has"} changes that are not saved.`, button(this.then.says, () => void this.save())));
  }

  private async save(): Promise<void> {
    if (await this.desk.save()) this.then.run();
  }

  close(): void {
    for (const each of this.leave) each();
  }
}
