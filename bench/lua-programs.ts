import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A text of Lua that does the same whenever it is run. */
export interface LuaProgram {
  name: string;
  /** What is there before: made once, however often the program runs. */
  before: string;
  /** What runs, as the body of a function. */
  text: string;
  /** The same once, printing what it computed. */
  shown: string;
}

/** Programs as the differential test makes them: strings, patterns, tables, metatables, coroutines, numbers. */
export async function generatedPrograms(count: number): Promise<LuaProgram[]> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../test/differential/random-program.ts', import.meta.url))],
    ...{ bundle: true, format: 'esm', platform: 'node', write: false },
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  const { randomStatements, sourceOf } = (await import(`data:text/javascript;base64,${code}`)) as {
    randomStatements: (seed: number) => string[];
    sourceOf: (statements: string[]) => string;
  };
  return Array.from({ length: count }, (_, i) => {
    const shown = sourceOf(randomStatements(i + 1));
    const text = `local kept local print = function(text) kept = text end ${shown}`;
    return { name: `seed ${i + 1}`, before: '', text, shown };
  });
}

/** So many runs of a program, one after the other, each to its end or its error; none only loads it. */
export function repeated({ before, text }: LuaProgram, times: number): string {
  return `${before} local function program() ${text}\nend for run = 1, ${times} do pcall(program) end return true`;
}
