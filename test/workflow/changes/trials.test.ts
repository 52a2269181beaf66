import { describe, expect, it } from 'vitest';
import { backtest } from '../../../src/client/changes/backtest.js';
import { pastRun } from '../../../src/client/changes/past-runs.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { BacktestedRun } from '../../../src/contract/changes/backtest.js';
import { trialId, trialModes, type TrialMode } from '../../../src/contract/changes/trial.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import type { Limits } from '../../../src/contract/runs/limits.js';
import { historiesOf } from '../../support/histories.js';
import { oneExecution } from '../../support/one-execution.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { edited, procedures, serverWithShop } from './changed-procedures.js';

const around = serverWithShop();
let attempts = 0;

/** Runs it to its end: people say yes. */
async function whole(source: ProcedureSource, limits: Partial<Limits> = oneExecution): Promise<TactusRun> {
  const { tactus } = around.server;
  const run = await tactus.start(source, { shop: around.shop.url }, { limits });
  const result = run.result();
  if (/Human\./.test(source.files['main.tac'] ?? '')) {
    const [request] = await pendingOf(run);
    await run.decide({ request: request?.id ?? '', value: true });
  }
  await result;
  return run;
}

async function tried(
  run: TactusRun,
  source: ProcedureSource,
  mode: TrialMode,
): Promise<{ found: BacktestedRun | undefined; trial: TactusRun; asked: string[]; sent: number }> {
  const { tactus } = around.server;
  const key = `t${++attempts}`;
  around.shop.requests.length = 0;
  const before = around.sent();
  const { runs } = await backtest(source, [await pastRun(run)], { trial: { tactus, mode, key } });
  const asked = around.shop.requests.map(({ method, path }) => `${method} ${path}`);
  const trial = tactus.attach(trialId(key, run.runId));
  return { found: runs[0], trial, asked, sent: around.sent() - before };
}

const modelCalls = async (run: TactusRun): Promise<number> =>
  (await run.log({ all: true })).execution_log.filter(({ type }) => type === 'model_call').length;

describe('a trial', () => {
  it.each(
    Object.entries(procedures).flatMap(([name, source]) =>
      trialModes.map((mode) => [mode, name, source] as const),
    ),
  )('%s of %s comes to the same by the same source', async (mode, _, source) => {
    const run = await whole(source);
    const { found, trial, asked, sent } = await tried(run, source, mode);
    expect(found).toMatchObject({ verdict: 'same', message: null });
    const calls = await modelCalls(run);
    if (mode === 'teacher') expect({ sent, asked }).toEqual({ sent: calls, asked: [] });
    expect(asked.filter((each) => !each.startsWith('GET'))).toEqual([]);
    expect(await trial.result()).toEqual(await run.result());
    expect(await replayRun(around.server.client, trial)).toEqual([]);
  });

  // A child run has no prompt, and what is deferred is moved by the edit.
  const others = ['children and their children', 'a saga and what is deferred'];
  it.each(Object.entries(procedures).filter(([name]) => !others.includes(name)))(
    'of %s asks with the edited prompt, and goes by what an edit adds that asks for nothing',
    async (_, source) => {
      const run = await whole(source);
      const { found, sent } = await tried(run, edited(source), 'teacher');
      expect(found?.verdict).toBe('same');
      expect(sent).toBe(await modelCalls(run));
    },
  );

  it('continues as new, and goes on with the same answers', async () => {
    const source = procedureSource(`
      writer = Agent { model = "openai/gpt-x", system_prompt = "You write." }
      Procedure { input = { shop = field.string {} }, function(input)
        local all = {}
        for i = 1, 14 do
          all[#all + 1] = http_client.get(input.shop .. "/" .. i).json.path
          all[#all + 1] = writer("Say " .. i).output
          Sleep(0.01)
        end
        return all
      end }`);
    const run = await whole(source, { historyEvents: 20 });
    const { found, trial, asked } = await tried(run, source, 'teacher');
    expect(found).toMatchObject({ verdict: 'same', message: null });
    expect(asked).toEqual([]);
    expect((await historiesOf(around.server.client, trial.runId)).length).toBeGreaterThan(1);
    expect(await replayRun(around.server.client, trial)).toEqual([]);
  });

  it('leaves unanswered what never ended, and says where nothing else is waited for', async () => {
    const race = (first: string): ProcedureSource =>
      procedureSource(`Procedure { input = { shop = field.string {} }, function(input)
        local won = Parallel.race {
          function() ${first} return "first" end,
          function() Sleep(3600) return "slow" end,
          function() return Event.wait("never") end,
        }
        return won
      end }`);
    const run = await whole(race('http_client.get(input.shop .. "/a")'));
    expect((await tried(run, race('http_client.get(input.shop .. "/a")'), 'teacher')).found?.verdict).toBe(
      'same',
    );
    const waits = procedureSource(`Procedure { input = { shop = field.string {} }, function(input)
        local won = Parallel.race {
          function() http_client.get(input.shop .. "/a") Event.wait("later") return "first" end,
          function() Sleep(3600) return "slow" end,
          function() return Event.wait("never") end,
        }
        return won
      end }`);
    expect((await tried(run, waits, 'live')).found).toMatchObject({
      verdict: 'diverges',
      expected: null,
      found: { type: 'event_wait' },
    });
  });

  it('is none of a run to whose agents somebody has spoken', async () => {
    const source = procedureSource(`
      writer = Agent { model = "openai/gpt-x", system_prompt = "You write." }
      Procedure { input = { shop = field.string {} }, function(input)
        Human.approve("Begin?")
        return writer("One").output
      end }`);
    const run = await around.server.tactus.start(source, { shop: around.shop.url }, { limits: oneExecution });
    const [request] = await pendingOf(run);
    await run.steer({ message: 'In French' });
    await run.decide({ request: request?.id ?? '', value: true });
    await run.result();
    const { found, sent } = await tried(run, source, 'teacher');
    expect(found).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining('spoken to an agent') as string,
    });
    expect(sent).toBe(0);
  });

  it('counts time as it went then, and has the variants of the other run', async () => {
    const source = procedureSource(`Procedure { input = { shop = field.string {} }, function(input)
      local before = os.time()
      Sleep(1)
      http_client.get(input.shop .. "/a")
      local variants = {}
      for i = 1, 8 do variants[i] = Experiment.variant("try_" .. i, { "plain", "warm" }) end
      return { date = os.date("%Y-%m-%d %H:%M", before), took = os.time() - before, variants = variants }
    end }`);
    const run = await whole(source);
    const { found, trial } = await tried(run, source, 'teacher');
    expect(found?.verdict).toBe('same');
    expect(await trial.result()).toEqual(await run.result());
  });

  it('is begun once, also where whoever waited for it was interrupted', async () => {
    const run = await whole(procedures['a conversation with a tool'] as ProcedureSource);
    const source = procedures['a conversation with a tool'] as ProcedureSource;
    const { tactus } = around.server;
    const options = { tactus, mode: 'teacher', key: 'once' } as const;
    const places = [await pastRun(run)];
    const before = around.sent();
    const interrupted = new AbortController();
    const first = backtest(source, places, { trial: options, signal: interrupted.signal });
    while (around.sent() === before) await new Promise((resolve) => setTimeout(resolve, 5));
    interrupted.abort(new Error('enough'));
    expect((await first).runs).toEqual([]);
    const { runs } = await backtest(source, places, { trial: options });
    expect(runs).toMatchObject([{ verdict: 'same' }]);
    expect(around.sent() - before).toBe(await modelCalls(run));
  });
});
