/** The engine of the page: a worker that can be stopped and started again, asked by JSON as the server of the workbench is. */
import { IMPORTS, machine, unpacked } from "../engine/machine";
import type { Asked, Parts, Told } from "../engine/worker";
import type { Moment } from "../panes/play_line";
import type { FacesOfDie } from "../panes/play_question";
import type { Runs } from "../panes/play_story";

export interface Reply {
  readonly moment?: Moment;
  readonly says?: readonly Runs[];
  readonly faces?: FacesOfDie;
  readonly fell?: readonly string[];
  readonly problem?: string;
  readonly done?: number;
  readonly stopped?: string;
  readonly ready?: boolean;
}

export type Request = Readonly<Record<string, unknown>> & { readonly do: string };

const PAUSE_MS = 20;
const PAINTS_MS = 1000;
const DEAD_MS = 5000;
const START = `${IMPORTS}
with open("/modules", "rb") as _file:
    _compile_next = install(_file.read()).compile_next
from rulewright.studio.page_play import open_stored_plays
with open("/plays", "rb") as _file:
    _plays = open_stored_plays(_file.read(), _compile_next)
gc.freeze()
gc.enable()
_plays.handle_text
`;

/** The bytes of a text in base64; browsers that read it themselves are ten times as fast. */
function decoded(text: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as unknown as { readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (fromBase64) return fromBase64.call(Uint8Array, text);
  const written = atob(text);
  const bytes = new Uint8Array(written.length);
  for (let at = 0; at < written.length; at += 1) bytes[at] = written.charCodeAt(at);
  return bytes;
}

/** What was last put into the page is on the screen. */
function painted(): Promise<void> {
  return new Promise((done) => {
    const late = setTimeout(done, PAINTS_MS); // a page in the background paints nothing
    requestAnimationFrame(() => setTimeout(() => { clearTimeout(late); done(); }));
  });
}

/** A part of the page, as it stands packed in it. */
function part(name: string): Uint8Array<ArrayBuffer> {
  return decoded(document.getElementById(`part-${name}`)?.textContent ?? "");
}

export async function texts(): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await unpacked(part("texts"))));
}

export class Stopped extends Error {}

export class Engine {
  /** Resolves once it answers; rejects with the reason where it cannot start. */
  ready: Promise<void>;
  private worker: Worker | null = null;
  private machine: Promise<WebAssembly.Module> | null = null;
  hasStarted = false;
  private giveUp: (fault: Error) => void = () => undefined;
  private number = 0;
  private readonly waiting = new Map<number, { answer(reply: Reply): void; fail(fault: Error): void }>();

  constructor() {
    this.ready = painted().then(() => this.start());
    this.watch();
  }

  private async start(): Promise<void> {
    this.machine ??= machine(part("machine"));
    const [compiled, ...others] = await Promise.all([this.machine, ...["worker", "library", "modules", "plays"].map((name) => unpacked(part(name)))]);
    const [script, library, modules, plays] = others;
    if (!script || !library || !modules || !plays) throw new Error("a part of this page is missing");
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const worker = (this.worker = new Worker(address));
    URL.revokeObjectURL(address);
    const parts: Parts = { machine: compiled, library, files: { "/modules": modules, "/plays": plays }, start: START };
    await new Promise<void>((done, failed) => {
      this.giveUp = failed;
      worker.onerror = (event) => failed(new Error(event.message || "the engine could not start"));
      worker.onmessage = ({ data }: MessageEvent<Told>) => {
        if ("ready" in data) done();
        else if ("failed" in data) failed(new Error(data.failed));
        else if ("number" in data) this.heard(data);
      };
      worker.postMessage({ parts } satisfies Asked, [library, modules, plays]);
    });
  }

  private watch(): void {
    this.hasStarted = false;
    const { ready } = this;
    ready.then(() => { this.hasStarted = this.ready === ready; }, () => undefined);
  }

  private heard(told: Extract<Told, { readonly number: number }>): void {
    const asked = this.waiting.get(told.number);
    this.waiting.delete(told.number);
    if ("reply" in told) asked?.answer(JSON.parse(told.reply) as Reply);
    else asked?.fail(new Error(told.fault));
  }

  /** The reply to a request; rejects where the engine itself failed or was stopped, not where the play refuses. */
  async ask(request: Request): Promise<Reply> {
    await this.ready;
    this.number += 1;
    const { number } = this;
    return new Promise((answer, fail) => {
      this.waiting.set(number, { answer, fail });
      this.worker?.postMessage({ number, request: JSON.stringify(request) } satisfies Asked);
    });
  }

  /** Lets it get ready, piece by piece, for what is not asked first; whatever is asked meanwhile waits for one piece at most. */
  async prepare(): Promise<void> {
    while (!(await this.ask({ do: "prepare" })).ready) await new Promise((done) => setTimeout(done, PAUSE_MS));
  }

  /** Whether it answers still, or is only starting. */
  async isAlive(): Promise<boolean> {
    const late = new Promise<false>((done) => setTimeout(() => done(false), DEAD_MS));
    const answers = this.ask({ do: "prepare" }).then(() => true, () => false);
    return this.hasStarted ? Promise.race([answers, late]) : true;
  }

  /** Ends what it is doing; it starts anew, and knows of no play then. */
  restart(): void {
    this.worker?.terminate();
    this.giveUp(new Stopped("stopped"));
    for (const each of this.waiting.values()) each.fail(new Stopped("stopped"));
    this.waiting.clear();
    this.ready = this.start();
    this.watch();
  }
}
