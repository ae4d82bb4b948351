// Compiles the modules of a page into the package: `npm run modules`. A module that is changed later goes into pages as text, which
// costs whoever opens them time; `tests/packaging/test_engine.py` says when too many are.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { compiled } from "./compiling.mjs";

const target = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "../../rulewright/studio/static/modules.zip.gz");
const python = process.env.RULEWRIGHT_PYTHON ?? "python";
const SOURCES = "from rulewright.studio import page_modules, site_writer; page_modules.write_sources(site_writer.list_sources())";
const COMPILE = `
import io, json, marshal, warnings, zipfile
warnings.simplefilter("ignore")
made = io.BytesIO()
with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as out:
    for digest, name, text in json.load(open("/sources.json", encoding="utf-8")):
        code = compile(text, name, "exec", dont_inherit=True)
        out.writestr(zipfile.ZipInfo(digest, (1980, 1, 1, 0, 0, 0)), marshal.dumps(compact(code)))
made = made.getvalue()
`;

const sources = execFileSync(python, ["-c", SOURCES], { maxBuffer: 1 << 28 });
const { made } = await compiled(COMPILE, { "/sources.json": sources });
writeFileSync(target, gzipSync(made, { level: 9 }));
