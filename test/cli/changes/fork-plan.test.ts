import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

let folder: CliFolder;
let shop: ProviderStandIn;

/** What the shop was sent, in order. */
const sent = (): string[] => shop.requests.map(({ method, path }) => `${method} ${path}`);

/** Reads, charges, asks a person and writes. */
const procedure = (
  url: string,
  { question = 'Pay', more = '', note = 'paid' } = {},
): string => `Procedure { function()
  local price = http_client.get("${url}/price").body
  local receipt = http_client.post("${url}/charge", { body = price }).json
  local ok = Human.approve { message = "${question} " .. receipt .. "?"${more} }
  File.write("note.txt", "${note}")
  return { ok = ok, receipt = receipt }
end }`;

beforeAll(async () => {
  shop = await startProviderStandIn();
  shop.reply(({ method }) => ({ json: method === 'GET' ? 5 : 'r-1' }));
  const { url } = shop;
  folder = cliFolder();
  folder.write('pay.tac', procedure(url));
  folder.write('approved.tac', procedure(url, { more: ', approvers = { "mia" }', note: 'paid, and told' }));
  folder.write('approver.tac', procedure(url, { more: ', approvers = { "mia" }' }));
  folder.write('other.tac', procedure(url, { question: 'Buy' }));
  folder.write('broken.tac', procedure(url).replace('local ok', 'local ok ='));
  folder.write('fails.tac', procedure(url).replace('  File.write', '  error("not yet")\n  File.write'));
  const run = await folder.runHere(['run', 'pay.tac', '--id', 'first', '--respond', 'true', '--json']);
  expect(run.json(), run.stderr).toMatchObject({ output: { ok: true, receipt: 'r-1' } });
  shop.requests.length = 0;
});

afterAll(async () => {
  await folder.close();
  await shop.close();
});

const fork = (...args: string[]) => folder.runHere(['fork', 'first', ...args, '--json']);

describe('the plan of a fork', () => {
  it('says what is kept, and what is asked for again by the answers of before', async () => {
    const planned = await fork('--at', '1', '--dry-run');
    expect(planned.code, planned.stderr).toBe(0);
    expect(planned.json()).toMatchObject({
      run_id: null,
      from: 'first',
      at: '1',
      plan: {
        kept: 1,
        diverges: null,
        again: [
          { position: '1', type: 'http', effect: 'once', repeats: true },
          { position: '2', type: 'hitl_approval', effect: 'human', repeats: false },
          { position: '3', type: 'file', name: 'write note.txt', effect: 'idempotent', repeats: false },
        ],
        requests: [],
        children: [],
        cost_usd: { kept: 0, estimated: 0 },
      },
    });
    expect(sent()).toEqual([]);
  });

  it('for people, is what stands in it', async () => {
    const planned = await folder.runHere(['fork', 'first', '--at', '1', '--dry-run']);
    expect(planned.stdout.split('\n')).toEqual([
      'Kept: 1 checkpoint',
      'Asked for again:',
      expect.stringMatching(/^ {2}1 {2}http POST .* \(once\): a second time$/) as unknown,
      '  2  hitl_approval Pay r-1? (human)',
      '  3  file write note.txt (idempotent)',
      '',
    ]);
  });

  it('of a source that does not fit shows its line, and starts nothing', async () => {
    const planned = await folder.runHere([
      ...['fork', 'first', '--at', '3', '--source', 'other.tac', '--dry-run'],
    ]);
    expect(planned.code).toBe(1);
    expect(planned.stdout).toContain(
      [
        "It doesn't fit at 2, other.tac:4:",
        '      local ok = Human.approve { message = "Buy " .. receipt .. "?" }',
        `      ${'^'.repeat(63)}`,
        "  recorded: hitl_approval 'Pay r-1?' at 2",
        "  now:      hitl_approval 'Buy r-1?' at 2",
      ].join('\n'),
    );
    const told = await fork('--at', '3', '--source', 'other.tac', '--dry-run');
    expect(told.json()).toMatchObject({
      plan: {
        kept: 2,
        diverges: { position: '2', file: 'other.tac', line: 4, expected: { name: 'Pay r-1?' } },
      },
    });
  });

  it('of a source that fails at once says so', async () => {
    const planned = await fork('--at', '3', '--source', 'fails.tac', '--dry-run');
    expect(planned.json()).toMatchObject({
      plan: { diverges: null, fails: { code: 'lua_error', file: 'fails.tac', line: 5 } },
    });
    expect(planned.code).toBe(1);
  });
});

describe('nothing is started', () => {
  it('where what may be done once only would be done again, without a yes', async () => {
    const refused = await fork('--at', '1', '--id', 'twice');
    expect(refused.code).toBe(2);
    expect(refused.json()).toMatchObject({
      error: { code: 'change_refused', message: expect.stringMatching(/POST .* at 1/) as unknown },
    });
    expect((await folder.runHere(['status', 'twice', '--json'])).json()).toMatchObject({
      error: { code: 'run_not_found' },
    });
    const forked = await fork('--at', '1', '--id', 'twice', '--yes');
    expect(forked.code, forked.stderr).toBe(0);
    const resumed = await folder.runHere(['resume', 'twice', '--respond', 'true', '--json']);
    expect(resumed.json()).toMatchObject({ output: { ok: true } });
    expect(sent()).toEqual(['POST /charge']);
  });

  it('by a strict fork whose source has another approver for what was answered', async () => {
    const args = ['--at', '3', '--source', 'approved.tac'];
    const refused = await fork(...args, '--strict');
    expect(refused.json()).toMatchObject({
      error: {
        code: 'change_refused',
        message: expect.stringContaining('approvers of Pay r-1? at 2') as unknown,
      },
    });
    const forked = await fork(...args, '--id', 'told');
    expect(forked.code, forked.stderr).toBe(0);
    expect(forked.json()).toMatchObject({
      plan: {
        changed: [{ position: '2', type: 'hitl_approval', name: 'Pay r-1?', settings: ['approvers'] }],
      },
    });
    expect((await folder.runHere(['resume', 'told', '--json'])).json()).toMatchObject({
      output: { ok: true },
    });
    expect(folder.read('files/note.txt')).toBe('paid, and told');
  });

  it.each([
    ['broken.tac', 'source_invalid'],
    ['fails.tac', 'lua_error'],
  ])('by a source that fails at once: %s', async (source, code) => {
    const refused = await fork('--at', '3', '--source', source, '--id', 'failed');
    expect(refused.json()).toMatchObject({ error: { code } });
    expect(refused.code).not.toBe(0);
    expect((await folder.runHere(['status', 'failed', '--json'])).json()).toMatchObject({
      error: { code: 'run_not_found' },
    });
  });
});

describe('an exported run', () => {
  it('goes on with a source that has another approver for what was answered, unless it is strict', async () => {
    expect((await folder.runHere(['export', 'first', '--out', 'first.json'])).code).toBe(0);
    const take = (...args: string[]) =>
      folder.runHere(['import', 'first.json', '--source', 'approver.tac', ...args, '--json']);
    const refused = await take('--strict');
    expect(refused.json()).toMatchObject({ error: { code: 'change_refused' } });
    const other = await folder.runHere(['import', 'first.json', '--source', 'other.tac', '--json']);
    expect(other.json()).toMatchObject({
      error: { code: 'non_determinism', position: '2', file: 'other.tac', line: 4 },
    });
    const planned = await take('--dry-run');
    expect(planned.json(), planned.stderr).toMatchObject({
      run_id: null,
      asked: [],
      plan: { kept: 4, changed: [{ position: '2', settings: ['approvers'] }] },
    });
  });
});
