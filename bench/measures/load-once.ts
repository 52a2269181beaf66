import { defaultLimits } from '../../dist/contract/runs/limits.js';
import type { ProcedureSource } from '../../dist/contract/procedures/source.js';
import { Program } from '../../dist/lua-bridge/index.js';

/** Loads a procedure in the bridge, and runs it up to its first effect. */
export function loadOnce(source: ProcedureSource): void {
  const program = new Program({
    ...{ source, input: { n: 1 }, runId: 'bench', startedAt: 0, seed: 'bench' },
    ...{ limits: defaultLimits, carried: [] },
  });
  const turn = program.turn();
  if (turn.kind !== 'blocked')
    throw new Error(`the procedure came to ${turn.kind} instead of its first effect`);
}
