import { expect, it } from 'vitest';
import { upgradeRuns } from '../../../../src/client/changes/upgrade.js';
import type { TactusRun } from '../../../../src/client/tactus-run.js';
import { TactusError } from '../../../../src/contract/errors.js';

const source = { entry: 'a.tac', files: { 'a.tac': 'Procedure { function() end }' } };
const open = { describe: () => Promise.resolve({ status: { name: 'RUNNING' }, type: 'tactus', raw: {} }) };
const tactus = {
  attach: (runId: string) => ({ runId, handle: open }) as unknown as TactusRun,
  list: () => Promise.reject(new Error('no list is wanted')),
};
const ids = Array.from({ length: 30 }, (_, i) => `run-${i}`);

it.each(['no_worker', 'server_unreachable'] as const)(
  'an upgrade of many runs ends where nobody answers: %s',
  async (code) => {
    let asked = 0;
    const ask = (): Promise<never> => {
      asked++;
      return Promise.reject(new TactusError(code, 'nobody is there'));
    };
    await expect(upgradeRuns(tactus, ids, source, { ask })).rejects.toMatchObject({ code });
    expect(asked).toBeLessThan(ids.length);
  },
);

it('any other error of a run is told of it, and the others are asked', async () => {
  const ask = (): Promise<never> =>
    Promise.reject(new TactusError('payload_too_large', 'its log is too large'));
  const upgraded = await upgradeRuns(tactus, ids, source, { ask });
  expect(upgraded.map(({ run_id: id }) => id).sort()).toEqual([...ids].sort());
  expect(new Set(upgraded.map(({ verdict, message }) => `${verdict}: ${message}`))).toEqual(
    new Set(['failed: its log is too large']),
  );
});
