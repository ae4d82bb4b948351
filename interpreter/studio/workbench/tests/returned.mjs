/** Files of plays as a shared page hands them out, without the page: the first answers of a scenario, given to the engine that a page holds. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const PYTHON = process.env.RULEWRIGHT_PYTHON ?? "python";
const PLAYED = `
import json, sys
from rulewright.cli.share import _gather_plays
from rulewright.studio.page_play import open_stored_plays
ruleset, scenario, answers = sys.argv[1], sys.argv[2], int(sys.argv[3])
gathered = _gather_plays(ruleset, [scenario], ())
plays = open_stored_plays(gathered.store("x"))
reply, done = plays.handle_request({"do": "begin", "scenario": 0, "seed": 7}), []
while reply["moment"]["asks"] and len(done) < answers:
    asks = reply["moment"]["asks"]
    legal = [each for each in asks["options"] if each["refused"] is None]
    request = {"do": "throw"} if asks["takes"] == "dice" else {"do": "answer", "typed": legal[0]["typed"] if legal else ""}
    reply = plays.handle_request(request)
    done.append({"request": request, "who": asks["who"], "asked": asks["asked"], "at": len(done)})
[summary] = gathered.summaries
[program] = gathered.programs
print(json.dumps({
    "format": "rulewright playtest", "version": 1, "ruleset": program.name, "fingerprint": program.fingerprint, "revision": program.revision,
    "scenario": summary["name"], "seed": 7, "dice": "here", "names": {}, "began": 0, "changed": 960000, "done": done,
    "remarks": [], "noted": [], "end": plays.handle_request({"do": "finish"}),
}))
`;

/** Writes such a file; `others` replaces parts of it. */
export function returned(file, ruleset, scenario, others = {}, answers = 400) {
  const played = JSON.parse(execFileSync(PYTHON, ["-c", PLAYED, ruleset, scenario, String(answers)], { encoding: "utf8" }));
  writeFileSync(file, JSON.stringify({ ...played, ...others }));
  return played;
}
