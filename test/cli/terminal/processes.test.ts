import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

/** The life of some runs, in which each command that works with runs is a process of its own. Most other tests have it in theirs. */

const ask = `
function main()
  local name = Human.input("Your name?")
  local paid = Event.wait("paid")
  return { name = name, sure = Human.approve("Sure?"), paid = paid }
end`;

let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder();
  folder.write('ask.tac', ask);
});
afterAll(() => folder?.close());

it.each<[command: string, code: number, answer: JsonObject]>([
  ['server start', 0, { running: true }],
  ['start ask.tac --id one', 0, { run_id: 'one' }],
  ['resume one', 3, { status: 'waiting_for_human' }],
  ['pending one', 0, { pending: [{ id: 'one/0', message: 'Your name?' }] }],
  ['status one', 0, { status: 'waiting_for_human', pending: [{ id: 'one/0' }] }],
  ['respond one/0 Ada', 0, { outcome: 'accepted' }],
  ['respond one/0 Bob', 2, { outcome: 'late' }],
  ['send one paid 40', 0, { event: 'paid', value: 40 }],
  ['control --respond y', 0, { outcome: 'accepted' }],
  ['result one', 0, { output: { name: 'Ada', sure: true, paid: 40 } }],
  ['state one', 0, { state: {} }],
  ['log one', 0, { execution_log: [{ position: '0' }, { position: '1' }, { position: '2' }] }],
  ['run ask.tac --id two', 3, { status: 'waiting_for_human' }],
  ['cancel two', 0, { status: 'cancelled' }],
  ['list --status cancelled', 0, { runs: [{ run_id: 'two' }] }],
  ['count --status completed', 0, {}],
  ['fork one --at 2 --id three', 0, { run_id: 'three' }],
  ['backtest ask.tac one', 0, { same: 1, runs: [{ run_id: 'one', verdict: 'same' }] }],
  ['diff one one', 0, { same: 3, entries: [] }],
  ['terminate three', 0, { status: 'terminated' }],
  ['export one --out one.json', 0, {}],
  ['import one.json --source ask.tac --id four', 0, {}],
  ['archive one --out one.tactus.gz', 0, {}],
  ['replay one.tactus.gz', 0, { problems: [] }],
  ['steer one Quickly', 2, { error: { code: 'run_conflict' } }],
  ['delegate two/0 eve', 2, {}],
  ['withdraw two/0', 2, {}],
  ['publish ask ask.tac', 0, { name: 'ask', versions: [{ version: 1, share: 100 }] }],
  ['promote ask 1', 0, { versions: [{ version: 1 }] }],
  ['rollback ask', 2, { error: { code: 'change_refused' } }],
  [
    'score one quality 0.9 --by ann',
    0,
    { run_id: 'one', scores: [{ name: 'quality', value: 0.9, by: 'ann' }] },
  ],
  ['compare ask --by version', 0, { by: 'version', is_cut: false }],
  ['schedule list', 0, { schedules: [] }],
  ['index status', 0, {}],
  ['storage reconcile', 0, {}],
  ['payloads prune --dry-run', 0, {}],
  ['tenants', 0, { tenants: [] }],
  ['doctor', 0, {}],
  ['server stop', 0, {}],
])('%s', async (command, code, answer) => {
  const ended = await folder.run([...command.split(' '), '--json']);
  expect({ code: ended.code, answer: ended.json() }, ended.stderr).toMatchObject({ code, answer });
});
