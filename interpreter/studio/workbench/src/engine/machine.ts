/** Python as a page runs it: the machine, compiled once for all workers of the page, and how it begins to import. */

/** What is packed by gzip, as it is unpacked; a web server may have unpacked it already. */
export function unpacking(content: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([content]).stream();
  return content[0] === 0x1f && content[1] === 0x8b ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
}

export function unpacked(content: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return new Response(unpacking(content)).arrayBuffer();
}

/** Compiles while it unpacks. */
export function machine(content: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  return WebAssembly.compileStreaming(new Response(unpacking(content), { headers: { "content-type": "application/wasm" } }));
}

/** What Python begins with: `install` lets the modules be imported that `marshal` has packed. */
export const IMPORTS = `
import gc, marshal, sys
gc.disable()
sys.dont_write_bytecode = True

def install(packed, folder=""):
    modules = marshal.loads(packed)
    first, importer = modules["rulewright/studio/page_importer.py"], {"__name__": "importer"}
    exec(marshal.loads(first) if isinstance(first, bytes) else first, importer)
    return importer["install_importer"](modules, folder)
`;
