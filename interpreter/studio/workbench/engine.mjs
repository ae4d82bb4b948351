// Makes the engine of a page without a server into the package: `npm run engine`; `node engine.mjs FOLDER` makes it elsewhere.
// Python as WebAssembly (Pyodide), the part of its library that a play needs, compiled, and the worker that runs both.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { compiled, given, PYODIDE as pyodide } from "./compiling.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "../../rulewright/studio/static/engine");
const SOURCES = ["compiling.mjs", "engine.mjs", "src/engine/worker.ts"];

/** Modules of Python's library that the modules of a page import; `tests/packaging/test_engine.py` holds them against the imports. */
const LIBRARY = (
  "abc ast base64 bisect codecs collections contextlib copy copyreg csv dataclasses datetime decimal difflib enum errno fnmatch fractions functools " +
  "hashlib heapq html importlib.util inspect io itertools json keyword linecache locale math numbers operator os pathlib pickle posixpath random re " +
  "reprlib secrets shlex stat string struct sys tempfile textwrap time tokenize traceback types typing unicodedata urllib.parse warnings weakref zipfile"
).split(" ");

/** Modules that the workbench in a page imports besides; `tests/packaging/test_site.py` holds them against the imports. */
const MORE = (
  "argparse array asyncio concurrent.futures concurrent.futures.thread gc getpass glob gzip importlib.metadata importlib.resources importlib.resources._adapters importlib.readers locale logging marshal mimetypes pkgutil platform pprint " +
  "queue quopri shutil signal socket statistics string.templatelib subprocess threading token tomllib urllib.error urllib.request uuid xml.etree.ElementTree zlib " +
  "asyncio.subprocess contextvars ctypes html.entities ipaddress graphlib hmac optparse bz2 lzma " +
  "email.message email.parser encodings.cp437 encodings.idna encodings.raw_unicode_escape encodings.unicode_escape encodings.utf_16 encodings.utf_16_be encodings.utf_16_le encodings.utf_32 encodings.utf_8_sig multiprocessing numbers runpy selectors sysconfig timeit types webbrowser zipimport"
).split(" ");

const COMPILE = `
import importlib, io, sys, zipfile, warnings
import importlib._bootstrap_external as external
warnings.simplefilter("ignore")
for name in wanted.split(" "):
    importlib.import_module(name)
try:
    raise ValueError
except ValueError:
    import traceback
    traceback.format_exc()
prefix = "/lib/python314.zip/"
needed = {module.__file__.removeprefix(prefix) for module in sys.modules.values() if (getattr(module, "__file__", None) or "").startswith(prefix)}
given = zipfile.ZipFile("/given.zip")
needed |= {f"encodings/{name}.py" for name in ("__init__", "aliases", "ascii", "latin_1", "utf_8")}
needed -= set(held)
made = io.BytesIO()
with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as out:
    for name in sorted(needed):
        code = compile(given.read(name), prefix + name, "exec", dont_inherit=True, optimize=2)
        info = zipfile.ZipInfo(name + "c", (1980, 1, 1, 0, 0, 0))
        out.writestr(info, external._code_to_timestamp_pyc(compact(code), 0, 0))
made = made.getvalue()
sorted(needed)
`;

/** Python's library as far as it is needed for some modules, each compiled, without what is held elsewhere; and its files. */
async function library(wanted, held = []) {
  const { made, value } = await compiled(COMPILE, { "/given.zip": given() }, { wanted: wanted.join(" "), held });
  return { content: made, files: value };
}

/** Pyodide refuses workers that are no modules; a worker of a page that was opened from a disk can only be such a one. */
const plainWorkers = {
  name: "plain workers",
  setup(bundle) {
    bundle.onLoad({ filter: /pyodide(\.asm)?\.mjs$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const changed = text.replace(/if\([\w$]+&&[\w$]+\(\)\)throw new Error\("Classic web workers are not supported"\);/, "");
      if (changed === text) throw new Error(`${path} no longer refuses plain workers as it did`);
      return { contents: changed, loader: "js" };
    });
  },
};

async function worker() {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: ["src/engine/worker.ts"],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    minify: true,
    legalComments: "none",
    external: ["node:*", "ws"],
    define: { "import.meta.url": JSON.stringify("https://engine.invalid/worker.js") },
    plugins: [plainWorkers],
    logLevel: "error",
    logOverride: { "direct-eval": "silent" },
  });
  return Buffer.from(outputFiles[0].contents);
}

const digest = (content) => createHash("sha256").update(content).digest("hex");

function sources() {
  const hash = createHash("sha256");
  for (const name of SOURCES) {
    const text = readFileSync(join(here, name));
    hash.update(`${name}\n${text.length}\n`).update(text);
  }
  return hash.digest("hex");
}

const LICENCES = `The engine contains parts of these.

Pyodide 314.0.7 (MPL-2.0): https://github.com/pyodide/pyodide
The Mozilla Public License 2.0 is at https://www.mozilla.org/MPL/2.0/; the source is there, and what was changed in it
is in \`interpreter/studio/workbench/engine.mjs\` of rulewright.

Python 3.14.2 and its library (PSF-2.0): https://www.python.org
Copyright (c) 2001 Python Software Foundation; All Rights Reserved. The licence is at https://docs.python.org/3/license.html

Emscripten (MIT or NCSA): https://emscripten.org
Copyright (c) 2010-2014 Emscripten authors

Built into Python as Pyodide builds it: zlib (Zlib), bzip2 (bzip2-1.0.6), xz/liblzma (0BSD), zstd (BSD-3-Clause), libffi (MIT),
libexpat (MIT), libmpdec (BSD-2-Clause), HACL* (MIT), mimalloc (MIT), SDL 2 (Zlib), OpenSSL (Apache-2.0).
`;

mkdirSync(target, { recursive: true });
const least = await library(LIBRARY);
const contents = {
  "machine.wasm.gz": gzipSync(readFileSync(join(pyodide, "pyodide.asm.wasm")), { level: 9 }),
  "library.zip.gz": gzipSync(least.content, { level: 9 }),
  "more.zip.gz": gzipSync((await library(MORE, least.files)).content, { level: 9 }),
  "worker.js.gz": gzipSync(await worker(), { level: 9 }),
};
const files = {};
for (const [name, content] of Object.entries(contents)) {
  writeFileSync(join(target, name), content);
  files[name] = { bytes: content.length, sha256: digest(content) };
}
const shipped = {};
for (const name of ["pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide.mjs", "python_stdlib.zip"]) shipped[name] = digest(readFileSync(join(pyodide, name)));
const { version } = JSON.parse(readFileSync(join(pyodide, "package.json"), "utf8"));
writeFileSync(join(target, "licences.txt"), LICENCES);
writeFileSync(join(target, "engine.json"), `${JSON.stringify({ pyodide: version, python: "3.14.2", library: LIBRARY, more: MORE, sources: sources(), given: shipped, files }, null, 2)}\n`);
