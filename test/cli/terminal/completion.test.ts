import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;
let script: string;
beforeAll(async () => {
  folder = cliFolder();
  folder.write('refund.tac', '');
  script = (await folder.run(['completion', 'bash'])).stdout;
});
afterAll(() => folder?.close());

/** What bash offers after these words, the last of which is being typed. */
function offered(...words: string[]): string[] {
  const line = ['tactus-temporal', ...words].map((word) => `'${word}'`).join(' ');
  const asked = `${script}\nCOMP_WORDS=(${line})\nCOMP_CWORD=${words.length}\n_tactus_temporal\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', asked], { cwd: folder.path, encoding: 'utf8' }).trim().split('\n');
}

it('bash completes commands, their parts, flags and files', () => {
  expect(offered('sch')).toEqual(['schedule']);
  expect(offered('schedule', 'd')).toEqual(['delete']);
  expect(offered('schedule', 'create', '--cr')).toEqual(['--cron']);
  expect(offered('--json', 'run', '--stri')).toEqual(['--strict-determinism']);
  expect(offered('run', 'ref')).toEqual(['refund.tac']);
  expect(offered('log', '--add')).toEqual(['--address']);
});

it('other shells have scripts of their own, and any other is refused', async () => {
  expect((await folder.runHere(['completion', 'zsh'])).stdout).toContain('bashcompinit');
  expect((await folder.runHere(['completion', 'fish'])).stdout).toContain(
    "-n '__fish_use_subcommand' -a 'run resume",
  );
  expect((await folder.runHere(['completion', 'tcsh'])).code).toBe(2);
});
