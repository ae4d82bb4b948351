/** What the page keeps: the play, where the browser lets it, and whether another tab plays it, too. */
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
  readonly done: Done[];
  readonly remarks: Remark[];
  readonly noted: Noted[];
}

const BEAT_MS = 2000;
const KEEPS_NOTHING = "This browser keeps nothing for this page. Save the play as a file before you close it.";

export class Store {
  /** Why nothing is kept, in words; empty where it is. */
  trouble = "";
  private readonly key: string;
  private readonly tab = crypto.randomUUID?.() ?? String(Math.random());

  constructor(fingerprint: string) {
    this.key = `rulewright-play-${fingerprint}`;
  }

  load(): Kept | null {
    try {
      const text = localStorage.getItem(this.key);
      return text ? (JSON.parse(text) as Kept) : null;
    } catch {
      this.trouble = KEEPS_NOTHING;
      return null;
    }
  }

  save(play: Kept): void {
    try {
      localStorage.setItem(this.key, JSON.stringify(play));
      this.trouble = "";
    } catch (fault) {
      const full = fault instanceof DOMException && /quota/i.test(fault.name);
      this.trouble = full ? "There is no room left in this browser to keep the play. Save it as a file before you close it." : KEEPS_NOTHING;
    }
  }

  /** Tells whether another tab has this page open; `heard` is called when that changes. */
  watch(heard: (twice: boolean) => void): void {
    let twice = false;
    const beat = (): void => {
      try {
        const [tab, at] = (localStorage.getItem(`${this.key}-open`) ?? "").split(" ");
        const other = tab !== this.tab && Date.now() - Number(at) < 2 * BEAT_MS;
        if (other !== twice) heard((twice = other));
        if (!other) localStorage.setItem(`${this.key}-open`, `${this.tab} ${Date.now()}`);
      } catch {
        /* nothing is shared then */
      }
    };
    beat();
    setInterval(beat, BEAT_MS);
    addEventListener("pagehide", () => {
      try {
        if ((localStorage.getItem(`${this.key}-open`) ?? "").startsWith(this.tab)) localStorage.removeItem(`${this.key}-open`);
      } catch {
        /* nothing is shared then */
      }
    });
  }
}

/** Whether something that was read from a file is a play of this page. */
export function isKept(given: unknown, fingerprint: string): given is Kept {
  const play = given as Partial<Kept> | null;
  return play?.version === 1 && play.fingerprint === fingerprint && typeof play.scenario === "string" && typeof play.seed === "number" && Array.isArray(play.done) && Array.isArray(play.remarks);
}
