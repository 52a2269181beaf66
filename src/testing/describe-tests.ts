import type { MockPlan } from '../contract/mock-plan.js';
import type { ProcedureSource } from '../contract/source.js';
import { dryProgram, type DeclaredTests } from '../lua-bridge/index.js';

const mock: MockPlan = { all: true, agents: {}, results: {}, people: [] };
/** A script's declarations may come after what it does: so much of it is gone through. */
const mostEffects = 100;

/**
 * What a file declares for its tests. Nothing is performed: agents are mocked, and whatever else a script does on its
 * way to its declarations gives nothing.
 * @throws TactusError source_invalid, source_not_found
 */
export function describeTests(source: ProcedureSource): DeclaredTests {
  const program = dryProgram(source, {}, { mock, scenario: [] });
  for (let effects = 0; effects < mostEffects;) {
    const turn = program.turn();
    if (turn.kind === 'slice') continue;
    if (turn.kind === 'failed' && turn.error.code === 'source_invalid') throw turn.error;
    if (turn.kind !== 'blocked') break;
    for (const { position } of program.pending) {
      program.settle(position, { ok: true, value: null }, 0);
      effects++;
    }
  }
  return program.describeTests();
}
