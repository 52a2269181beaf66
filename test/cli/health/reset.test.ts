import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { executablePaths } from '../../support/executable-paths.js';
import { waitUntil } from '../../support/wait-until.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write(
    'parent.tac',
    `Procedure { function()
      local first = Human.approve("first?")
      local child = Procedure.run("child.tac", {})
      return { first = first, child = child, last = Human.approve("last?") }
    end }`,
  );
  folder.write('child.tac', 'Procedure { function() return tostring(Human.approve("child?")) end }');
});
afterAll(() => folder.close());

interface Listed {
  requests: string[];
  runs: string[];
}

/** What `pending` and `list` show. */
async function listed(): Promise<Listed> {
  const pending = (await folder.runHere(['pending', '--json'])).json()['pending'] as {
    id: string;
    message: string;
  }[];
  const runs = (await folder.runHere(['list', '--json'])).json()['runs'] as {
    run_id: string;
    status: string;
  }[];
  return {
    requests: pending.map(({ id, message }) => `${id} ${message}`).sort(),
    runs: runs.map(({ run_id, status }) => `${run_id} ${status}`).sort(),
  };
}

const respond = async (request: string): Promise<unknown> =>
  (await folder.runHere(['respond', request, 'true', '--json'])).json()['outcome'];

it('commands follow a run that temporal workflow reset has set back: what it asks, its child run, and its end', async () => {
  expect((await folder.runHere(['run', 'parent.tac', '--id', 'p', '--json'])).code).toBe(3);
  const worker = await folder.worker();
  expect(await respond('p/0')).toBe('accepted');
  await waitUntil(async () => (await listed()).requests.includes('p/1/0 child?'));
  const { address } = (await folder.runHere(['server', 'status', '--json'])).json() as { address: string };
  // Behind its first workflow task: the decision on the first request comes again, and the child run goes on.
  await promisify(execFile)(executablePaths().temporal, [
    ...[
      'workflow',
      'reset',
      '--workflow-id',
      'p',
      '--event-id',
      '4',
      '--reason',
      'test',
      '--address',
      address,
    ],
  ]);
  const waiting = { requests: ['p/1/0 child?'], runs: ['p waiting_for_children', 'p/1 waiting_for_human'] };
  await waitUntil(async () => {
    expect(await listed()).toEqual(waiting);
    return true;
  }, 20_000);
  const { status, pending } = (await folder.runHere(['status', 'p', '--json'])).json();
  expect([status, pending]).toMatchObject(['waiting_for_children', []]);

  expect(await respond('p/1/0')).toBe('accepted');
  await waitUntil(async () => {
    expect(await listed()).toEqual({
      requests: ['p/2 last?'],
      runs: ['p waiting_for_human', 'p/1 completed'],
    });
    return true;
  }, 20_000);
  expect(await respond('p/2')).toBe('accepted');
  const ended = await folder.runHere(['result', 'p', '--json']);
  expect([ended.code, ended.json()['output']]).toEqual([0, { first: true, child: 'true', last: true }]);
  expect((await listed()).requests).toEqual([]);
  expect(await worker.stop()).toBe(0);
});
