/** The parts of a site beside its page, fetched once, and the workers that run them. */
import type { Asked, Parts, Told } from "../engine/worker";

/** What a site says of itself. */
export interface Site {
  readonly name: string;
  /** Of the parts, by digest: other parts have another one. */
  readonly digest: string;
  /** Files that a new reader finds there, in base64 by path. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Unpacked {
  readonly script: ArrayBuffer;
  readonly machine: ArrayBuffer;
  readonly library: ArrayBuffer;
  readonly modules: ArrayBuffer;
}

const START = `
import os, sys, zipfile

def _unpack(archive, folder):
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
        for name in packed.namelist():
            os.utime(f"{folder}/{name}", (0, 0))
    os.unlink(archive)

sys.path.insert(0, "/site")
sys.pycache_prefix = "/compiled"
_unpack("/modules.zip", "/site")
if os.path.exists("/compiled.zip"):
    _unpack("/compiled.zip", "/compiled")
import js
from rulewright.cli.page_process import PageProcess
PageProcess(js.tellPage).handle_text
`;

/** A part by its name, unpacked; a server may have unpacked it already. */
async function part(name: string): Promise<ArrayBuffer> {
  const answer = await fetch(`parts/${name}`);
  if (!answer.ok) throw new Error(`a part of this page is missing: ${name}`);
  const content = await answer.arrayBuffer();
  const [first, second] = new Uint8Array(content, 0, 2);
  if (first !== 0x1f || second !== 0x8b) return content;
  return new Response(new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

export async function parts(): Promise<Unpacked> {
  const [script, machine, library, modules] = await Promise.all([part("worker.bin"), part("machine.bin"), part("library.bin"), part("modules.bin")]);
  return { script, machine, library, modules };
}

/** One of the two programs of the page in a worker of its own. */
export class Program {
  /** Resolves once it answers; rejects with the reason where it cannot start. */
  readonly ready: Promise<void>;
  private readonly worker: Worker;
  private number = 0;
  private readonly waiting = new Map<number, { answer(reply: string): void; fail(fault: Error): void }>();

  constructor(unpacked: Unpacked, compiled: ArrayBuffer | null, private readonly heard: (kind: string, text: string) => void, failed: (why: string) => void) {
    const address = URL.createObjectURL(new Blob([unpacked.script], { type: "text/javascript" }));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    const files = { "/modules.zip": unpacked.modules, ...(compiled ? { "/compiled.zip": compiled } : {}) };
    const given: Parts = { machine: unpacked.machine, library: unpacked.library, files, start: START };
    this.ready = new Promise((resolve, reject) => {
      this.worker.onerror = (event) => {
        reject(new Error(event.message || "the engine could not start"));
        failed(event.message);
      };
      this.worker.onmessage = ({ data }: MessageEvent<Told>) => {
        if ("ready" in data) resolve();
        else if ("failed" in data) reject(new Error(data.failed));
        else if ("kind" in data) this.heard(data.kind, data.text);
        else this.answered(data);
      };
      this.worker.postMessage({ parts: given } satisfies Asked);
    });
    this.ready.catch(() => undefined);
  }

  private answered(told: Extract<Told, { readonly number: number }>): void {
    const asked = this.waiting.get(told.number);
    this.waiting.delete(told.number);
    if ("reply" in told) asked?.answer(told.reply);
    else asked?.fail(new Error(told.fault));
  }

  /** Has it do something; its reply, which is empty for most. */
  async have(request: Readonly<Record<string, unknown>> & { readonly do: string }): Promise<string> {
    await this.ready;
    this.number += 1;
    const { number } = this;
    return new Promise((answer, fail) => {
      this.waiting.set(number, { answer, fail });
      this.worker.postMessage({ number, request: JSON.stringify(request) } satisfies Asked);
    });
  }

  end(): void {
    this.worker.terminate();
    for (const each of this.waiting.values()) each.fail(new Error("stopped"));
    this.waiting.clear();
  }
}
