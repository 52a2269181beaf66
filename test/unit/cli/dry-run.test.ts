import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.js';

/** Commands that only look, or that write files of yours alone. */
const looks = [
  ...['result', 'list', 'count', 'status', 'log', 'state', 'session', 'graph-state', 'pending', 'stream'],
  ...['diff', 'backtest', 'dlq list', 'dlq show', 'export', 'archive', 'replay', 'publish list', 'compare'],
  ...['score list', 'schedule list', 'test', 'evaluate', 'validate', 'graph', 'format', 'types', 'init'],
  ...['hold list', 'index status', 'tools', 'codec key', 'codec subjects', 'tenants', 'authority keygen'],
  ...['config check', 'config show', 'doctor', 'completion', 'help', 'serve token', 'serve openapi'],
  'server status',
];
/** Commands whose work is to run something, for as long as it takes. */
const works = [
  ...['run', 'resume', 'start', 'control-socket', 'playground', 'worker', 'dev', 'mcp'],
  ...['server start', 'server stop'],
];

function leavesOf(command: Command, path: readonly string[] = []): [path: string, command: Command][] {
  return command.commands.flatMap((each) => {
    const here = [...path, each.name()];
    const below = leavesOf(each, here);
    const isGroup = below.length > 0 && each.registeredArguments.length === 0;
    return isGroup ? below : [[here.join(' '), each] as [string, Command], ...below];
  });
}

const leaves = leavesOf(await createProgram([]));
const takesDryRun = ([, { options }]: [string, Command]): boolean =>
  options.some(({ long }) => long === '--dry-run');

it('each command that changes something takes --dry-run', () => {
  const others = leaves.filter(([name]) => !looks.includes(name) && !works.includes(name));
  expect(others.length).toBeGreaterThan(25);
  expect(others.filter((each) => !takesDryRun(each)).map(([name]) => name)).toEqual([]);
});

it('no other does', () => {
  const others = leaves.filter(([name]) => looks.includes(name) || works.includes(name));
  expect(others).toHaveLength(looks.length + works.length);
  expect(others.filter(takesDryRun).map(([name]) => name)).toEqual([]);
});
