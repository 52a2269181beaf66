import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

const loop = `Procedure { function()
  local findings = Session.slice("findings", { reducer = { "upsert_by", "id" } })
  Plan.setup { objective = "Publish", initial_steps = { "Draft", "Review" } }
  return DurableLoop { deadline = "2h", body = function()
    findings.append { id = 1, text = "a fault" }
    Plan.update { step_id = 1, status = "done" }
    local ok = Human.approve("Go?")
    Plan.update { step_id = 2, status = "done" }
    return { ok = ok }
  end }
end }`;

const planOf = (status: string, second: string): JsonObject => ({
  ...{ objective: 'Publish', status },
  steps: [
    { step_id: 1, title: 'Draft', status: 'done' },
    { step_id: 2, title: 'Review', status: second },
  ],
});

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write('loop.tac', loop);
  folder.write('plain.tac', 'Procedure { function() return 1 end }');
});
afterAll(() => folder?.close());

async function answerOf(...command: string[]): Promise<JsonObject> {
  const ended = await folder.runHere([...command, '--json']);
  expect(ended.code, ended.stderr).toBe(0);
  return ended.json();
}

describe('session', () => {
  it('shows the plan, the slices and the snapshots of a run that waits, and of one that has ended', async () => {
    await folder.runHere(['run', 'loop.tac', '--id', 'loop', '--json']);
    const snapshot = {
      at: expect.any(String) as unknown,
      position: '1.0',
      trigger: 'plan_step_done',
      bytes: expect.any(Number) as unknown,
      error: null,
    };
    expect(await answerOf('session', 'loop')).toEqual({
      ...{ plan: planOf('active', 'pending'), slices: { findings: [{ id: 1, text: 'a fault' }] } },
      ...{ snapshots: [snapshot], snapshots_made: 1, snapshots_failed: 0 },
    });
    expect((await answerOf('status', 'loop'))['plan']).toEqual(planOf('active', 'pending'));
    const text = await folder.runHere(['session', 'loop']);
    expect(text.stdout).toContain('1 [done] Draft');
    expect((await folder.runHere(['status', 'loop'])).stdout).toContain('2 [pending] Review');

    await folder.runHere(['respond', 'loop/1.1', 'yes', '--json']);
    await folder.runHere(['resume', 'loop', '--json']);
    const { plan, snapshots } = await answerOf('session', 'loop');
    expect(plan).toEqual(planOf('completed', 'done'));
    expect(snapshots).toHaveLength(2);
  });

  it('of a run that has kept nothing is empty, and no part of its status', async () => {
    await folder.runHere(['run', 'plain.tac', '--id', 'plain', '--json']);
    expect(await answerOf('session', 'plain')).toEqual({
      ...{ plan: null, slices: {}, snapshots: [], snapshots_made: 0, snapshots_failed: 0 },
    });
    expect(await answerOf('status', 'plain')).not.toHaveProperty('plan');
  });
});
