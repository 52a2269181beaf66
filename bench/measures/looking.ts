import luaparse from 'luaparse';
import type { ProcedureSource } from '../../dist/contract/procedures/source.js';
import { graphSource } from '../../dist/graph/index.js';
import { validateSource } from '../../dist/validation/index.js';
import { largeProcedure } from '../large-procedure.ts';
import { inTurns, timed, type Comparison } from './compare.ts';
import { loadOnce } from './load-once.ts';

const rounds = 9;

/** Loading, validating and drawing 2,000 lines against parsing them, and what a line of them costs against one of 200. */
export async function measureLooking(): Promise<{ againstParsing: Comparison[]; perLine: Comparison[] }> {
  const large = largeProcedure(2_000);
  const small = largeProcedure(200);
  const ways = [
    ['loading', loadOnce],
    ['validating', validate],
    ['drawing', graph],
  ] as const;
  // The parser is quick only when the engine has seen it for a while.
  for (let i = 0; i < 50; i++) parse(large);
  const againstParsing: Comparison[] = [];
  const perLine: Comparison[] = [];
  for (const [what, look] of ways) {
    const whole = await inTurns(
      rounds,
      () => timed(async () => look(large)),
      () => timed(async () => parse(large)),
    );
    againstParsing.push({ what: `${what} 2,000 lines`, unit: 'ms', ...whole });
    const { ours, native } = await inTurns(
      rounds,
      () => timed(async () => look(large)),
      () => timed(async () => look(small)),
    );
    perLine.push({
      ...{ what: `${what} a line`, unit: 'µs' },
      ...{ ours: (ours * 1_000) / 2_000, native: (native * 1_000) / 200 },
    });
  }
  return { againstParsing, perLine };
}

function validate(source: ProcedureSource): void {
  const { diagnostics } = validateSource(source);
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics[0]));
}

function graph(source: ProcedureSource): void {
  if (!('graph' in graphSource(source))) throw new Error('no graph');
}

function parse({ files }: ProcedureSource): void {
  for (const text of Object.values(files)) luaparse.parse(text, { luaVersion: '5.3', locations: true });
}
