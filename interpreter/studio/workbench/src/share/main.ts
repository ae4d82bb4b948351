/** The page that `share` writes: who sits where, the table, and what is sent back. Nothing of it leaves the device by itself. */
import { drawing } from "../drawing";
import { button, el, fill, when, type Child } from "../elements";
import { sides } from "../sides";
import { lacking } from "../engine/lacking";
import { Engine, texts as readTexts, type Reply } from "./engine";
import { isKept, Store, type Kept } from "./kept";
import { dialog } from "./sheets";
import { counted, Table, type Texts } from "./table";

const MAX_SEED = 2 ** 31 - 1;
const host = document.getElementById("play") ?? document.body;
const note = el("p", { class: "notice", role: "status" });

function fresh(): number {
  const [number] = crypto.getRandomValues(new Uint32Array(1));
  return (number ?? 0) % MAX_SEED;
}

class Page {
  private readonly engine = new Engine();
  private readonly store: Store;

  constructor(private readonly texts: Texts) {
    this.store = new Store(texts.fingerprint);
    this.engine.ready.catch((fault: Error) => fill(note, `The engine of this page could not start: ${fault.message}`));
  }

  /** Where one sits down: what is played, who is who, and whose dice; `last` is the play that was left. */
  sit(last: Kept | null = null): void {
    const { texts } = this;
    const kept = this.store.plays();
    const goes = last?.over ? undefined : kept.find((each) => !each.over);
    const like = last ?? goes ?? kept[0];
    const names = new Map<string, HTMLInputElement>();
    const seats = el("fieldset", { class: "seats" });
    const shown = el("div", { class: "boards" });
    const scenario = el("select", { id: "scenario" }, ...texts.scenarios.map((each) => el("option", { value: each.name, selected: each.name === like?.scenario }, each.name)));
    const choose = (): void => {
      const { first } = texts.scenarios[scenario.selectedIndex] ?? texts.scenarios[0] ?? { first: null };
      if (!first) return;
      const colours = sides(first.seats);
      names.clear();
      fill(seats, el("legend", {}, "Who sits where?"), ...first.seats.map((seat) => {
        const field = el("input", { type: "text", label: `Name of ${seat}`, maxlength: 40, autocomplete: "off", value: like?.names[seat] });
        names.set(seat, field);
        return el("label", { class: "seat" }, el("span", { class: `chip ${colours.get(seat) ?? "nobody"}` }, el("i", { class: `hatched ${colours.get(seat) ?? ""}` }), seat), field);
      }));
      seats.hidden = !first.seats.length;
      const boards = first.boards.map((board) => drawing(board.svg, `The board ${board.name}`).host);
      fill(shown, ...boards);
      shown.hidden = !boards.length;
    };
    scenario.addEventListener("change", choose);
    const dice = (["here", "typed"] as const).map((each) => el("label", {}, el("input", { type: "radio", name: "dice", value: each, checked: each === (like?.dice ?? "here") }), el("span", {}, each === "here" ? "Roll here" : "Real dice, I type")));
    const seed = el("input", { type: "number", min: 0, max: MAX_SEED, step: 1, value: texts.seed ?? "", placeholder: "by chance", label: "Seed of the dice" });
    const begin = (): void => {
      const given = seed.value === "" ? fresh() : Math.min(MAX_SEED, Math.max(0, Math.floor(Number(seed.value)) || 0));
      const chosen = dice[1]?.querySelector("input")?.checked ? "typed" : "here";
      this.play({
        version: 1, ruleset: texts.ruleset, fingerprint: texts.fingerprint, scenario: scenario.value, seed: given, dice: chosen,
        names: Object.fromEntries([...names].map(([seat, field]) => [seat, field.value.trim()]).filter(([, name]) => name)),
        began: Date.now(), changed: Date.now(), done: [], remarks: [], noted: [],
      });
    };
    choose();
    fill(host, el("div", { class: "sit" }, shown,
      el("section", { class: "panel", label: texts.title },
        el("h1", { class: "title" }, texts.title), note,
        goes ? button(`Go on with the play of ${when(goes.changed / 1000)}`, () => this.play(goes), { primary: true, class: "wide" }) : null,
        texts.scenarios.length > 1 ? el("label", { class: "field" }, el("span", {}, "What is played"), scenario) : null,
        seats, el("fieldset", { class: "segments" }, el("legend", { class: "sr" }, "Dice"), ...dice),
        button(goes ? "Begin a new play" : "Begin", begin, { primary: !goes, class: "wide", "data-first": true }),
        el("details", {}, el("summary", {}, "More"), el("div", { class: "stack" },
          ...kept.filter((each) => each !== goes).map((each) => button(`${each.over ? "Look at" : "Go on with"} ${each.scenario}, ${when(each.changed / 1000)}${each.over ? ", which is over" : ""}`, () => this.play(each), { class: "wide" })),
          el("label", { class: "field" }, el("span", {}, "Seed"), seed),
          button("Go on from a file", () => this.open(), { class: "wide" }),
          kept.length ? button(kept.length > 1 ? `Forget the ${kept.length} plays kept here` : "Forget the play kept here", () => this.forget(kept), { class: "wide" }) : null,
          button("About this page", () => this.about(), { class: "wide" }))),
        el("p", { class: "faint" }, "No account, no network: all stays in this page until you send it."),
        this.store.trouble ? el("p", { class: "notice" }, this.store.trouble) : null)));
  }

