import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BacktestJournal } from '../../../src/cli/changes/backtest-journal.js';
import { ownVersion } from '../../../src/cli/command.js';
import type { BacktestedRun, BacktestReport } from '../../../src/contract/changes/backtest.js';
import { sourceHash } from '../../../src/contract/procedures/source.js';
import { collectFile } from '../../../src/sources/collect-source.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

let folder: CliFolder;
let shop: ProviderStandIn;
const run = (...args: string[]) => folder.runHere([...args, '--json']);

/** `last`: what the procedure does when it has asked for the price and for a yes. */
const order = (last: string, price = '/price'): string => `Procedure {
  input = { item = field.string {}, shop = field.string {} },
  function(input)
    local price = http_client.get(input.shop .. "${price}?item=" .. input.item).json.price
    state.price = price
    local ok = Human.approve("Buy " .. input.item .. "?")
${last}
  end,
}`;

const before = order('    if not ok then error("refused") end\n    return { item = input.item, ok = ok }');

beforeAll(async () => {
  shop = await startProviderStandIn();
  shop.reply(() => ({ json: { price: 7 } }));
  folder = cliFolder();
  folder.write('order.tac', before);
  const runs: [id: string, item: string, answer: string][] = [
    ['ship', 'ship', 'true'],
    ['boat', 'boat', 'true'],
    ['no', 'raft', 'false'],
  ];
  for (const [id, item, answer] of runs)
    await run(
      'run',
      'order.tac',
      '--id',
      id,
      '--param',
      `item=${item}`,
      '--param',
      `shop=${shop.url}`,
      '--respond',
      answer,
    );
  // One that somebody has ended while it waited.
  await run('run', 'order.tac', '--id', 'ended', '--param', 'item=ark', '--param', `shop=${shop.url}`);
  await run('terminate', 'ended');
});

afterAll(async () => {
  await folder.close();
  await shop.close();
});

/** Verdict and place of each run. */
async function verdicts(source: string, ...args: string[]): Promise<{ code: number | null; told: unknown }> {
  folder.write('new.tac', source);
  shop.requests.length = 0;
  const ended = await run('backtest', 'new.tac', ...args);
  const report = ended.json() as unknown as BacktestReport;
  expect(report.runs, ended.stdout).toHaveLength(
    report.same + report.differs + report.diverges + report.failed,
  );
  expect(shop.requests).toEqual([]);
  const told = report.runs
    .map(({ run_id: id, verdict, position, file, line }) =>
      [
        id,
        verdict,
        ...(position === null ? [] : [position]),
        ...(line === null ? [] : [`${file}:${line}`]),
      ].join(' '),
    )
    .sort();
  return { code: ended.code, told };
}

