import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { waitUntil } from '../../support/wait-until.js';
import { startReceiver, type MessageReceiver } from '../../support/message-receiver.js';

let folder: CliFolder;
let crm: MessageReceiver;
beforeAll(async () => {
  crm = await startReceiver();
  folder = cliFolder({ CRM_SECRET: 'x'.repeat(24) });
});
afterAll(async () => {
  await folder.close();
  await crm.close();
});

it('what configuration says of channels holds for workers, and their names for the runs that are started', async () => {
  const channels = {
    crm: { webhook: { url: crm.url, secret: 'CRM_SECRET' } },
    ops: { slack: { url: 'NOWHERE_SET' } },
    desk: { slack: { url: 'NOWHERE_SET' }, default: false },
  };
  // JSON is YAML.
  folder.write('.tactus/config.yml', JSON.stringify({ channels, public_url: 'https://t.example' }));
  folder.write('flows/.tactus/config.yml', JSON.stringify({ channels: { own: channels.crm } }));
  folder.write('flows/ask.tac', 'function main() return Human.approve("Sure?") end');
  folder.write(
    'flows/bad.tac',
    'function main() return Human.approve{message = "Sure?", channels = "own"} end',
  );
  const bad = await folder.runHere(['run', 'flows/bad.tac']);
  expect(bad.code).toBe(1);
  expect(bad.stderr).toContain('flows/.tactus/config.yml: channels has no effect here');
  expect(`${bad.stdout}${bad.stderr}`).toContain(
    'No configuration has the channel "own"; there are crm, ops, desk',
  );

  const worker = await folder.worker();
  expect((await folder.runHere(['run', 'flows/ask.tac', '--id', 'one', '--json'])).code).toBe(3);
  const [asked] = await crm.taken(1);
  expect(asked?.body).toMatchObject({
    ...{ why: 'asked', id: 'one/0', procedure: 'ask', page_url: 'https://t.example/requests/one%2F0' },
  });
  const deliveries = async () => (await folder.runHere(['pending'])).stdout;
  await waitUntil(async () => !(await deliveries()).includes('sending'));
  const pending = await folder.run(['pending']);
  expect(pending.stdout).toMatch(/told by crm: delivered since \d{4}/);
  expect(pending.stdout).toMatch(/told by ops: undelivered since .*: It needs the secret NOWHERE_SET/);
  expect(pending.stdout).not.toContain('desk');
  expect((await folder.runHere(['status', 'one', '--json'])).json()).toMatchObject({
    pending: [{ channels: ['crm', 'ops'], deliveries: [{ status: 'delivered' }, { status: 'undelivered' }] }],
  });
  expect((await folder.runHere(['respond', 'one/0', 'y'])).code).toBe(0);
  expect((await crm.taken(2))[1]?.body).toMatchObject({ why: 'closed', how: 'decided' });
  await worker.stop();
});
