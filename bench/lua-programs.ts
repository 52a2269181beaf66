import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A text of Lua that does the same whenever it is run. */
export interface LuaProgram {
  name: string;
  text: string;
}

const inRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The Lua of the recorded cases, each as a function of its own. */
export function casePrograms(): LuaProgram[] {
  const standIns = readFileSync(inRoot('bench/stand-ins.lua'), 'utf8');
  return globSync(inRoot('test/conformance/cases/*.tac'))
    .toSorted()
    .map((file) => ({
      name: basename(file),
      text: `${standIns} local function case()\n${readFileSync(file, 'utf8')}\nend case() return main({ n = 10, x = 21 })`,
    }));
}

/** Programs as the differential test makes them: strings, patterns, tables, metatables, coroutines, numbers. */
export async function generatedPrograms(count: number): Promise<LuaProgram[]> {
  const { outputFiles } = await build({
    entryPoints: [inRoot('test/differential/random-program.ts')],
    ...{ bundle: true, format: 'esm', platform: 'node', write: false },
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  const { randomStatements, sourceOf } = (await import(`data:text/javascript;base64,${code}`)) as {
    randomStatements: (seed: number) => string[];
    sourceOf: (statements: string[]) => string;
  };
  return Array.from({ length: count }, (_, i) => ({
    name: `seed ${i + 1}`,
    text: `local kept local print = function(text) kept = text end ${sourceOf(randomStatements(i + 1))}`,
  }));
}

/** So many runs of a program, one after the other; none only loads it. */
export function repeated({ text }: LuaProgram, times: number): string {
  return `local function program() ${text}\nend for run = 1, ${times} do program() end return true`;
}
