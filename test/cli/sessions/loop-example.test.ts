import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

const example = resolve(import.meta.dirname, '../../../examples/durable-loop');

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  cpSync(example, folder.path, { recursive: true });
});
afterAll(() => folder?.close());

it('the example of a durable loop is killed in a round, goes on there, and asks a person', async () => {
  const args = ['run', 'research.tac', '--id', 'research-1', '--mock', '--param', 'pause=1s'];
  const child = folder.start(args);
  const closed = new Promise((done) => child.on('close', done));
  child.stderr?.on('data', (data: Buffer) => {
    if (data.toString().includes('1.0 agent turn')) child.kill('SIGKILL');
  });
  await closed;
  expect(child.signalCode).toBe('SIGKILL');
  // What asks for it takes the run up again, so there may be more by now.
  const left = (await folder.runHere(['session', 'research-1', '--json'])).json();
  const [first] = left['snapshots'] as unknown[];
  expect(first).toMatchObject({ trigger: 'plan_step_done', position: '1.0.0.0' });

  const ended = await folder.runHere(['resume', 'research-1', '--respond', 'y', '--json']);
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.json()['output']).toMatchObject({
    approved: true,
    answer: 'PostgreSQL, as three workers write.',
  });
  const log = (await folder.runHere(['log', 'research-1', '--json'])).json();
  const turns = (log['execution_log'] as { type: string }[]).filter(({ type }) => type === 'agent_turn');
  expect(turns).toHaveLength(4);

  const { stdout } = await folder.runHere(['session', 'research-1']);
  const constant = (text: string): string => text.replace(/\S+Z /g, 'AT ').replace(/\d+ bytes/g, 'N bytes');
  expect(constant(readFileSync(join(example, 'README.md'), 'utf8'))).toContain(constant(stdout));
  const tested = await folder.runHere(['test', 'research.tac', '--mock']);
  expect(tested.code, tested.stdout + tested.stderr).toBe(0);
});
