/** Colours of sides: a side that is called by a colour has it, any other the next of the four that no side is called by. */

export const SIDES = ["red", "blue", "green", "yellow"] as const;
export type Side = (typeof SIDES)[number] | "nobody";

/** The side of each player, in the order of the ruleset; players beyond the fourth share the last colour. */
export function sides(players: readonly string[]): ReadonlyMap<string, Side> {
  const own = (player: string): Side | undefined => SIDES.find((each) => each === player.toLowerCase());
  const taken = new Set(players.map(own));
  const free = SIDES.filter((each) => !taken.has(each));
  return new Map(players.map((player) => [player, own(player) ?? free.shift() ?? "yellow"]));
}