  private play(kept: Kept): void {
    const scenario = this.texts.scenarios.findIndex((each) => each.name === kept.scenario);
    const stored = this.texts.scenarios[scenario];
    if (!stored) return fill(note, `This page has no scenario called ${kept.scenario}.`);
    const opened: Promise<Reply> = kept.done.length
      ? this.engine.ask({ do: "restore", scenario, seed: kept.seed, requests: kept.done.map((each) => each.request) })
      : this.engine.ask({ do: "begin", scenario, seed: kept.seed });
    void opened.then(() => this.engine.prepare()).catch(() => undefined);
    this.store.take(kept);
    fill(note);
    const begin = (first: Texts["scenarios"][number]["first"]): void => {
      const table = new Table(kept, this.engine, this.store, this.texts, { over: () => void this.sendBack(kept), leave: () => this.sit(kept), again: () => this.play(this.store.latest(kept)) }, opened, first);
      fill(host, note, table.host);
    };
    if (!kept.done.length) return begin(stored.first);
    fill(host, note, el("p", { class: "waits", role: "status" }, "The play is set up again as it was…"));
    opened.then((reply) => (reply.moment ? begin(reply.moment) : fill(note, reply.problem ?? "The play cannot go on.")), (fault: Error) => fill(note, fault.message));
  }

  private forget(plays: readonly Kept[]): void {
    const { close } = dialog("Forget what is kept here?", [
      el("p", {}, plays.length > 1 ? `${plays.length} plays are kept in this browser. What was not sent back or saved is lost.` : "What was not sent back or saved is lost."),
      button("Forget", () => { close(); for (const each of plays) this.store.forget(each); this.sit(); }, { class: "wide accent" }),
    ]);
  }

  private open(): void {
    const chosen = el("input", { type: "file", accept: ".json,application/json" });
    chosen.addEventListener("change", async () => {
      try {
        const given: unknown = JSON.parse((await chosen.files?.[0]?.text()) ?? "");
        if (!isKept(given, this.texts.fingerprint)) throw new Error();
        this.play({ version: 1, ruleset: given.ruleset, fingerprint: given.fingerprint, scenario: given.scenario, seed: given.seed, dice: given.dice, names: given.names, began: given.began, changed: given.changed, done: given.done, remarks: given.remarks, noted: given.noted ?? [] });
      } catch {
        fill(note, "This file does not belong to this page: another page or other rules made it.");
      }
    });
    chosen.click();
  }

  private about(): void {
    const { texts } = this;
    dialog("About this page", [
      el("p", {}, `${texts.title}, revision ${texts.revision} (${texts.fingerprint.slice(0, 12)}), made by rulewright ${texts.made["rulewright"] ?? ""}.`),
      el("p", {}, "The rules are played by the engine of rulewright in this page. Nothing is loaded from elsewhere, and nothing is sent."),
      el("pre", { tabindex: "0", role: "group", label: "Licences" }, texts.licences),
    ]);
  }

  /** Hands out what happened as one small file: by the sharing of the device where it has that, else to be saved. */
  private async sendBack(play: Kept): Promise<void> {
    const named = el("input", { type: "checkbox", checked: true });
    const said = el("p", { class: "faint", role: "status" });
    const body: Child[] = [
      el("p", {}, `${counted(play.done.length, "answer")} and ${counted(play.remarks.length, "remark")}, as one small file. The designer opens it beside the rules.`),
      ...play.remarks.map((each) => el("blockquote", {}, each.text, el("small", {}, [each.who, each.kind, each.asked].filter(Boolean).join(", ")))),
      el("label", { class: "check" }, named, el("span", {}, "with our names")),
    ];
    const file = async (): Promise<File> => {
      const end = await this.engine.ask({ do: "finish" }).catch(() => null);
      const document = { format: "rulewright playtest", ...play, over: undefined, names: named.checked ? play.names : {}, title: this.texts.title, revision: this.texts.revision, made: this.texts.made, sent: Date.now(), end };
      const who = named.checked ? Object.values(play.names) : [];
      const name = [play.ruleset, ...who].join("-").toLowerCase().replaceAll(/[^\p{L}\p{N}-]+/gu, "-").slice(0, 60);
      return new File([JSON.stringify(document)], `${name}.play.json`, { type: "application/json" });
    };
    const save = async (): Promise<void> => {
      const made = await file();
      const link = el("a", { href: URL.createObjectURL(made), download: made.name });
      document.body.append(link);
      link.click();
      link.remove();
      fill(said, `Saved as ${made.name}, ${Math.ceil(made.size / 1000)} kB. Send it to the designer.`);
    };
    const share = async (): Promise<void> => {
      const made = await file();
      try {
        await navigator.share({ files: [made], title: `A play of ${this.texts.title}` });
        fill(said, "Handed over.");
      } catch (fault) {
        if (!(fault instanceof DOMException && fault.name === "AbortError")) await save();
      }
    };
    const canShare = typeof navigator.canShare === "function" && navigator.canShare({ files: [new File(["{}"], "a.json", { type: "application/json" })] });
    dialog("Send back what happened", [...body,
      canShare ? button("Send back", () => void share(), { primary: true, class: "wide" }) : null,
      button("Save the file", () => void save(), { primary: !canShare, class: "wide" }), said]);
  }
}

const dark = matchMedia("(prefers-color-scheme: dark)");

function dress(): void {
  document.documentElement.dataset["theme"] = dark.matches ? "dark" : "light";
}

async function main(): Promise<void> {
  dress();
  dark.addEventListener("change", dress);
  const trouble = lacking();
  if (trouble) return fill(host, el("p", { class: "notice", role: "alert" }, trouble));
  const texts = (await readTexts()) as Texts;
  document.title = texts.title;
  new Page(texts).sit();
}

main().catch((fault: unknown) => fill(host, el("p", { class: "notice", role: "alert" }, `This page cannot be read: ${fault instanceof Error ? fault.message : String(fault)}`)));
