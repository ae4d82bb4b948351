/** A question of a play: every answer as a button or a field, by mouse and by keyboard. */
import { button, coded, el, fill, type Child } from "../elements";

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
  /** An answer was pointed at on a board: it is given, chosen among several, or written into the field. */
  pick(typed: string): void;
  /** The nth answer, by its key. */
  press(number: number): void;
  focus(): void;
}

interface Wants {
  answer(typed: string): void;
  throwDice(): void;
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
    ? el("ul", { class: "list refused", label: "Not possible now" }, ...refused.map((each) => el("li", {}, el("s", {}, numbered(each)), ` ${each.refused ?? ""}`)))
    : null;
  const forms = asks.forms.length ? el("p", { class: "faint" }, ...coded(asks.forms.join("; "))) : null;
  const typed = el("details", { class: "typed" }, el("summary", {}, "Type the answer"), forms, typing);
  let pick = (answer: string): void => wants.answer(answer);
  let press = (_: number): void => undefined;
  let parts: Child[];
  switch (asks.takes) {
    case "one": {
      const buttons = legal.map((each) =>
        el("li", {}, button(numbered(each), () => wants.answer(each.typed), { class: "answer", title: /^[1-9]$/.test(each.typed) ? `Key ${each.typed}` : undefined, ...lit(each.typed) }), beside(each.typed)),
      );
      press = (number) => { const found = legal.find((each) => each.typed === String(number)); if (found) wants.answer(found.typed); };
      parts = [el("ol", { class: "list answers" }, ...buttons), impossible, typed];
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
      const fields = asks.dice.map((die) => el("select", {}, ...die.faces.map((face) => el("option", { value: face }, face))));
      const roll = button("Roll", wants.throwDice, { primary: true });
      press = (number) => { if (number === 1) wants.throwDice(); };
      const few = asks.dice.length <= 24;
      parts = [
        roll,
        few ? el("fieldset", {}, el("legend", {}, "Or enter the dice you rolled"), ...asks.dice.map((die, at) => el("label", { class: "choice" }, el("span", {}, die.called), fields[at]))) : null,
        few ? button("Use these dice", () => wants.answer(fields.map((each) => each.value).join(" "))) : null,
        typed,
      ];
      break;
    }
    case "parts": {
      const fields = asks.parts.map((part) => part.values.length
        ? el("select", {}, ...part.values.map((each) => el("option", { value: each }, each)))
        : el("input", { type: "text", value: /^(\d+) to \d+$/.exec(part.says)?.[1] ?? "", autocomplete: "off" }));
      const give = (): void => wants.answer(asks.parts.map((part, at) => `${part.name}: ${fields[at]?.value ?? ""}`).join(", ") || "done");
      parts = [
        el("form", { on: { submit: (event) => { event.preventDefault(); give(); } } },
          ...asks.parts.map((part, at) => el("label", { class: "choice" }, el("span", {}, part.name), fields[at], el("span", { class: "faint" }, part.says))),
          el("button", { type: "submit", class: "primary" }, asks.parts.length ? "Answer" : "Done")),
        typed,
      ];
      break;
    }
    default: {
      typed.open = true;
      pick = (answer) => { field.value = answer; field.focus(); };
      parts = [typed, asks.none && button("Answer none", () => wants.answer("none"))];
    }
  }
  if (asks.sort === "shuffle" || asks.sort === "draw") {
    parts.unshift(button(asks.sort === "draw" ? "Draw" : "Shuffle", wants.throwDice, { primary: true }), el("p", { class: "faint" }, "Or type what came:"));
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
    pick: (answer) => pick(answer),
    press: (number) => press(number),
    focus: () => body.querySelector<HTMLElement>("button, input, select")?.focus(),
  };
}
