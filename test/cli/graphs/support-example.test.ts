import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startReceiver } from '../../support/message-receiver.js';

const example = resolve(import.meta.dirname, '../../../examples/support-graph');

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  cpSync(example, folder.path, { recursive: true });
});
afterAll(() => folder?.close());

it('the example of a graph takes a turn for each message, asks a person, and sends each text once', async () => {
  const receiver = await startReceiver();
  const config = join(folder.path, '.tactus', 'config.yml');
  const written = readFileSync(config, 'utf8');
  writeFileSync(config, written.replace('http://127.0.0.1:4010/', `${receiver.url}/`));
  const turn = (message: string, ...flags: string[]) => {
    const input = JSON.stringify({ messages: [message], context: { customer: 'c-7' } });
    return folder.runHere(['run', 'support.tac', '--mock', '--id', 'customer-7', '--input', input, ...flags]);
  };
  try {
    expect((await turn('Where is A-7?')).code).toBe(0);
    const second = ['A-7 is broken, I want a refund', '--message-id', 'mail-2'] as const;
    const asked = await turn(...second);
    expect([asked.code, asked.stdout + asked.stderr]).toEqual([
      3,
      expect.stringContaining('"customer": "c-7"'),
    ]);
    expect(asked.stdout + asked.stderr).toContain('respond customer-7/1.0.4.0.0.0.0 JSON');
    await folder.runHere(['respond', 'customer-7/1.0.4.0.0.0.0', '{"amount":40}']);
    expect((await folder.runHere(['resume', 'customer-7'])).code).toBe(0);
    const again = await turn(...second);
    expect(again.stdout).toContain('"refunded": 40');
  } finally {
    await receiver.close();
  }
  const state = await folder.runHere(['graph-state', 'customer-7', '--ledger', '--intents']);
  const readme = readFileSync(join(example, 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`text\n${state.stdout}\`\`\``);
  expect(receiver.received.map(({ body, headers }) => [headers['idempotency-key'], body])).toMatchObject([
    ['customer-7/4/0', { to: 'c-7', payload: { text: 'Your parcel is on its way.' } }],
    ['customer-7/10/0', { to: 'c-7', payload: { text: 'You get 40 EUR back.' } }],
  ]);
  const tested = await folder.runHere(['test', 'support.tac', '--mock']);
  expect(tested.code, tested.stdout + tested.stderr).toBe(0);
});
