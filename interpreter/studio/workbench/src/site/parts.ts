/** The parts of a site beside its page, fetched once, and the workers that run them. */
import { IMPORTS, machine, unpacking } from "../engine/machine";
import type { Asked, Files, Parts, Told } from "../engine/worker";

/** What a site says of itself. */
export interface Site {
  readonly name: string;
  /** Of the parts, by digest: other parts have another one. */
  readonly digest: string;
  /** Files that a new reader finds there, in base64 by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** What a worker begins with, held by the browser outside the memory of the page. */
export interface Unpacked {
  readonly script: Blob;
  readonly machine: WebAssembly.Module;
  readonly library: Blob;
  readonly more: Blob;
  readonly modules: Blob;
}

const START = `${IMPORTS}
import os, zipfile, zipimport

class _More:
    """What the library has besides: packages of it stand in two archives."""
    find_spec = staticmethod(lambda name, *_: zipimport.zipimporter("/more.zip/" + "/".join(name.split(".")[:-1])).find_spec(name))

sys.meta_path.append(_More)
with zipfile.ZipFile("/modules.zip") as _packed:
    install(_packed.read("modules"), "/site/")
    _packed.extractall("/site", [_name for _name in _packed.namelist() if _name != "modules"])
os.unlink("/modules.zip")
import js
from rulewright.cli.page_process import PageProcess
gc.freeze()
gc.enable()
PageProcess(js.tellPage).handle_text
`;

/** A part by its name, as it is packed or as a server has unpacked it. */
async function part(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(`parts/${name}.bin`);
  if (!answer.ok) throw new Error(`a part of this page is missing: ${name}`);
  return new Uint8Array(await answer.arrayBuffer());
}

export async function parts(): Promise<Unpacked> {
  const rest = ["worker", "library", "more", "modules"].map((name) => part(name).then((content) => new Response(unpacking(content)).blob()));
  const [compiled, [script, library, more, modules]] = await Promise.all([part("machine").then(machine), Promise.all(rest)]);
  if (!script || !library || !more || !modules) throw new Error("a part of this page is missing");
  return { script, machine: compiled, library, more, modules };
}

const ENGINE = "/site/rulewright/studio/static/engine";

/** What a shared page is made of besides a ruleset, where Python looks for it. */
export async function ingredients(): Promise<Files> {
  const places = { machine: "machine.wasm.gz", library: "library.zip.gz", worker: "worker.js.gz", page: "page.gz" };
  const made = await Promise.all(Object.entries(places).map(async ([name, file]) => [`${ENGINE}/${file}`, await repacked(await part(name))] as const));
  return Object.fromEntries(made);
}

/** A part as it is packed, also where a server has unpacked it. */
async function repacked(content: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  if (content[0] === 0x1f && content[1] === 0x8b) return content.buffer;
  return new Response(new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
}

/** One of the two programs of the page in a worker of its own. */
export class Program {
  /** Resolves once it answers; rejects with the reason where it cannot start. */
  readonly ready: Promise<void>;
  private readonly worker: Worker;
  private number = 0;
  private readonly waiting = new Map<number, { answer(reply: string): void; fail(fault: Error): void }>();

  constructor(unpacked: Unpacked, private readonly heard: (kind: string, text: string) => void, failed: (why: string) => void) {
    const address = URL.createObjectURL(new Blob([unpacked.script], { type: "text/javascript" }));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
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
      this.begin(unpacked).catch(reject);
    });
    this.ready.catch(() => undefined);
  }

  private async begin(unpacked: Unpacked): Promise<void> {
    const [library, more, modules] = await Promise.all([unpacked.library.arrayBuffer(), unpacked.more.arrayBuffer(), unpacked.modules.arrayBuffer()]);
    const parts: Parts = { machine: unpacked.machine, library, files: { "/modules.zip": modules, "/more.zip": more }, start: START };
    this.worker.postMessage({ parts } satisfies Asked, [library, more, modules]);
  }

  private answered(told: Extract<Told, { readonly number: number }>): void {
    const asked = this.waiting.get(told.number);
    this.waiting.delete(told.number);
    if ("reply" in told) asked?.answer(told.reply);
    else asked?.fail(new Error(told.fault));
  }

  /** Has it do something; its reply, which is empty for most. */
  async have(request: Readonly<Record<string, unknown>> & { readonly do: string }, files: Files = {}): Promise<string> {
    await this.ready;
    this.number += 1;
    const { number } = this;
    return new Promise((answer, fail) => {
      this.waiting.set(number, { answer, fail });
      this.worker.postMessage({ number, request: JSON.stringify(request), files } satisfies Asked);
    });
  }

  end(): void {
    this.worker.terminate();
    for (const each of this.waiting.values()) each.fail(new Error("stopped"));
    this.waiting.clear();
  }
}
