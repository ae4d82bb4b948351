/** What the page keeps: its plays, where the browser lets it, and which tab goes on with each. */
import type { Request } from "./engine";

/** A request of the play with what it was about. */
export interface Done {
  readonly request: Request;
  /** Who was asked what; empty where nobody was. */
  readonly who: string;
  readonly asked: string;
  readonly at: number;
}

export interface Remark {
  readonly kind: string;
  readonly text: string;
  readonly who: string;
  /** How many requests were done before it. */
  readonly after: number;
  /** The question that was open, and the line of the rules that asked it. */
  readonly asked: string;
  readonly address: string;
  readonly at: number;
}

/** A press of why, or an answer taken back, with what was on the table. */
export interface Noted {
  readonly sort: "why" | "back";
  readonly after: number;
  readonly about: string;
  readonly address: string;
  readonly at: number;
}

export interface Kept {
  readonly version: 1;
  readonly ruleset: string;
  readonly fingerprint: string;
  readonly scenario: string;
  readonly seed: number;
  readonly dice: "here" | "typed";
  readonly names: Readonly<Record<string, string>>;
  readonly began: number;
  changed: number;
  /** Whether it has ended. */
  over?: boolean;
  readonly done: Done[];
  readonly remarks: Remark[];
  readonly noted: Noted[];
}

/** Plays of one page that are kept; of more the oldest go. */
const MOST_KEPT = 12;
const KEEPS_NOTHING = "This browser keeps nothing for this page: save the play as a file before you close it.";
const IS_FULL = "There is no room left in this browser to keep the play: save it as a file before you close it.";

/**
 * The plays of this page in the storage of the browser, each under a key of its own, so that two tabs never write over each other's.
 * The tab that went on with a play last has it; another one that still shows it keeps nothing more of it.
 */
export class Store {
  /** Why nothing is kept, in words; empty where it is. */
  trouble = "";
  private readonly prefix: string;
  private readonly tab = crypto.randomUUID?.() ?? String(Math.random());

  constructor(private readonly fingerprint: string) {
    this.prefix = `rulewright-play-${fingerprint}-`;
  }

  private key(play: Kept): string {
    return `${this.prefix}${play.began}-${play.seed}`;
  }

  /** All plays that are kept, the one that was played last first. */
  plays(): Kept[] {
    try {
      const keys = Object.keys(localStorage).filter((each) => each.startsWith(this.prefix) && !each.endsWith("-tab"));
      const found = keys.map((each): unknown => JSON.parse(localStorage.getItem(each) ?? "null")).filter((each) => isKept(each, this.fingerprint));
      return found.sort((one, other) => other.changed - one.changed);
    } catch (fault) {
      if (!(fault instanceof SyntaxError)) this.trouble = KEEPS_NOTHING;
      return [];
    }
  }

  /** This tab goes on with a play: none of the others keeps anything of it from here on. */
  take(play: Kept): void {
    try {
      localStorage.setItem(`${this.key(play)}-tab`, this.tab);
      for (const each of this.plays().slice(MOST_KEPT)) this.forget(each);
    } catch {
      /* saving it will say why */
    }
    this.save(play);
  }

  save(play: Kept): void {
    try {
      if (this.isElsewhere(play)) return;
      localStorage.setItem(this.key(play), JSON.stringify(play));
      this.trouble = "";
    } catch (fault) {
      this.trouble = fault instanceof DOMException && /quota/i.test(fault.name) ? IS_FULL : KEEPS_NOTHING;
    }
  }

  forget(play: Kept): void {
    try {
      localStorage.removeItem(this.key(play));
      localStorage.removeItem(`${this.key(play)}-tab`);
    } catch {
      /* nothing was kept then */
    }
  }

  /** Whether another tab went on with this play since this one did. */
  isElsewhere(play: Kept): boolean {
    try {
      const tab = localStorage.getItem(`${this.key(play)}-tab`);
      return tab !== null && tab !== this.tab;
    } catch {
      return false;
    }
  }

  /** The play as it was kept last, by whichever tab; itself where nothing is kept. */
  latest(play: Kept): Kept {
    return this.plays().find((each) => this.key(each) === this.key(play)) ?? play;
  }
}

/** Whether something that was read from a file is a play of this page. */
export function isKept(given: unknown, fingerprint: string): given is Kept {
  const play = given as Partial<Kept> | null;
  return play?.version === 1 && play.fingerprint === fingerprint && typeof play.scenario === "string" && typeof play.seed === "number" && Array.isArray(play.done) && Array.isArray(play.remarks);
}
