import { Command } from 'commander';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { act, exitCodes, TactusError, type Context, type ExitCode } from '../../../../src/cli/command.js';

let out: string[];
let err: string[];

beforeEach(() => {
  [out, err] = [[], []];
  const into =
    (lines: string[]) =>
    (text: string | Uint8Array): boolean => {
      lines.push(String(text));
      return true;
    };
  vi.spyOn(process.stdout, 'write').mockImplementation(into(out));
  vi.spyOn(process.stderr, 'write').mockImplementation(into(err));
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

async function run(work: (context: Context) => Promise<ExitCode>, ...flags: string[]): Promise<unknown> {
  const command = new Command('try').option('--json').option('--quiet').option('--verbose').action(act(work));
  await command.parseAsync(flags, { from: 'user' });
  return process.exitCode;
}

const fails = (error: unknown) => async (): Promise<ExitCode> => {
  throw error;
};

it('ends with the exit code of the work', async () => {
  expect(await run(async () => exitCodes.goesOn)).toBe(exitCodes.goesOn);
  expect([out, err]).toEqual([[], []]);
});

it.each([
  ['usage', exitCodes.refused],
  ['no_worker', exitCodes.unreachable],
  ['tool_failed', exitCodes.failed],
] as const)('makes an error of the code %s a message and the exit code %i', async (code, exitCode) => {
  expect(await run(fails(new TactusError(code, 'it went wrong')))).toBe(exitCode);
  expect(out.join('')).toBe('');
  expect(err.join('')).toContain('it went wrong');
});

it('makes an error the one JSON document', async () => {
  const error = new TactusError('source_invalid', 'it is wrong', { file: 'a.tac', line: 3 });
  expect(await run(fails(error), '--json')).toBe(exitCodes.refused);
  expect(JSON.parse(out.join(''))).toEqual({
    error: {
      ...{ code: 'source_invalid', message: 'it is wrong', file: 'a.tac', line: 3, traceback: null },
      next: 'tactus-temporal validate a.tac',
    },
  });
});

it.each([
  ['usage', {}, 'help dlq try'],
  ['no_worker', {}, 'worker'],
  ['request_unknown', {}, "pending 'my run'"],
  ['run_conflict', { run_id: 'other' }, 'status other'],
  ['config_invalid', {}, 'config check'],
  ['model_call_failed', {}, undefined],
  ['source_invalid', {}, undefined],
] as const)(
  'names the command that helps with an error of the code %s and %j',
  async (code, details, next) => {
    const attempt = new Command('try')
      .argument('<run>')
      .option('--json')
      .action(act(fails(new TactusError(code, 'it went wrong', details))));
    const program = new Command('tactus-temporal').addCommand(new Command('dlq').addCommand(attempt));
    await program.parseAsync(['dlq', 'try', 'my run', '--json'], { from: 'user' });
    const { error } = JSON.parse(out.join('')) as { error: { next?: string } };
    expect(error.next).toBe(next === undefined ? undefined : `tactus-temporal ${next}`);
  },
);

it('makes what nobody foresaw an internal error, with its stack where that is asked for', async () => {
  expect(await run(fails(new Error('no such thing')))).toBe(exitCodes.failed);
  expect(err.join('')).not.toContain('act.test.ts');
  expect(await run(fails(new Error('no such thing')), '--verbose')).toBe(exitCodes.failed);
  expect(err.join('')).toContain('act.test.ts');
});
