/** Likelihoods: exact where they are known exactly, written as people read them. */

export interface Share {
  /** A fraction such as `1/6`; null where plays were counted. */
  readonly exact: string | null;
  readonly about: number;
  /** Of counted plays, and of plays that were not all followed: where the truth is. */
  readonly low?: number;
  readonly high?: number;
}

export const STYLES = ["fraction", "percent", "odds"] as const;
export type Style = (typeof STYLES)[number];

const READABLE = 1000;
const IN_WORDS = 36;

export const NEVER: Share = { exact: "0", about: 0 };

/** An exact fraction, or a number. */
export function shareOf(written: string | number): Share {
  const [over = 0, under = 1] = String(written).split("/").map(Number);
  return { exact: String(written), about: over / under };
}

function parts({ exact }: Share): readonly [number, number] | null {
  if (exact === null) return null;
  const [over = "0", under = "1"] = exact.split("/");
  return under.length <= 4 && Number(under) <= READABLE ? [Number(over), Number(under)] : null;
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}

/** The sum, exact where all are and their parts stay short. */
export function sum(shares: readonly Share[]): Share {
  const about = shares.reduce((all, each) => all + each.about, 0);
  let [over, under] = [0, 1];
  for (const each of shares) {
    const found = parts(each);
    if (!found) return bounded(shares, about);
    [over, under] = [over * found[1] + found[0] * under, under * found[1]];
    const by = divisor(over, under) || 1;
    [over, under] = [over / by, under / by];
  }
  return { exact: under === 1 ? String(over) : `${over}/${under}`, about };
}

function bounded(shares: readonly Share[], about: number): Share {
  if (!shares.some((each) => each.high !== undefined)) return { exact: null, about };
  const spread = Math.sqrt(shares.reduce((all, each) => all + ((each.high ?? each.about) - each.about) ** 2, 0));
  return { exact: null, about, low: Math.max(0, about - spread), high: Math.min(1, about + spread) };
}

export function percent(about: number): string {
  const hundreds = about * 100;
  if (hundreds === 0 || hundreds === 100) return `${hundreds} %`;
  if (hundreds < 0.05) return `${hundreds.toPrecision(1)} %`;
  return `${hundreds > 99.95 ? hundreds.toFixed(3) : hundreds.toFixed(1)} %`;
}

/** A likelihood in a style; one that has no short fraction in percent. */
export function said(share: Share, style: Style): string {
  const found = parts(share);
  if (style === "percent" || !found) {
    if (style === "odds" && share.about > 0 && share.about < 0.5) return `1 in ${Number((1 / share.about).toPrecision(2))}`;
    return percent(share.about);
  }
  const [over, under] = found;
  if (style === "fraction") return under === 1 ? String(over) : `${over}/${under}`;
  return over === 0 ? "never" : over === under ? "always" : `${over} in ${under}`;
}

/** A likelihood as a sentence begins: `an even chance`, `1 chance in 6`. */
export function chance(share: Share): string {
  const found = parts(share);
  if (share.about === 0) return "no chance";
  if (share.about === 1) return "certain";
  if (found) {
    const [over, under] = found;
    if (over * 2 === under) return "an even chance";
    if (under <= IN_WORDS) return `${over} ${over === 1 ? "chance" : "chances"} in ${under}`;
  }
  return `a chance of ${percent(share.about)}`;
}
