import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand, whyItFailed } from '../../../scripts/setup/run-command.mjs';
import { temporaryFolder } from '../../support/temporary-folder.js';

it('gives what a command printed and how it ended', async () => {
  const result = await runCommand('sh', ['-c', 'echo out; echo err >&2; exit 3'], { timeoutMs: 5_000 });
  expect(result).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n', timedOut: false, notFound: false });
  expect(whyItFailed(result)).toBe('err · out');
});

it('ends a command that hangs, with the processes that it started', async () => {
  const start = performance.now();
  // The inner sleep holds the pipe open: if it lived on, this would take a minute.
  const result = await runCommand('sh', ['-c', 'sleep 60 & wait'], { timeoutMs: 200 });
  expect(result).toMatchObject({ code: null, timedOut: true });
  expect(whyItFailed(result)).toBe('it took too long');
  expect(performance.now() - start).toBeLessThan(5_000);
});

it('tells a command that is not there from one that fails', async () => {
  const result = await runCommand('no-such-command-of-tactus', [], { timeoutMs: 5_000 });
  expect(result).toMatchObject({ code: null, notFound: true });
});

it('leaves out what npm and pip say beside what matters', () => {
  const stderr = [
    'npm warn Unknown user config',
    'WARNING: Retrying',
    'npm error code E404',
    'npm error',
    'npm error 404 no such package',
    'npm error A complete log of this run can be found in: some.log',
  ].join('\n');
  const result = { code: 1, stdout: '', stderr, timedOut: false, notFound: false };
  expect(whyItFailed(result)).toBe('npm error 404 no such package');
});

it('ends the command when it is itself ended', async () => {
  const folder = temporaryFolder('run');
  const beats = join(folder, 'beats');
  const module = new URL('../../../scripts/setup/run-command.mjs', import.meta.url).href;
  const program = `
    const { runCommand } = await import(${JSON.stringify(module)});
    setTimeout(() => process.kill(process.pid, 'SIGINT'), 300);
    await runCommand('sh', ['-c', 'while :; do echo x >> ${beats}; sleep 0.02; done'], { timeoutMs: 60_000 });`;
  const args = ['--input-type=module', '-e', program];
  const { code } = await runCommand(process.execPath, args, { timeoutMs: 20_000 });
  expect(code).toBe(130);
  const last = (await stat(beats)).size;
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await stat(beats)).size).toBe(last);
});
