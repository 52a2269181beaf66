import { expect, it } from 'vitest';
import { sessionText } from '../../../../src/cli/sessions/session-command.js';
import { noSession } from '../../../../src/contract/sessions/session-view.js';

it('a session as text has its plan, its slices and its snapshots', () => {
  const at = '2026-01-02T03:04:05.000Z';
  expect(
    sessionText({
      plan: {
        objective: 'Publish',
        status: 'active',
        steps: [{ step_id: 1, title: 'Draft', status: 'done' }],
      },
      slices: { findings: [{ n: 1 }, { n: 2 }], none: [], one: ['x'] },
      snapshots: [
        { at, position: '1.1', trigger: 'plan_step_done', bytes: 500, error: null },
        { at, position: '2', trigger: 'on_demand', bytes: null, error: 'too large' },
      ],
      ...{ snapshots_made: 4, snapshots_failed: 1 },
    }).split('\n'),
  ).toEqual([
    ...['Objective: Publish', 'Status: active', '', '1 [done] Draft'],
    'slice findings: 2 items, the newest {"n":2}',
    'slice none: 0 items',
    'slice one: 1 item, the newest "x"',
    '3 older snapshots',
    `snapshot ${at}  1.1  plan_step_done  500 bytes`,
    `snapshot ${at}  2  on_demand  not written: too large`,
  ]);
  expect(sessionText(noSession)).toBe('no plan');
});
