import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startReceiver, type MessageReceiver } from '../../support/message-receiver.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

let folder: CliFolder;
let receiver: MessageReceiver;
let provider: ProviderStandIn;
beforeAll(async () => {
  receiver = await startReceiver();
  provider = await startProviderStandIn();
  folder = cliFolder({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` });
  folder.write('.tactus/config.yml', `outbox:\n  note:\n    url: ${receiver.url}/note\n`);
  folder.write(
    'asks.tac',
    `helper = Agent { model = "openai/gpt-5-mini", system_prompt = "s", retries = 0 }
     Procedure { output = { said = field.string{} }, function()
       return { said = helper({ message = "one" }).output .. helper({ message = "two" }).output }
     end }`,
  );
  folder.write(
    'sends.tac',
    `return Graph { nodes = { a = function()
      return { intents = { { type = "note", payload = { n = 1 } }, { type = "note", payload = { n = 2 } } } }
    end } }`,
  );
});
afterAll(async () => {
  await folder?.close();
  await receiver?.close();
  await provider?.close();
});

const dlq = async (...args: string[]): Promise<JsonObject> => {
  const ended = await folder.runHere(['dlq', ...args, '--json']);
  expect(ended.code, ended.stderr).toBe(0);
  return ended.json();
};

describe('dlq', () => {
  it('lists, shows and requeues the call that a run failed by', async () => {
    provider.reply({ text: 'hello' }, { status: 400, body: { error: { message: 'not today' } } });
    expect((await folder.runHere(['run', 'asks.tac', '--id', 'asks', '--json'])).code).toBe(1);
    const { dead_letters: letters, next } = await dlq('list', '--run', 'asks');
    expect(letters).toMatchObject([{ id: 'asks/1.0', state: 'dead', attempts: 1 }]);
    expect(next).toBe(null);
    expect(await dlq('show', 'asks/1.0')).toEqual((letters as JsonObject[])[0]);
    const text = await folder.run(['dlq', 'list', '--run', 'asks']);
    expect(text.stdout).toMatch(/^asks\/1\.0 {2}dead {2}model_call .* {2}1 attempt {2}.*not today/);
    expect((await folder.runHere(['dlq', 'show', 'asks/1.0'])).stdout).toContain('error model_call_failed');

    const requeued = await dlq('requeue', 'asks/1.0', '--as', 'ann');
    expect(requeued).toMatchObject({ id: 'asks/1.0', state: 'requeued' });
    provider.reply({ text: ' world' });
    const ended = await folder.runHere(['resume', requeued['requeued_as'] as string, '--json']);
    expect(ended.json()['output'], ended.stderr).toEqual({ said: 'hello world' });
    expect(provider.requests).toHaveLength(3);
    expect((await dlq('list', '--run', 'asks'))['dead_letters']).toEqual([]);
    expect(ended.json()).toMatchObject({
      forked_from: { run_id: 'asks', at: '1.0' },
      changes: [{ kind: 'fork', run: 'asks', position: '1.0', by: 'ann', kept: 2 }],
    });
  });

  it('sends an intent again, and says how that ended', async () => {
    receiver.byPath['/note'] = { status: 400, body: 'no' };
    expect((await folder.runHere(['run', 'sends.tac', '--id', 'sends'])).code).toBe(0);
    const refused = await folder.runHere(['dlq', 'requeue', 'sends/intent/1/0', '--json']);
    expect(refused.code, refused.stderr).toBe(1);
    expect(refused.json()).toMatchObject({ state: 'dead', attempts: 2 });
    delete receiver.byPath['/note'];
    expect(await dlq('requeue', 'sends/intent/1/0')).toMatchObject({ state: 'sent', attempts: 3 });
    expect(receiver.received.at(-1)).toMatchObject({
      body: { type: 'note', payload: { n: 1 } },
      headers: { 'idempotency-key': 'sends/1/0' },
    });
    const dropped = await dlq('drop', 'sends/intent/1/1', '--as', 'ann', '--reason', 'too late');
    expect(dropped).toMatchObject({ state: 'dropped', dropped: { by: 'ann', reason: 'too late' } });
    const state = await folder.runHere(['graph-state', 'sends', '--intents', '--json']);
    expect(state.json()['intents']).toMatchObject([
      { key: 'sends/1/0', status: 'sent', attempts: 3 },
      { key: 'sends/1/1', status: 'failed', error: 'dropped by ann: too late' },
    ]);
    const all = (await dlq('list', '--run', 'sends', '--all'))['dead_letters'] as JsonObject[];
    expect(all.map(({ id, state: is }) => [id, is])).toEqual([
      ['sends/intent/1/0', 'sent'],
      ['sends/intent/1/1', 'dropped'],
    ]);
  });

  it('refuses what is no dead letter, and flags that are wrong', async () => {
    for (const args of [
      ['show', 'nonsense'],
      ['requeue', 'asks/7'],
      ['drop', 'asks/0'],
    ]) {
      const ended = await folder.runHere(['dlq', ...args, '--json']);
      expect(ended.code, args.join(' ')).toBe(2);
      expect(ended.json()['error']).toMatchObject({ code: 'dead_letter_unknown' });
    }
    const wrong = [
      ['--limit', '0'],
      ['--max-delivery-count', 'x'],
      ['--include-errors', 'what'],
      ['--after', 'x'],
    ];
    for (const args of wrong) {
      const ended = await folder.runHere(['dlq', 'list', ...args, '--json']);
      expect(ended.code, args.join(' ')).toBe(2);
      expect(ended.json()['error'], args.join(' ')).toMatchObject({ code: 'usage' });
    }
    expect((await folder.runHere(['dlq', 'show', 'nobody/0'])).code).toBe(2);
  });
});
