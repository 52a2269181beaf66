/**
 * `npm run bench -- first-run`: what a new user waits for, from the packed package to the first run that a person has answered.
 * npm's cache and ours are taken as they are: run it twice for full ones.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const project = mkdtempSync(join(tmpdir(), 'first-run-'));
const npm = process.env['npm_execpath'];
if (npm === undefined) throw new Error('This is run by npm: npm run bench -- first-run');

function call(command: string, args: readonly string[], cwd = project): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function timed(name: string, work: () => void): number {
  const start = performance.now();
  work();
  const seconds = (performance.now() - start) / 1_000;
  console.log(`| ${name} | ${seconds.toFixed(1)} s |`);
  return seconds;
}

const command = join(project, 'node_modules', '.bin', 'tactus-temporal');
try {
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', project];
  call(process.execPath, [npm, ...pack], join(import.meta.dirname, '..'));
  const archive = readdirSync(project).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(project, 'package.json'), '{}');
  console.log('| what | time |\n| --- | --- |');
  const parts = [
    timed('npm install', () => {
      call(process.execPath, [npm, 'install', '--prefer-offline', '--ignore-scripts', `./${archive}`]);
    }),
    timed('init', () => call(command, ['init', 'app', '--template', 'approval'])),
    timed('run, to the answer', () => {
      call(command, ['run', 'app/expenses.tac', '--param', 'amount=80', '--respond', 'y', '--json']);
    }),
  ];
  console.log(`| in all | ${parts.reduce((sum, each) => sum + each).toFixed(1)} s |`);
} finally {
  call(command, ['server', 'stop']);
  rmSync(project, { recursive: true });
}
