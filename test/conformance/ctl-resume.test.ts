import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/contract/json/json.js';
import { caseFolder, type CaseFolder } from './case-folder.js';

/**
 * Where the reference goes wrong: w-ctl-resume. A request and its answer survive the process, in the server's database
 * and in the Tactus storage alike, and nothing of them shows in the state.
 */

const procedure = `
function main()
  state.mine = 1
  local ok = Human.approve("Go on?")
  state.mine = 2
  return {ok = ok}
end`;

let folder: CaseFolder;

beforeAll(async () => {
  folder = await caseFolder();
  folder.write('ctl.tac', procedure);
});
afterAll(() => folder?.close());

/** What the Tactus storage holds of the run. */
function stored(): JsonObject {
  return JSON.parse(folder.read('.tactus-temporal/mirror/ctl.json')) as JsonObject;
}

async function killServer(): Promise<void> {
  const { pid, keeper_pid: keeper } = await folder.json(['server', 'status']);
  for (const each of [keeper, pid]) process.kill(Number(each), 'SIGKILL');
  while ((await folder.json(['server', 'status']))['running'] === true) await delay(100);
}

it('w-ctl-resume: the request and its answer survive every process', async () => {
  const { pending } = await folder.follow(['run', 'ctl.tac', '--id', 'ctl']);
  expect(pending).toMatchObject([{ id: 'ctl/0', message: 'Go on?' }]);
  expect(stored()).toMatchObject({ status: 'WAITING_FOR_HUMAN', waiting_on_message_id: 'ctl/0' });
  expect(stored()['state']).toEqual({ mine: 1 });

  await killServer();
  expect(await folder.json(['pending'])).toEqual({ source: 'index', pending });
  expect(await folder.json(['control', '--respond', 'n'])).toMatchObject({
    id: 'ctl/0',
    outcome: 'accepted',
  });

  await killServer();
  expect(await folder.follow(['resume', 'ctl'])).toMatchObject({
    status: 'completed',
    output: { ok: false },
  });
  expect(await folder.json(['state', 'ctl'])).toEqual({ run_id: 'ctl', state: { mine: 2 } });
  expect(await folder.log('ctl')).toMatchObject([{ type: 'hitl_approval', result: { value: false } }]);
  expect(stored()).toMatchObject({ status: 'COMPLETED', waiting_on_message_id: null });
  expect(stored()['state']).toEqual({ mine: 2 });
  expect(stored()['execution_log']).toMatchObject([{ type: 'hitl_approval', result: { value: false } }]);
});
