/** Lines of a story that were told as text: steps by their titles, dice as dice. */
import { die } from "./dice";
import { coded, el, type Child } from "./elements";
import { SIDES } from "./sides";

const ROLLED = /^(\s*)(?:(\w+) {2,})?(.*?)(\d*)d(\d+): (\d[\d ]*)(?: \((?:policy|typed|script)\))?$/;
const MOST_DRAWN = 8;

const FLAG = /^(\S+)\.(\S+): (?:yes|no) \u2192 (yes|no)$/;
const ATTRIBUTE = /^(\S+)\.(\S+): /;

/** A change as people say it: `brute.ready: yes → no` is *brute is no longer ready*, `north.hand: with ride` is *north’s hand: with ride*. */
export function changeSaid(text: string): string {
  const spoken = (name: string): string => name.replaceAll("_", " ");
  const [, thing, flag, now] = FLAG.exec(text) ?? [];
  if (thing !== undefined && flag !== undefined) return `${spoken(thing)} is ${now === "no" ? "no longer" : "now"} ${spoken(flag)}`;
  return text.replace(ATTRIBUTE, (_, of: string, attribute: string) => `${spoken(of)}${of.endsWith("s") ? "\u2019" : "\u2019s"} ${spoken(attribute)}: `);
}

/** A line without what only a terminal needs. */
export function said(text: string): string {
  return changeSaid(text.trim().replace(/^\d+ {2}/, "").replace(/ {2,}/g, " ").replace(/ \((policy|typed|script)\)$/, ""));
}

/** What was rolled, behind *rolls* and before its dice: its name where it says more than that dice fell, and its dice where they are no cubes. */
export function rolled(called: string, count: string, faces: string): string {
  const name = called.trim().replaceAll("_", " ");
  const dice = faces === "6" ? "" : `${count || "1"}d${faces}`;
  return [/^(throw|roll|die|dice)?$/.test(name) ? "" : name, dice].filter(Boolean).map((each) => `${each} `).join("");
}

/** A line as it is read. */
export function toldLine(text: string): Child[] {
  const [, , player, before, count, faces, fell] = ROLLED.exec(text) ?? [];
  if (fell === undefined) return coded(said(text));
  const all = fell.trim().split(/ +/);
  const side = SIDES.find((each) => each === player);
  const kind = { faces: Array.from({ length: Number(faces) }, (_, each) => String(each + 1)), ...(side ? { side } : {}) };
  return [
    player ? `${player.charAt(0).toUpperCase()}${player.slice(1)} rolls ` : "Rolled: ",
    rolled(before ?? "", count ?? "", faces ?? ""),
    el("span", { class: "sr" }, all.join(" ")),
    ...all.slice(0, MOST_DRAWN).flatMap((each) => {
      const made = die(each, kind, true);
      made.setAttribute("aria-hidden", "true");
      return [made, " "];
    }),
    all.length > MOST_DRAWN ? all.slice(MOST_DRAWN).join(" ") : null,
  ];
}
