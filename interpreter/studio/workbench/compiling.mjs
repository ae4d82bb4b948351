// Python, as the engine has it, compiles: what `engine.mjs` and `modules.mjs` share.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

export const PYODIDE = join(dirname(fileURLToPath(import.meta.url)), "node_modules/pyodide");

/** Without the tables that tell lines, which are half of what is compiled: no page shows lines of its own modules. */
const COMPACT = `
def compact(code):
    return code.replace(co_linetable=b"", co_consts=tuple(compact(each) if isinstance(each, type(code)) else each for each in code.co_consts))
`;

/** Runs a program of Python that has the function \`compact\`, with these files and names; what it leaves under \`made\` and its last value. */
export async function compiled(program, files, names = {}) {
  const python = await loadPyodide({ indexURL: `${PYODIDE}/` });
  for (const [path, content] of Object.entries(files)) python.FS.writeFile(path, content);
  for (const [name, value] of Object.entries(names)) python.globals.set(name, value);
  const value = python.runPython(COMPACT + program)?.toJs?.();
  return { made: Buffer.from(python.globals.get("made").toJs()), value };
}

/** Python's library as Pyodide ships it. */
export const given = () => readFileSync(join(PYODIDE, "python_stdlib.zip"));
