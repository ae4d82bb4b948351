/** A question of a play: every answer as a button or a field, by mouse and by keyboard; places on the board are told in words on demand. */
import { die, faceRow, roll } from "../dice";
import { button, coded, el, fill, type Child } from "../elements";
import type { Side } from "../sides";

export interface Option {
  readonly typed: string;
  readonly shown: string;
  readonly title: string;
  readonly refused: string | null;
}

export interface Asks {
  readonly who: string;
  readonly asked: string;
  readonly sort: string;
  readonly secret: boolean;
  readonly takes: "one" | "several" | "order" | "shares" | "dice" | "place" | "parts" | "text";
  readonly low: number;
  readonly high: number;
  readonly options: readonly Option[];
  readonly dice: readonly { readonly called: string; readonly faces: readonly string[] }[];
  readonly parts: readonly { readonly name: string; readonly says: string; readonly values: readonly string[] }[];
  readonly forms: readonly string[];
  readonly only: boolean;
  /** Whether it may be answered that there is no legal answer. */
  readonly none: boolean;
  readonly cites: readonly string[];
  readonly file: string | null;
  readonly line: number | null;
}

export interface Advice {
  readonly typed: string | null;
  readonly shown: string;
  readonly worth: string;
  readonly best: boolean;
}

export interface Asked {
  readonly body: HTMLElement;
  /** Dice to roll or to set, which have a place of their own. */
  readonly tray: HTMLElement | null;
  /** Rolls the dice, if any are to be rolled. */
  roll(): void;
  /** Shows the answers in words, or hides them. */
  words(): void;
  /** Says what each face does, once that is known. */
  told(faces: FacesOfDie): void;
  /** An answer was pointed at on a board: it is given, chosen among several, or written into the field. */
  pick(typed: string): void;
  /** The nth answer, by its key. */
  press(number: number): void;
  focus(): void;
}

/** What each face of a die does. */
export interface FacesOfDie {
  /** The number of the throw; null for one that is still to come. */
  readonly turn: number | null;
  readonly who: string;
  readonly asked: string;
  readonly fell: string | null;
  readonly rows: readonly { readonly face: string; readonly says: string }[];
}

interface Wants {
  /** The colour of who is asked. */
  readonly side: Side;
  /** Whether all answers can be pressed on a board. */
  readonly drawn: boolean;
  answer(typed: string): void;
  /** Rolls; `land` is given what fell, to be shown before anything else is, `refused` is called where nothing was rolled. */
  throwDice(land?: (fallen: readonly string[]) => Promise<void>, refused?: () => void): void;
  /** The answers that are looked at now, to be lit on the boards. */
  light(typed: ReadonlySet<string>): void;
}

const plural = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;

function called(option: Option): string {
  return option.title && option.title !== option.shown ? `${option.shown}  ${option.title}` : option.shown;
}

/** An answer with the number that stands for it on a board. */
function numbered(option: Option): string {
  return option.typed === option.shown ? called(option) : `${option.typed}  ${called(option)}`;
}

