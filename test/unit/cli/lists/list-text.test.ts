import { expect, it } from 'vitest';
import { listText } from '../../../../src/cli/lists/list-commands.js';

const run = {
  ...{ run_id: 'a-run', procedure: 'joke', status: 'running' as const },
  ...{ started_at: '2026-01-02T03:04:05.000Z', closed_at: null },
};

it('a run has a line, and lines below it for what it has used, what failed, and what is tried again', () => {
  const text = listText(
    [
      {
        ...run,
        checkpoints: 716,
        usage: { input_tokens: 90_000, output_tokens: 500, cost_usd: 0.0312 },
        error: null,
      },
      {
        ...run,
        ...{ run_id: 'b', status: 'failed' as const, checkpoints: 1 },
        usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
        error: {
          code: 'model_call_failed',
          message: `no\n${'x'.repeat(99)}`,
          file: null,
          line: null,
          traceback: null,
        },
      },
      { ...run, run_id: 'c' },
    ],
    new Map([
      [
        'a-run',
        {
          stuck: null,
          retrying: [
            {
              id: '1',
              attempt: 3,
              attempts: 10,
              message: 'm'.repeat(99),
              next_at: '2026-01-02T03:05:00.000Z',
            },
            { id: '2', attempt: 2, attempts: null, message: 'busy', next_at: null },
          ],
        },
      ],
    ]),
  );
  expect(text.split('\n')).toEqual([
    'a-run  running               2026-01-02T03:04:05.000Z  joke',
    '  716 checkpoints, 90500 tokens, $0.0312',
    expect.stringMatching(/^ {2}retrying until 2026-01-02T03:05:00\.000Z, attempt 3 of 10: m+…$/),
    '  retrying now, attempt 2: busy',
    'b      failed                2026-01-02T03:04:05.000Z  joke',
    '  1 checkpoint',
    '  error model_call_failed: no',
    'c      running               2026-01-02T03:04:05.000Z  joke',
  ]);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(80);
});

it('nothing that others have written begins a line, or ends one amid a character', () => {
  const forged = { ...run, run_id: 'a\nb', procedure: 'x\r\nc  running' };
  const error = {
    code: 'tool_failed' as const,
    message: `\n\n\ta\rb`,
    file: null,
    line: null,
    traceback: null,
  };
  const stuck = { since: 's', attempt: 1, cause: 'failed', message: 'one\ntwo' } as never;
  const text = listText(
    [
      { ...forged, error },
      { ...run, error: { ...error, message: `${'x'.repeat(57)}😀${'y'.repeat(20)}` } },
    ],
    new Map([['a\nb', { stuck, retrying: [] }]]),
  );
  expect(text.split(/[\r\n]/)).toEqual([
    expect.stringMatching(/^a b {4}running.*Z {2}x c running$/),
    '  error tool_failed: a',
    expect.stringMatching(/^ {2}stuck since s, on attempt 1: one two\. It/),
    expect.stringMatching(/^a-run {2}running/),
    `  error tool_failed: ${'x'.repeat(57)}…`,
  ]);
});
