/** The tour: four steps through the panes with a copy of a starter, which end with a changed rule and its odds. */
import { type Desk, type Place } from "../desk";
import { die } from "../dice";
import { button, el, fill } from "../elements";

const TOURED = "hex-combat";
/** What the tour changes in the chart: at even odds a six destroys the defender. */
const ROW = "  6 | defender_back | defender_back |";
const CHANGED = "  6 | defender_back | defender_lost |";
const KEPT = "tour";
/** When the chart was changed, in seconds since 1970. */
const CHANGED_AT = "tour changed at";

interface Step {
  readonly title: string;
  readonly says: string;
  readonly does: string;
  /** What is said above the pane while the step is taken. */
  readonly shown: string;
  run(desk: Desk): Promise<void>;
}

/** Makes a copy of a starter, and begins to play it. */
type Copies = (desk: Desk, source: string) => Promise<void>;

/** The copy that the tour works on, if it was made. */
function toured(desk: Desk): string | null {
  const own = (path: string | null): path is string => path !== null && /(^|[/_])hex_combat(_\d+)?\.rules$/.test(path);
  return own(desk.ruleset) ? desk.ruleset : desk.rulesets().find(own) ?? null;
}

function goes(desk: Desk, pane: string, place?: Place): void {
  const path = toured(desk);
  if (path !== null) desk.choose(path);
  desk.go(pane, place);
}

async function changed(desk: Desk): Promise<void> {
  const path = toured(desk);
  if (path === null) return;
  desk.choose(path);
  desk.go("rules", { path });
  let head = 0;
  const isTyped = await desk.type(path, (text) => {
    head = text.split("\n").findIndex((each) => each.startsWith("table combat("));
    return text.includes(ROW) ? text.replace(ROW, CHANGED) : null;
  });
  if (isTyped) sessionStorage.setItem(CHANGED_AT, String(Date.now() / 1000));
  else desk.say("The chart is not as the tour found it: it was changed before.");
  desk.go("rules", { path, line: Math.max(1, head + 1) });
}

function steps(copies: Copies): readonly Step[] {
  return [
    {
      title: "March and attack", says: "Drag the lancers beside the rangers, and roll.", does: "Begin",
      shown: "Press the lancers, and drag them to 4,1 or 4,2, beside the rangers. They attack: roll, or press a face of the die.",
      async run(desk) {
        const path = toured(desk);
        if (path === null) return copies(desk, TOURED);
        desk.choose(path);
        desk.go("play", { begins: { path: path.replace(/[^/]*$/, "plays.scenario.yaml"), name: "the battle", scripted: false, dice: "ask" } });
      },
    },
    {
      title: "Change one word in the chart", says: "At even odds, a six destroys the defender.", does: "Change it",
      shown: "A six at 1:1 destroys the defender now. Nothing is saved yet, and at the right you see a play that it changes. Try other cells.",
      run: changed,
    },
    {
      title: "See which scenarios notice", says: "Three expected the defender to retreat.", does: "Look",
      shown: "The text is saved, and each scenario is played again. Three expected a retreat and differ now. You decide which is right, the rule or the scenario.",
      async run(desk) {
        if (desk.unsaved.length) await desk.save();
        goes(desk, "scenarios");
      },
    },
    {
      title: "See what it does to the odds", says: "Destroyed: never before, one time in six now.", does: "Work them out",
      shown: "This is the rule before and after your edit, in one play and in its odds. That was the tour: go on in your own copy.",
      async run(desk) {
        if (desk.unsaved.length) await desk.save();
        goes(desk, "compare", { since: Number(sessionStorage.getItem(CHANGED_AT)) });
      },
    },
  ];
}

/** The way through the tour: what Start lists, and the bar above the panes while it is taken. */
export class Tour {
  readonly bar = el("section", { class: "tour-bar", label: "The tour", hidden: true });
  private readonly steps: readonly Step[];

  constructor(
    private readonly desk: Desk,
    copies: Copies,
  ) {
    this.steps = steps(copies);
    const kept = sessionStorage.getItem(KEPT);
    if (kept !== null && toured(desk) !== null) this.draw(Number(kept));
  }

  /** Takes a step. */
  async take(at: number): Promise<void> {
    const step = this.steps[at];
    if (!step) return;
    this.draw(at);
    await step.run(this.desk);
  }

  private draw(at: number): void {
    const step = this.steps[at];
    if (!step) return;
    sessionStorage.setItem(KEPT, String(at));
    const next = this.steps[at + 1];
    this.bar.hidden = false;
    fill(this.bar,
      el("span", { class: "count" }, String(at + 1)),
      el("p", { role: "status" }, el("b", {}, `${step.title}. `), step.shown),
      next ? button(`Next: ${next.title.charAt(0).toLowerCase()}${next.title.slice(1)}`, () => void this.take(at + 1), { primary: true }) : button("End the tour", () => this.end(), { primary: true }),
      next ? button("Leave the tour", () => this.end(), { class: "quiet" }) : null);
  }

  private end(): void {
    sessionStorage.removeItem(KEPT);
    this.bar.hidden = true;
  }

  /** The steps as a list; all but the first need its copy. */
  list(): Node[] {
    const bar = el("span", { class: "small-bar", role: "img", label: "no effect, defender retreats, defender destroyed" }, ...["o-1", "o-3", "o-4", "o-5"].map((each) => el("i", { class: each })));
    const signs = [die("4", { side: "red" }), null, null, bar];
    return this.steps.map(({ title, says, does }, at) => {
      const press = button(does, () => void this.take(at), { label: `${does}: ${title}` });
      press.disabled = at > 0 && toured(this.desk) === null;
      return el("li", {}, el("span", { class: "count" }, String(at + 1)), el("span", { class: "step-words" }, el("b", {}, title), el("small", {}, says)), signs[at] ?? null, press);
    });
  }
}