export function question(asks: Asks, advice: readonly Advice[], wants: Wants): Asked {
  const worth = new Map(advice.map((each) => [each.typed, each]));
  const beside = (typed: string): Child => {
    const found = worth.get(typed);
    return found ? el("span", { class: found.best ? "worth best" : "worth" }, `${found.worth}${found.best ? " · best" : ""}`) : null;
  };
  const field = el("input", { type: "text", label: "Your answer", autocomplete: "off", spellcheck: "false" });
  const typing = el(
    "form",
    { class: "row", on: { submit: (event) => { event.preventDefault(); wants.answer(field.value); } } },
    field,
    el("button", { type: "submit" }, "Answer"),
  );
  const lit = (typed: string): { on: Record<string, () => void> } => ({
    on: {
      focus: () => wants.light(new Set([typed])),
      blur: () => wants.light(new Set()),
      pointerenter: () => wants.light(new Set([typed])),
      pointerleave: () => wants.light(new Set()),
    },
  });
  const legal = asks.options.filter((each) => each.refused === null);
  const refused = asks.options.filter((each) => each.refused !== null);
  const impossible = refused.length
    ? el("ul", { class: "list refused", label: "Not possible now" }, ...refused.map((each) => el("li", {}, el("s", {}, numbered(each)), `: ${each.refused ?? ""}`)))
    : null;
  const forms = asks.forms.length ? el("p", { class: "faint" }, ...coded(asks.forms.join("; "))) : null;
  const typed = el("details", { class: "typed" }, el("summary", {}, "Type the answer"), forms, typing);
  let pick = (answer: string): void => wants.answer(answer);
  let press = (_: number): void => undefined;
  let tray: HTMLElement | null = null;
  let told = (_: FacesOfDie): void => undefined;
  let rolls = (): void => undefined;
  const words = el("details", { class: "in-words" }, el("summary", {}, "In words ", el("kbd", { class: "key" }, "L")));
  let parts: Child[];
  switch (asks.takes) {
    case "one": {
      const buttons = legal.map((each) => {
        const made = button(wants.drawn ? numbered(each) : called(each), () => wants.answer(each.typed), { class: "answer", label: numbered(each), title: /^[1-9]$/.test(each.typed) ? `Key ${each.typed}` : undefined, ...lit(each.typed) });
        if (!wants.drawn && /^[1-9]$/.test(each.typed)) made.prepend(el("kbd", { class: "key" }, each.typed), " ");
        return el("li", {}, made, beside(each.typed));
      });
      press = (number) => { const found = legal.find((each) => each.typed === String(number)); if (found) wants.answer(found.typed); };
      const list = el("ol", { class: "list answers" }, ...buttons);
      if (wants.drawn && !advice.length) {
        words.append(list, ...(impossible ? [impossible] : []), typed);
        parts = [words];
      } else parts = [list, impossible, typed];
      break;
    }
    case "several": {
      const boxes = asks.options.map((each) => ({ option: each, box: el("input", { type: "checkbox", ...lit(each.typed) }) }));
      const chosen = (): Set<string> => new Set(boxes.filter((each) => each.box.checked).map((each) => each.option.typed));
      const give = (): void => wants.answer([...chosen()].join(" ") || "none");
      pick = (answer) => {
        for (const each of boxes) if (each.option.typed === answer) each.box.checked = !each.box.checked;
        wants.light(chosen());
      };
      press = (number) => { const found = asks.options[number - 1]; if (found) pick(found.typed); };
      const size = asks.low === asks.high ? `${asks.low}` : `${asks.low} to ${asks.high}`;
      parts = [
        el("fieldset", {}, el("legend", {}, `Choose ${size} of them`), ...boxes.map(({ option, box }) => el("label", { class: "choice" }, box, el("span", {}, called(option))))),
        button("Answer", give, { primary: true }), impossible, typed,
      ];
      break;
    }
    case "order": {
      const taken: string[] = [];
      const list = el("ol", { class: "list answers" });
      const said = el("p", { class: "faint", "aria-live": "polite" });
      const show = (): void => {
        fill(list, ...asks.options.map((each) => {
          const at = taken.indexOf(each.typed);
          const made = button(at < 0 ? called(each) : `${at + 1}.  ${called(each)}`, () => take(each.typed), { class: "answer", ...lit(each.typed) });
          made.disabled = at >= 0;
          return el("li", {}, made);
        }));
        fill(said, taken.length ? `${plural(asks.options.length - taken.length, "more")} to come.` : "Press them in the order that you want.");
      };
      const take = (answer: string): void => {
        if (!taken.includes(answer)) taken.push(answer);
        if (taken.length === asks.options.length) wants.answer(taken.join(" "));
        else show();
        list.querySelector<HTMLButtonElement>("button:enabled")?.focus();
      };
      pick = take;
      press = (number) => { const found = asks.options[number - 1]; if (found) take(found.typed); };
      show();
      parts = [list, said, button("Start the order again", () => { taken.length = 0; show(); }), typed];
      break;
    }
    case "shares": {
      const fields = asks.options.map((each) => el("input", { type: "number", min: 0, max: asks.high, value: 0, ...lit(each.typed) }));
      const left = el("p", { class: "faint", "aria-live": "polite" });
      const total = (): number => fields.reduce((sum, each) => sum + (Number(each.value) || 0), 0);
      const show = (): void => fill(left, `${asks.high - total()} of ${asks.high} left to give.`);
      for (const each of fields) each.addEventListener("input", show);
      pick = (answer) => {
        const at = asks.options.findIndex((each) => each.typed === answer);
        const found = fields[at];
        if (found) found.value = String((Number(found.value) || 0) + 1);
        show();
      };
      show();
      parts = [
        el("fieldset", {}, el("legend", {}, "How many each gets"), ...asks.options.map((each, at) => el("label", { class: "choice" }, fields[at], el("span", {}, called(each))))),
        left, button("Answer", () => wants.answer(fields.map((each) => String(Number(each.value) || 0)).join(" ")), { primary: true }), typed,
      ];
      break;
    }
    case "dice": {
      const thrown = dice(asks, wants);
      press = thrown.press;
      tray = thrown.tray;
      told = thrown.told;
      rolls = thrown.roll;
      typed.querySelector("summary")?.replaceChildren("Type the dice");
      parts = [button("Roll", rolls, { primary: true, class: "big phone-only" })];
      tray.append(typed);
      break;
    }
    case "parts": {
      const fields = asks.parts.map((part) => part.values.length
        ? el("select", {}, ...part.values.map((each) => el("option", { value: each }, each)))
        : el("input", { type: "text", value: /^(\d+) to \d+$/.exec(part.says)?.[1] ?? "", inputmode: /^\d+ to \d+$/.test(part.says) ? "numeric" : undefined, autocomplete: "off" }));
      const give = (): void => wants.answer(asks.parts.map((part, at) => `${part.name}: ${fields[at]?.value ?? ""}`).join(", ") || "done");
      parts = [
        el("form", { on: { submit: (event) => { event.preventDefault(); give(); } } },
          ...asks.parts.map((part, at) => el("label", { class: "choice" }, el("span", {}, part.name.replaceAll("_", " ")), fields[at], el("span", { class: "faint" }, part.says))),
          el("button", { type: "submit", class: "primary" }, asks.parts.length ? "Answer" : "Done")),
        typed,
      ];
      break;
    }
    default: {
      typed.open = !wants.drawn;
      pick = (answer) => { field.value = answer; field.focus(); };
      parts = [typed, asks.none && button("Answer none", () => wants.answer("none"))];
    }
  }
  if (asks.sort === "shuffle" || asks.sort === "draw") {
    parts.unshift(button(asks.sort === "draw" ? "Draw" : "Shuffle", () => wants.throwDice(), { primary: true }), el("p", { class: "faint" }, "Or type what came:"));
  }
  if (asks.only && asks.takes !== "one") parts.push(button("Give the only answer", () => wants.answer("")));
  const unlisted = advice.filter((each) => each.typed === null || !legal.some((one) => one.typed === each.typed));
  if (unlisted.length) {
    parts.push(el("table", {}, el("caption", {}, "What the answers are worth"), el("tbody", {}, ...unlisted.slice(0, 40).map((each) =>
      el("tr", {}, el("td", {}, each.shown), el("td", {}, each.worth), el("td", {}, each.best ? "best" : ""))))));
  }
  const body = el("div", { class: "play-question" }, ...parts);
  return {
    body,
    tray,
    roll: () => rolls(),
    told: (faces) => told(faces),
    words: () => { words.open = !words.open; if (words.open) words.querySelector<HTMLElement>("button")?.focus(); },
    pick: (answer) => pick(answer),
    press: (number) => press(number),
    focus: () => (tray ?? body).querySelector<HTMLElement>("button, input, select, summary")?.focus(),
  };
}

