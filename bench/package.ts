/**
 * `npm run bench -- package`: how long commands of the installed package take to start, beside those of the clone's compiled files,
 * with what Node keeps compiled and without. `npm run bench -- package OTHER.tgz` has another package in their place, such as the one before.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inTurns, printTable, timed, type Comparison } from './measures/compare.ts';

const rounds = 10;
const root = join(import.meta.dirname, '..');
const npm = process.env['npm_execpath'];
if (npm === undefined) throw new Error('This is run by npm: npm run bench -- package');
const [other] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'bench-package-'));

const commands = {
  '--version': ['--version'],
  '--help': ['--help'],
  validate: ['validate', 'app/expenses.tac'],
  start: ['start', 'app/expenses.tac', '--param', 'amount=80'],
  status: ['status', 'a-run'],
};

function call(args: readonly string[], cwd: string): void {
  execFileSync(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** @returns its command line */
function install(name: string, archive: string): string {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{}');
  call([npm ?? '', 'install', '--prefer-offline', '--ignore-scripts', archive], project);
  return join(project, 'node_modules/tactus-temporal/bin/tactus-temporal.mjs');
}

function pack(): string {
  call([join(root, 'scripts/build.mjs'), '--package'], root);
  call([npm ?? '', 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder], root);
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
}

const packed = install('packed', pack());
const compared =
  other === undefined ? join(root, 'bin/tactus-temporal.mjs') : install('other', resolve(root, other));
const work = join(folder, 'work');
mkdirSync(work);
try {
  call([packed, 'init', 'app', '--template', 'approval'], work);
  call([packed, ...commands.start, '--id', 'a-run'], work);
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'cache') };
  const without = { ...env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const rows: Comparison[] = [];
  for (const [what, args] of Object.entries(commands))
    for (const [kept, environment] of [
      ['kept', env],
      ['not kept', without],
    ] as const) {
      const run = (bin: string) => () =>
        timed(() => promisify(execFile)(process.execPath, [bin, ...args], { cwd: work, env: environment }));
      // Once for what is kept from then on.
      for (const bin of [packed, compared]) await run(bin)();
      rows.push({
        what: `${what}, ${kept}`,
        unit: 'ms',
        ...(await inTurns(rounds, run(packed), run(compared))),
      });
    }
  printTable(['the package', other === undefined ? 'compiled files' : other], rows);
} finally {
  call([packed, 'server', 'stop'], work);
  rmSync(folder, { recursive: true });
}
