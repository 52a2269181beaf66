import { describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { providerWithWorker } from '../../support/provider-with-worker.js';
import { historiesOf } from '../../support/histories.js';
import { oneExecution } from '../../support/one-execution.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { waitUntil } from '../../support/wait-until.js';

const around = providerWithWorker();

const patience = 15_000;

/** How often something happened in a run, by what the events of its history have. */
async function countsOf(run: TactusRun, ...names: string[]): Promise<number[]> {
  const events = (await soundExecutions(around.server.client, run)).flatMap(({ events }) => events ?? []);
  return names.map(
    (name) => events.filter((event) => (event as unknown as Record<string, unknown>)[name] != null).length,
  );
}

/** A race of a child run, a person, and a timer, and what else there is, against a person who decides. */
const race = (more: string): string => `
  main = Procedure { budget = { tokens = 100000 }, function(input)
    local value, winner = Parallel.race{
      function() return Procedure.run("child.tac", {}) end,
      function() return Human.approve("Loses") end,
      function() Sleep("30d") return "late" end,
      function() for _ = 1, 4 do Sleep(0.001) end return Human.input("Wins") end,
      ${more}
    }
    Human.approve("Behind the race")
    return { value = value, winner = winner, left = Budget.left().tokens }
  end }`;
const child = `
  helper = Agent { model = "openai/gpt-x", system_prompt = "Help." }
  main = Procedure { function() helper("hello") return Human.approve("In the child") end }`;

describe('the losers of a race', () => {
  it.each([
    ['in one execution', { limits: oneExecution, hangs: true, executions: 1 }],
    [
      'in a run that continues as new meanwhile',
      { limits: { historyEvents: 15 }, hangs: false, executions: 2 },
    ],
  ])('are withdrawn, and what they have used counts, %s', async (_, { limits, hangs, executions }) => {
    const { server, provider } = around;
    provider.reply(({ path }) =>
      path === '/hangs' ? { hang: true } : { text: 'said', usage: { input: 100, output: 10 } },
    );
    const call = `function() return http_client.get("${provider.url}/hangs", { timeout = 600 }) end,`;
    const run = await server.tactus.start(
      procedureSource(race(hangs ? call : ''), { 'child.tac': child }),
      {},
      { limits: { ...limits, heartbeatMs: 1_000 } },
    );
    const asked = await pendingOf(run, 2, patience);
    const below = server.tactus.attach(`${run.runId}/0.0.0`);
    await pendingOf(below, 1, patience);
    const hanging = (): Promise<unknown>[] =>
      provider.requests.flatMap(({ path, left }) => (path === '/hangs' ? [left] : []));
    await waitUntil(() => Promise.resolve(hanging().length === (hangs ? 1 : 0)), patience);
    const executed = async (): Promise<number> => (await historiesOf(server.client, run.runId)).length;
    await waitUntil(async () => (await executed()) >= executions, patience);
    const idOf = (message: string): string => asked.find((each) => each.message === message)?.id ?? '';
    await run.decide({ request: idOf('Wins'), value: 'tea' });

    const [behind] = await waitUntil(async () => {
      const open = await pendingOf(run, 1, patience);
      return open[0]?.message === 'Behind the race' && open;
    }, patience);
    await Promise.all(hanging());
    await expect(below.result()).rejects.toMatchObject({ code: 'cancelled' });
    const view = await run.status();
    expect(view).toMatchObject({ status: 'waiting_for_human', pending: [{ message: 'Behind the race' }] });
    expect(view.waits.map(({ kind }) => kind)).toEqual(['human']);
    expect(await run.decide({ request: idOf('Loses'), value: true })).toMatchObject({
      outcome: 'late',
      message: expect.stringContaining('was withdrawn') as string,
    });
    expect(await below.status()).toMatchObject({ status: 'cancelled', pending: [] });
    await waitUntil(async () => (await run.status()).usage.input_tokens === 100, patience);

    await run.decide({ request: behind?.id ?? '', value: true });
    expect(await run.result()).toEqual({ value: 'tea', winner: 4, left: 100_000 - 110 });
    expect((await run.log()).execution_log.find(({ position }) => position === '0')).toMatchObject({
      type: 'parallel',
      name: 'race',
      result: { winner: 4 },
    });
    expect(
      await countsOf(
        run,
        'activityTaskCancelRequestedEventAttributes',
        'requestCancelExternalWorkflowExecutionInitiatedEventAttributes',
        'childWorkflowExecutionCanceledEventAttributes',
      ),
    ).toEqual([hangs ? 1 : 0, 1, executions === 1 ? 1 : 0]);
  });
});
