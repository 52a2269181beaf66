import { describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { procedureOf } from '../../support/procedure-source.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { providerWithWorker } from '../../support/provider-with-worker.js';

const around = providerWithWorker();

/** How many executions a run had: each failed no workflow task, and replays. */
const executionsOf = async (run: TactusRun): Promise<number> =>
  (await soundExecutions(around.server.client, run)).length;

const asks = [
  ['planning_setup_plan', { objective: 'Publish', initial_steps: ['Draft', 'Review'] }],
  ['planning_update_step', { step_id: 9, status: 'done' }],
  ['planning_update_step', { step_id: 1, status: 'done' }],
] as const;

describe('an agent with planning tools', () => {
  it('keeps the plan of the run, and reads what is wrong', async () => {
    let count = 0;
    around.provider.reply(() => {
      const ask = asks[count++];
      return ask === undefined
        ? { text: 'The draft is there.' }
        : { toolCalls: [{ name: ask[0], arguments: JSON.stringify(ask[1]) }] };
    });
    const before = around.provider.requests.length;
    const run = await around.server.tactus.start(
      procedureOf(`
        worker = Agent { model = "openai/gpt-5-mini", system_prompt = "Work.", toolsets = { PlanningTools { strategy = "plan_act_reflect" } } }
        local result = worker("go")
        return { plan = Plan.current(), progress = Plan.progress() }`),
    );
    expect(await run.result()).toEqual({
      plan: {
        ...{ objective: 'Publish', status: 'active' },
        steps: [
          { step_id: 1, title: 'Draft', status: 'done' },
          { step_id: 2, title: 'Review', status: 'pending' },
        ],
      },
      progress: '**Objective**: Publish\n\n**Completed:**\n- ✓ Draft\n\n**Remaining:**\n- Review (pending)',
    });
    const { execution_log: log } = await run.log();
    expect(log.filter(({ type }) => type === 'plan').map(({ position }) => position)).toEqual([
      '0.1.0',
      '0.5.0',
    ]);
    const bodies = around.provider.requests.slice(before).map(({ body }) => JSON.stringify(body));
    expect(bodies).toHaveLength(4);
    expect(bodies[0]).toContain('Follow a plan-act-reflect rhythm');
    expect(bodies[2]).toContain('Step 9 does not exist.');
    expect(bodies[3]).toContain('Step 1 updated.');
    expect(await executionsOf(run)).toBe(1);
  });
});

describe('a session', () => {
  it('is the same when the run continues as new by itself, and in its next pass', async () => {
    const run = await around.server.tactus.start(
      procedureOf(`
        local seen = Session.slice("seen", { reducer = { "upsert_by", "id" } })
        state.pass = (state.pass or 0) + 1
        if state.pass == 1 then Plan.setup { objective = "Look", initial_steps = { "a" } } end
        for i = 1, 12 do
          seen.append { id = i % 3, pass = state.pass, i = i }
          Sleep(0.001)
        end
        Plan.add { steps = { "pass " .. state.pass } }
        if state.pass < 3 then Procedure.continue_as_new() end
        return { seen = seen.all(), steps = #Plan.current().steps }`),
      {},
      { limits: { historyEvents: 30 } },
    );
    expect(await run.result()).toEqual({
      seen: [
        { id: 1, pass: 3, i: 10 },
        { id: 2, pass: 3, i: 11 },
        { id: 0, pass: 3, i: 12 },
      ],
      steps: 4,
    });
    // Three passes, of which each continues as new at least once by itself.
    expect(await executionsOf(run)).toBeGreaterThanOrEqual(6);
  });
});
