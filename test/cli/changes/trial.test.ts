import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BacktestReport } from '../../../src/contract/changes/backtest.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

let folder: CliFolder;
let outside: ProviderStandIn;
const run = (...args: string[]) => folder.runHere([...args, '--json']);

/** What the clerk says now, and what a thing costs now. */
let says = 'gladly';
let price = 7;

/** A question to a model, what is read, a person, what is paid once alone, and time. */
const refund = ({ prompt = 'Be short', ask = 'Pay', last = '' } = {}): string => `
clerk = Agent { model = "openai/gpt-4o-mini", system_prompt = "${prompt}" }
Procedure {
  input = { shop = field.string {} },
  function(input)
    local said = step("say", function() return clerk("Say it").output end, { deadline = "1h" })
    local price = http_client.get(input.shop .. "/price").json.price
    Sleep(0.01)
    local ok = Human.approve("${ask} " .. price .. "?")
    if ok then http_client.post(input.shop .. "/pay", { json = { price = price } }) end
    ${last}
    return { said = said, price = price, ok = ok }
  end,
}`;

beforeAll(async () => {
  outside = await startProviderStandIn();
  outside.reply(({ path }) => (path.startsWith('/v1') ? { text: says } : { json: { price } }));
  folder = cliFolder({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${outside.url}/v1` });
  folder.write('refund.tac', refund());
  for (const [id, answer] of [
    ['one', 'true'],
    ['two', 'false'],
  ])
    await run(
      'run',
      'refund.tac',
      '--id',
      id ?? '',
      '--param',
      `shop=${outside.url}`,
      '--respond',
      answer ?? '',
    );
  await run('run', 'refund.tac', '--id', 'open', '--param', `shop=${outside.url}`);
});

afterAll(async () => {
  await folder.close();
  await outside.close();
});

beforeEach(() => {
  says = 'gladly';
  price = 7;
  outside.requests.length = 0;
});

async function trial(source: string, ...args: string[]) {
  folder.write('new.tac', source);
  const { code, json, stderr } = await run('backtest', 'new.tac', ...args);
  const report = json() as unknown as BacktestReport;
  return { code, stderr, report, runs: report.runs };
}

/** What was asked of the outside, in that order. */
const asked = (): string[] =>
  outside.requests.map(({ path }) => (path.startsWith('/v1') ? 'model' : path.slice(1)));

describe('backtest --mode teacher', () => {
  const teacher = ['--mode', 'teacher', '--limit-usd', '1'];

  it('asks models anew, and takes all else from the log', async () => {
    price = 9;
    const { code, runs } = await trial(refund({ prompt: 'Be long' }), 'one', 'two', ...teacher);
    expect(runs).toMatchObject([
      { run_id: 'one', verdict: 'same' },
      { run_id: 'two', verdict: 'same' },
    ]);
    expect(code).toBe(0);
    expect(asked()).toEqual(['model', 'model']);
    expect(JSON.stringify(outside.requests[0]?.body)).toContain('Be long');
    const { before, after } = runs[0]?.cost_usd ?? {};
    expect(before).toBeGreaterThan(0);
    expect(after).toBeGreaterThan(0);
  });

  it('shows both sides where a model says something else', async () => {
    says = 'never';
    const { code, runs } = await trial(refund(), 'one', ...teacher);
    expect(code).toBe(1);
    expect(runs).toMatchObject([
      {
        verdict: 'differs',
        before: { status: 'completed', output: { said: 'gladly', price: 7, ok: true } },
        after: { status: 'completed', output: { said: 'never', price: 7, ok: true } },
      },
    ]);
  });

  it('diverges where something is asked that is not recorded, or no longer asked', async () => {
    const other = await trial(refund({ ask: 'Really pay' }), 'one', ...teacher);
    expect(other.runs).toMatchObject([
      {
        ...{ verdict: 'diverges', position: '3', file: 'new.tac', line: 9 },
        expected: { type: 'hitl_approval', name: 'Pay 7?' },
        found: { type: 'hitl_approval', name: 'Really pay 7?' },
      },
    ]);
    const more = await trial(refund({ last: 'http_client.get(input.shop .. "/more")' }), 'one', ...teacher);
    expect(more.runs).toMatchObject([
      { verdict: 'diverges', position: '5', line: 11, expected: null, found: { type: 'http' } },
    ]);
    const less = refund().replace(/if ok then http_client.post.*\n/, '\n');
    expect((await trial(less, 'one', 'two', ...teacher)).runs).toMatchObject([
      { verdict: 'diverges', position: '4', line: null, expected: { type: 'http' }, found: null },
      { verdict: 'same' },
    ]);
    expect(asked().every((each) => each === 'model')).toBe(true);
  });

  it('takes no deadline for another question', async () => {
    const { runs } = await trial(refund().replace('deadline = "1h"', 'deadline = "2h"'), 'one', ...teacher);
    expect(runs).toMatchObject([{ verdict: 'same' }]);
  });

  it('fails where the source does, and where a run has not ended by itself', async () => {
    const { runs } = await trial(refund({ last: 'error("no")' }), 'one', 'open', ...teacher);
    expect(runs).toMatchObject([
      { run_id: 'one', verdict: 'failed', file: 'new.tac', line: 11 },
      {
        run_id: 'open',
        verdict: 'failed',
        message: 'open has not ended by itself: it can be tried with --mode recorded',
      },
    ]);
  });

  it('takes --decide for what people were not asked then', async () => {
    const source = refund({ ask: 'Really pay' });
    const { runs } = await trial(source, 'one', ...teacher, '--decide', 'false');
    expect(runs).toMatchObject([{ verdict: 'diverges', position: '4', found: null }]);
    const refused = await trial(source, 'two', ...teacher, '--decide', 'false');
    expect(refused.runs).toMatchObject([{ verdict: 'same' }]);
  });

  it('is a run of its own on the server, which is no run of the procedure', async () => {
    await trial(refund(), 'one', ...teacher);
    const all = await run('list');
    const ids = (all.json()['runs'] as { run_id: string }[]).map(({ run_id: id }) => id);
    const trials = ids.filter((id) => id.startsWith('trial:'));
    expect(trials.every((id) => /^trial:[0-9a-f]{8}:(one|two)$/.test(id))).toBe(true);
    expect(trials.length).toBeGreaterThan(0);
    const { runs } = await trial(refund(), '--procedure', 'refund', ...teacher);
    expect(runs.map(({ run_id: id }) => id).sort()).toEqual(['one', 'two']);
    expect((await run('compare', 'refund', '--by', 'version')).json()).toMatchObject({ runs: 3 });
    for (const change of [
      ['retry', trials[0] ?? ''],
      ['fork', trials[0] ?? '', '--at', '0'],
      ['rewind', trials[0] ?? '', '--at', '0'],
      ['upgrade', trials[0] ?? '', '--source', 'new.tac'],
      ['run', 'refund.tac', '--id', 'trial:mine'],
    ]) {
      const refused = await run(...change);
      expect([change[0], refused.code, refused.stdout]).toEqual([
        change[0],
        2,
        expect.stringContaining('trial'),
      ]);
    }
    expect((await run('retry', '--failed', '--dry-run')).stdout).not.toContain('trial:');
    expect(asked()).not.toContain('pay');
    const replayed = await run('replay', trials[0] ?? '');
    expect(replayed.code).toBe(0);
  });
});

describe('backtest --mode live', () => {
  const live = ['--mode', 'live', '--limit-usd', '1'];

  it('reads anew, and does nothing a second time that may be done once alone', async () => {
    const { runs } = await trial(refund(), 'one', ...live);
    expect(runs).toMatchObject([{ verdict: 'same' }]);
    expect(asked()).toEqual(['model', 'price']);
    price = 9;
    const other = await trial(refund(), 'one', ...live);
    expect(other.runs).toMatchObject([{ verdict: 'diverges', position: '3', found: { name: 'Pay 9?' } }]);
    const decided = await trial(refund(), 'one', ...live, '--decide', 'true');
    expect(decided.runs).toMatchObject([
      { verdict: 'diverges', position: '4', expected: { type: 'http' }, found: { type: 'http' } },
    ]);
    expect(asked()).not.toContain('pay');
  });
});

describe('what a backtest that asks models may cost', () => {
  it('is said before it begins, and nothing is asked without a limit', async () => {
    folder.write('new.tac', refund());
    const refused = await run('backtest', 'new.tac', 'one', 'two', '--mode', 'teacher');
    expect({ code: refused.code, answer: refused.json() }).toMatchObject({
      code: 2,
      answer: { error: { code: 'usage' } },
    });
    expect(refused.stdout).toMatch(/Models were paid [\d.e-]+ US dollars for 2 runs/);
    expect(outside.requests).toEqual([]);
    expect((await trial(refund(), 'one', '--mode', 'teacher', '--yes')).code).toBe(0);
  });

  it('leaves out what would go beyond the limit', async () => {
    const { report: first } = await trial(refund(), 'one', '--mode', 'teacher', '--limit-usd', '1');
    const cost = first.runs[0]?.cost_usd.before ?? 0;
    const limit = String(cost * 1.5);
    const { code, runs, stderr } = await trial(
      refund(),
      'one',
      'two',
      '--mode',
      'teacher',
      '--limit-usd',
      limit,
    );
    expect(runs).toHaveLength(1);
    expect(code).toBe(1);
    expect(stderr).toContain('1 of 2 runs was not tried: it would go beyond --limit-usd');
  });

  it.each([
    [['--decide', 'true'], /--decide, --limit-usd and --yes are for/],
    [['--mode', 'teacher', '--limit-usd', 'much'], /--limit-usd takes US dollars/],
    [['--mode', 'teacher', '--limit-usd', '-1'], /--limit-usd takes US dollars/],
    [['--mode', 'taught'], /taught/],
  ])('refuses %j', async (args, message) => {
    const refused = await run('backtest', 'refund.tac', 'one', ...args);
    expect(refused.code).toBe(2);
    expect(refused.stdout).toMatch(message);
  });

  it('leaves no journal behind', () => {
    expect(readdirSync(join(folder.path, '.tactus-temporal', 'backtests'))).toEqual([]);
  });
});
