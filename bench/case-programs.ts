import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LuaProgram } from './lua-programs.ts';

/** A case that is no program by itself, and the one whose figures hold what it does. */
export interface PartOfCase {
  name: string;
  of: string;
}

const inRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** By topic, each in the scope of those before it. */
const standIns = ['language', 'state', 'procedures', 'tools', 'outside']
  .map((topic) => readFileSync(inRoot(`bench/stand-ins/${topic}.lua`), 'utf8'))
  .join('\n');

/** Fits every case: each takes what it declares. */
const input = '{ n = 10, x = 21, who = "Ada" }';

/** The Lua of the recorded cases: each file a function, run with what stands in for the language. */
export function casePrograms(): { programs: LuaProgram[]; parts: PartOfCase[] } {
  const sources = new Map(
    globSync(inRoot('test/conformance/cases/*.tac'))
      .toSorted()
      .map((file) => [basename(file, '.tac'), readFileSync(file, 'utf8')] as const),
  );
  const parts: PartOfCase[] = [];
  const programs: LuaProgram[] = [];
  for (const [name, source] of sources) {
    const user = [...sources].find(([, text]) => text.includes(`require("${name}")`));
    if (user === undefined) programs.push(programOf(name, source, sources));
    else parts.push({ name, of: user[0] });
  }
  return { programs, parts };
}

function programOf(name: string, source: string, sources: ReadonlyMap<string, string>): LuaProgram {
  const files = [...sources]
    .filter(([file]) => source.includes(`"${file}"`))
    .map(([file, text]) => `files["${file}"] = function()\n${text}\nend`);
  const before = `${standIns}\n${files.join('\n')}\nlocal function case()\n${source}\nend`;
  return {
    ...{ name, before, text: `return run(case, ${input})` },
    shown: `local show = print ${before} show(textOf(table.pack(pcall(run, case, ${input})))) return true`,
  };
}