describe('backtest', () => {
  it('finds all runs the same by the source that they ran on', async () => {
    expect(await verdicts(before, '--procedure', 'order')).toEqual({
      code: 0,
      told: ['boat same', 'ended same', 'no same', 'ship same'],
    });
  });

  it('tells both sides where an output, a state or an end differs', async () => {
    const after = order('    return { item = input.item:upper(), ok = ok }');
    expect(await verdicts(after, 'ship', 'no', 'ended')).toEqual({
      code: 1,
      told: ['ended same', 'no differs', 'ship differs'],
    });
    const ended = await run('backtest', 'new.tac', 'ship', 'no');
    expect(ended.json()).toMatchObject({
      differs: 2,
      runs: [
        {
          run_id: 'ship',
          before: {
            status: 'completed',
            output: { item: 'ship', ok: true },
            state: { price: 7 },
            error: null,
          },
          after: { status: 'completed', output: { item: 'SHIP', ok: true }, state: { price: 7 } },
        },
        {
          run_id: 'no',
          before: { status: 'failed', output: null, error: { code: 'lua_error' } },
          after: { status: 'completed', output: { item: 'RAFT', ok: false } },
        },
      ],
    });
  });

  it('tells where a source diverges: at the beginning, and behind the end of the log', async () => {
    expect(await verdicts(order('    return 1', '/cost'), 'ship', 'ended')).toEqual({
      code: 1,
      told: ['ended diverges 0 new.tac:4', 'ship diverges 0 new.tac:4'],
    });
    const more = order(
      '    if ok then http_client.post(input.shop .. "/buy") end\n    return { item = input.item, ok = ok }',
    );
    expect(await verdicts(more, 'ship', 'ended')).toEqual({
      code: 1,
      told: ['ended same', 'ship diverges 2 new.tac:7'],
    });
    const asked = before.replace('"Buy "', '"Really buy "');
    expect(await verdicts(asked, 'ended')).toEqual({ code: 1, told: ['ended diverges 1 new.tac:6'] });
  });

  it('tells where a source fails', async () => {
    const fails = order('    return input.item .. nil');
    expect(await verdicts(fails, 'ship', 'ended')).toEqual({
      code: 1,
      told: ['ended same', 'ship failed new.tac:7'],
    });
    expect(await verdicts('Procedure {', 'ship')).toMatchObject({
      told: [expect.stringMatching(/^ship failed 0/)],
    });
  });

  it('shows people what differs, and the line where it diverges', async () => {
    folder.write('new.tac', order('    return { item = input.item, ok = 1 }'));
    const differs = await folder.runHere(['backtest', 'new.tac', 'ship']);
    expect(differs.stdout).toContain(
      '1 run: 0 same, 1 differ, 0 diverge, 0 fail\nship  differs\n output\n  - {',
    );
    folder.write('new.tac', order('    return 1', '/cost'));
    const diverges = await folder.runHere(['backtest', 'new.tac', 'ship']);
    expect(diverges.stdout).toContain(
      'ship  diverges at 0, new.tac:4\n        local price = http_client.get',
    );
    expect(diverges.stdout).toMatch(/ {2}recorded: http 'GET .*\/price.*\n {2}now: .*\/cost/);
  });

  it('reads a run that export has written', async () => {
    await run('export', 'ship', '--out', 'ship.json');
    expect(await verdicts(before, 'ship.json')).toEqual({ code: 0, told: ['ship same'] });
    folder.write('no.json', '{}');
    const refused = await run('backtest', 'order.tac', 'no.json');
    expect(refused.json()).toMatchObject({ error: { code: 'file_failed' } });
  });

  it('takes the newest runs of a time', async () => {
    expect(await verdicts(before, '--procedure', 'order', '--limit', '1')).toEqual({
      code: 0,
      told: ['ended same'],
    });
    const none = await run('backtest', 'order.tac', '--procedure', 'order', '--since', '2090-01-01');
    expect({ code: none.code, answer: none.json() }).toMatchObject({
      code: 2,
      answer: { error: { code: 'usage' } },
    });
  });

  it.each([
    [['order.tac'], 'usage'],
    [['order.tac', 'ship', '--procedure', 'order'], 'usage'],
    [['order.tac', 'ship', '--since', '1d'], 'usage'],
    [['order.tac', 'ship', '--limit', '0'], 'usage'],
    [['order.tac', '--procedure', 'order', '--since', 'soon'], 'usage'],
    [['none.tac', 'ship'], 'source_not_found'],
    [['order.tac', 'nobody'], 'run_not_found'],
  ])('refuses %j with %s', async (args, code) => {
    const refused = await run('backtest', ...args);
    expect({ code: refused.code, answer: refused.json() }).toMatchObject({
      code: 2,
      answer: { error: { code } },
    });
  });
});

describe('backtest that was interrupted', () => {
  const found = async (): Promise<BacktestReport> =>
    (await run('backtest', 'new.tac', '--procedure', 'order')).json() as unknown as BacktestReport;

  it('goes on where it was, tests a log anew that is another one, and leaves nothing behind', async () => {
    folder.write('new.tac', order('    return { item = input.item, ok = 1 }'));
    const hash = sourceHash(await collectFile(join(folder.path, 'new.tac')));
    const journal = new BacktestJournal(folder.path, [ownVersion(), 'recorded', hash]);
    const { closed_at: closed } = (await run('status', 'ship')).json() as { closed_at: string };
    const [ship] = (await found()).runs.filter(({ run_id: id }) => id === 'ship');
    const add = (version: string, message: string): void =>
      journal.add(
        { runId: 'ship', version, read: () => Promise.reject(new Error('it is known')) },
        { ...(ship as BacktestedRun), message },
      );
    add('2020-01-01T00:00:00.000Z', 'found of an older log');
    expect(JSON.stringify(await found())).not.toContain('found of an older log');

    add(closed, 'found before');
    const path = join(folder.path, '.tactus-temporal', 'backtests');
    const [file = ''] = readdirSync(path);
    // Its process was killed while it wrote.
    appendFileSync(join(path, file), '{"version":"cut');
    const again = await found();
    expect(again.runs.find(({ run_id: id }) => id === 'ship')).toMatchObject({ message: 'found before' });
    expect(again.runs).toHaveLength(4);
    expect(readdirSync(path)).toEqual([]);
  });
});