interface Thrown {
  readonly tray: HTMLElement;
  press(number: number): void;
  roll(): void;
  told(faces: FacesOfDie): void;
}

/** The dice of a roll: rolled by a button, or set face by face, the next die after each press. */
function dice(asks: Asks, wants: Wants): Thrown {
  const set: string[] = [];
  const row = el("div", { class: "dice-row" });
  const slots = el("p", { class: "slots", "aria-live": "polite" });
  const rolled = button("Roll", () => start(), { primary: true, class: "big" });
  rolled.append(" ", el("kbd", { class: "key" }, "R"));
  let below: FacesOfDie | null = null;
  let isRolling = false;
  const take = (face: string): void => {
    const next = asks.dice[set.length];
    if (isRolling || !next?.faces.includes(face)) return;
    set.push(face);
    if (set.length === asks.dice.length) wants.answer(set.join(" "));
    else show();
  };
  const start = (): void => {
    if (isRolling) return;
    isRolling = true;
    slots.hidden = false;
    const shown = [...slots.querySelectorAll<HTMLElement>(".die")];
    for (const each of shown) each.classList.remove("out");
    wants.throwDice(async (fallen) => {
      await Promise.all(shown.map((each, at) => roll(each, fallen[at] ?? "", { faces: asks.dice[at]?.faces ?? [], side: wants.side })));
    }, () => (isRolling = false));
  };
  const show = (): void => {
    const next = asks.dice[set.length];
    const several = asks.dice.length > 1;
    fill(slots, ...asks.dice.slice(0, MOST_SLOTS).map((each, at) => {
      const face = set[at];
      const made = die(face ?? "", { faces: each.faces, side: wants.side }, several);
      made.classList.toggle("out", face === undefined);
      if (face === undefined) made.setAttribute("aria-label", `${each.called}, not set`);
      return made;
    }), set.length ? button("Set them again", () => { set.length = 0; show(); }, { class: "more" }) : null);
    slots.hidden = !several;
    if (!next) return;
    fill(row, faceRow({
      faces: next.faces, side: wants.side, label: several ? `Die ${set.length + 1} of ${asks.dice.length}: ${next.called}` : `Faces of the ${next.called}`, press: take,
      below: (face) => {
        const says = below?.rows.find((each) => each.face === face)?.says;
        return says ? { says, name: says } : null;
      },
    }));
  };
  show();
  const kinds = counted(asks.dice.map((each) => each.called));
  const tray = el("section", { class: "card tray", label: "Dice" },
    el("h3", {}, `${capital(asks.who)} rolls ${kinds}`),
    el("div", { class: "roll" }, rolled, el("span", { class: "faint" }, asks.dice.length > 1 ? "or press the faces that fell on your table, die by die" : "or press the face that fell on your table")),
    slots, row);
  return {
    tray,
    roll: start,
    press: (number) => take(String(number)),
    told: (faces) => { below = faces; show(); },
  };
}

const MOST_SLOTS = 24;

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `2d6 and d8`, of the names of dice. */
function counted(called: readonly string[]): string {
  const kinds = new Map<string, number>();
  for (const each of called) kinds.set(each, (kinds.get(each) ?? 0) + 1);
  return [...kinds].map(([each, count]) => (count > 1 && /^d\d/.test(each) ? `${count}${each}` : /^d\d/.test(each) ? `1${each}` : count > 1 ? `${count} ${each}` : each)).join(" and ");
}
