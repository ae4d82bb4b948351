/**
 * The engine in a worker: Python as WebAssembly, and what a page has it run. It is built with the engine (`npm run engine`), asks
 * nothing of a network, and answers each request with one reply, both as JSON text.
 */
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import { loadPyodide, type PyodideInterface } from "pyodide";

/** Contents by path. */
export type Files = Readonly<Record<string, ArrayBuffer>>;

/** What the page hands over: the machine, compiled, Python's library, files by their paths, and what Python begins with. */
export interface Parts {
  readonly machine: WebAssembly.Module;
  readonly library: ArrayBuffer;
  readonly files: Files;
  /** Its last line is a function from a request to its reply; `tellPage` of the worker tells the page of its own accord. */
  readonly start: string;
}

export type Asked = { readonly parts: Parts } | { readonly number: number; readonly request: string; readonly files?: Files };
export type Told = { readonly ready: true } | { readonly failed: string } | { readonly number: number; readonly reply: string } | { readonly number: number; readonly fault: string } | { readonly kind: string; readonly text: string };

const HERE = "https://engine.invalid/";
/** What a lock file would say: there is nothing to be loaded later. */
const NOTHING_MORE = JSON.stringify({ info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2", version: "314.0.7" }, packages: {} });

let handle: ((request: string) => string) | null = null;
let write: (files: Files) => void = () => undefined;

/** Starts Python on what the page handed over; what it would fetch is given to it instead. */
async function start(parts: Parts): Promise<void> {
  const given: Readonly<Record<string, () => Response>> = {
    "pyodide.asm.wasm": () => new Response(),
    "python_stdlib.zip": () => new Response(parts.library),
  };
  self.fetch = (asked) => {
    const found = given[String(asked instanceof Request ? asked.url : asked).slice(HERE.length)];
    return found ? Promise.resolve(found()) : Promise.reject(new Error("the page has no network"));
  };
  const { machine: module } = parts;
  WebAssembly.instantiateStreaming = async (_, imports) => ({ module, instance: await WebAssembly.instantiate(module, imports) });
  const python: PyodideInterface = await loadPyodide({
    indexURL: HERE, lockFileContents: NOTHING_MORE, createPyodideModule, stdin: () => null, stdout: () => undefined, stderr: () => undefined,
  } as Parameters<typeof loadPyodide>[0]);
  write = (files) => Object.entries(files).forEach(([path, content]) => python.FS.writeFile(path, new Uint8Array(content)));
  write(parts.files);
  Object.assign(self, { tellPage: (kind: string, text: string) => self.postMessage({ kind, text } satisfies Told) });
  handle = python.runPython(parts.start) as (request: string) => string;
}

const words = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault)).slice(-2000);

self.onmessage = async ({ data }: MessageEvent<Asked>): Promise<void> => {
  const tell = (told: Told): void => self.postMessage(told);
  if ("parts" in data) {
    try {
      await start(data.parts);
      tell({ ready: true });
    } catch (fault) {
      tell({ failed: words(fault) });
    }
    return;
  }
  try {
    if (!handle) throw new Error("the engine has not started");
    write(data.files ?? {});
    tell({ number: data.number, reply: handle(data.request) });
  } catch (fault) {
    tell({ number: data.number, fault: words(fault) });
  }
};
