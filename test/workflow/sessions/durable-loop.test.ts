import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { procedureOf } from '../../support/procedure-source.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startTimeSkippingServer } from '../../support/test-server.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { waitUntil } from '../../support/wait-until.js';

const around = serverWithProvider();
let worker: TestWorker;
const start = (): Promise<TestWorker> => startWorker(around.server, { activities: { env: around.env } });
beforeAll(async () => {
  worker = await start();
});
afterAll(() => worker.stop());

const asks = [
  ['planning_setup_plan', { objective: 'Publish', initial_steps: ['Draft', 'Review'] }],
  null,
  ['planning_update_step', { step_id: 1, status: 'done' }],
  null,
  ['planning_update_step', { step_id: 2, status: 'done' }],
  null,
] as const;

const source = procedureOf(`
  worker = Agent { model = "openai/gpt-5-mini", message_history = { mode = "isolated" }, budget = { turns = 9 },
    system_prompt = function() return Plan.progress() end, toolsets = { PlanningTools() } }
  return DurableLoop { request = "Publish it", deadline = "2h", body = function(request)
    local text = worker(request).text
    Event.wait("next")
    if Plan.current().status == "completed" then return { text = text, progress = Plan.progress() } end
  end }`);

describe('a durable loop', () => {
  it('goes on after its worker is lost, and asks no model twice', async () => {
    let count = 0;
    around.provider.reply(() => {
      const ask = asks[count++];
      return ask === null || ask === undefined
        ? { text: `answer ${count}` }
        : { toolCalls: [{ name: ask[0], arguments: JSON.stringify(ask[1]) }] };
    });
    const before = around.provider.requests.length;
    const run = await around.server.tactus.start(source, {}, { limits: { historyEvents: 40 } });
    for (let round = 1; round <= 3; round++) {
      const position = `${round - 1}.1`;
      await waitUntil(async () => (await run.status()).waits.some((wait) => wait.position === position));
      await worker.stop();
      worker = await start();
      await run.send('next', round);
    }
    expect(await run.result()).toEqual({
      text: 'answer 6',
      progress: '**Objective**: Publish\n\n**Completed:**\n- ✓ Draft\n- ✓ Review\n',
    });
    const bodies = around.provider.requests.slice(before).map(({ body }) => JSON.stringify(body));
    expect(bodies).toHaveLength(6);
    // Each round is told how far the plan is.
    expect(bodies[0]).toContain('No progress yet. Create a plan to get started.');
    expect(bodies[2]).toContain('- Draft (pending)');
    expect(bodies[4]).toContain('- ✓ Draft');
    const { execution_log: log } = await run.log();
    expect(log.filter(({ type }) => type === 'round').map(({ position }) => position)).toEqual([
      '0',
      '1',
      '2',
    ]);
    await soundExecutions(around.server.client, run);
  });
});

describe('the deadline of a loop', () => {
  const server = serverWithWorker(startTimeSkippingServer);

  it('ends it in days as in seconds', async () => {
    const run = await server.tactus.start(
      procedureOf('DurableLoop { deadline = "2h", body = function() Sleep("50m") end }'),
    );
    await expect(run.result()).rejects.toMatchObject({
      code: 'deadline_exceeded',
      message: expect.stringContaining('Deadline expired before evaluation started.') as unknown,
    });
    const { execution_log: log } = await run.log();
    expect(log.filter(({ type }) => type === 'sleep')).toHaveLength(3);
  });
});
