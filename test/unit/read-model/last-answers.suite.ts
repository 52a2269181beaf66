import { expect, it } from 'vitest';
import type { IndexChange, RunIndex } from '../../../src/read-model/run-index.js';
import { aToldRun } from '../../support/told-run.js';

const answered = (execution: string, version: string, packed: string): IndexChange => ({
  kind: 'answered',
  run: { run_id: 'r', execution, version, packed },
});

/** What every index keeps of runs that have ended. */
export function lastAnswersSuite(open: () => RunIndex): void {
  it('keeps what an execution answered last, until the run is forgotten', async () => {
    const index = open();
    const packed = "é'😀".repeat(20_000);
    await index.write([{ kind: 'told', run: aToldRun('r', 3) }, answered('e1', '3', packed)]);
    expect(await index.answers('r', 'e1')).toBe(packed);
    expect([await index.answers('r', 'e0'), await index.answers('s', 'e1')]).toEqual([null, null]);
    await index.write([answered('e1', '5', 'later')]);
    await index.write([answered('e1', '4', 'late')]);
    expect(await index.answers('r', 'e1')).toBe('later');
    await index.write([answered('e2', '6', 'again')]);
    expect([await index.answers('r', 'e1'), await index.answers('r', 'e2')]).toEqual([null, 'again']);
    await index.forget(['r']);
    expect(await index.answers('r', 'e2')).toBeNull();
    await index.write([answered('e2', '6', 'again')]);
    await index.clear();
    expect(await index.answers('r', 'e2')).toBeNull();
  });
}
