import { expect, it } from 'vitest';
import { readRetry } from '../../../src/client/changes/retry.js';
import type { CarriedStart } from '../../../src/client/runs/carried-start.js';
import { procedureOf } from '../../support/procedure-source.js';
import { rewinding } from './rewinding.js';

const { around, start, attach } = rewinding();

const dayMs = 86_400_000;

/** As it would be a day later. */
function aDayBefore({ start: { carry, ...given }, children = [], ...retry }: CarriedStart): CarriedStart {
  const { deadline } = given.parent ?? {};
  return {
    ...retry,
    children: children.map(aDayBefore),
    start: {
      ...given,
      ...(given.parent === undefined || deadline === undefined
        ? {}
        : { parent: { ...given.parent, deadline: deadline - dayMs } }),
      carry: {
        ...carry,
        endedAt: carry.endedAt! - dayMs,
        deadlines: Object.fromEntries(
          Object.entries(carry.deadlines).map(([position, end]) => [position, end - dayMs]),
        ),
      },
    },
  };
}

it('no time passes for a run that has failed, nor for its child runs, until it is tried again', async () => {
  const child = (body: string): string => `Procedure { function() Sleep(0.01) ${body} end }`;
  const parent = (body: string) =>
    procedureOf(`return step("ask", function() return Procedure.run("child.tac") end, { deadline = "1h" })`, {
      'child.tac': child(body),
    });
  const run = await start(parent('error("not yet")'));
  await expect(run.result()).rejects.toMatchObject({ code: 'child_failed' });
  const retry = await readRetry(run, { source: parent('Sleep(0.01) return "late"') });
  expect(Object.keys(retry.start.carry.deadlines)).toHaveLength(1);
  expect(retry.children?.[0]?.start.parent?.deadline).toBeGreaterThan(Date.now());
  await around.server.tactus.startFork(aDayBefore(retry));
  expect(await run.result()).toBe('late');
  const { execution_log: log } = await attach(`${run.runId}/0.1`).log();
  expect(log.map(({ type }) => type)).toEqual(['sleep', 'sleep']);
});
