/** A question that takes a while: how long it has taken, when it is given up, and a button that stops it. */
import { type Desk, isGivenUp } from "./desk";
import { button, el, fill } from "./elements";

/** After so many seconds it is said when it is given up. */
const TOLD_S = 10;

export class Asking {
  /** What shows it; empty where nothing is under way. */
  readonly bar = el("div", { class: "under-way row" });
  private under: AbortController | null = null;

  constructor(
    private readonly desk: Desk,
    private readonly what: string,
    /** After how many seconds the server gives up. */
    private readonly longest: number,
    /** What can be done in its stead, offered once it takes long. */
    private readonly instead?: { readonly says: string; readonly run: () => void },
  ) {}

  get isUnderWay(): boolean {
    return this.under !== null;
  }

  /** Asks; a question that is under way is stopped for it. Null where this one was stopped. */
  async run<T>(question: (signal: AbortSignal, asking: string) => Promise<T>): Promise<T | null> {
    this.stop();
    const asking = (this.under = new AbortController());
    const name = crypto.randomUUID();
    const begun = Date.now();
    let far = "";
    const told = el("span", {});
    const meter = el("progress", { max: this.longest, value: 0, label: this.what });
    const tell = (): void => {
      const seconds = Math.floor((Date.now() - begun) / 1000);
      const [, done, whole] = /(\d+) of (\d+)/.exec(far) ?? [];
      [meter.max, meter.value] = done && whole ? [Number(whole), Number(done)] : [this.longest, Math.min(seconds, this.longest)];
      fill(told, seconds < 1 ? `${this.what} …` : `${this.what}: ${[far, `${seconds} s`, seconds < TOLD_S ? "" : `gives up after ${this.longest} s`].filter(Boolean).join("; ")}`);
      if (instead) instead.hidden = seconds < 2;
      if (seconds >= 1) void this.desk.ask<{ says: string }>("progress", { asking: name }, asking.signal).then(({ says }) => (far = says), () => undefined);
    };
    const instead = this.instead ? button(this.instead.says, this.instead.run, { hidden: true }) : null;
    tell();
    fill(this.bar, meter, told, button("Stop", () => this.stop()), instead);
    const clock = setInterval(tell, 1000);
    try {
      return await question(asking.signal, name);
    } catch (fault) {
      if (isGivenUp(fault)) return null;
      throw fault;
    } finally {
      clearInterval(clock);
      if (this.under === asking) {
        this.under = null;
        fill(this.bar);
      }
    }
  }

  stop(): void {
    this.under?.abort();
    this.under = null;
    fill(this.bar);
  }
}
