import type { LogEntry } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { aheadMessage } from '../../../src/contract/names.js';
import { quietLog } from '../../../src/worker/health/quiet-runtime.js';

function said(entries: Pick<LogEntry, 'message' | 'meta' | 'level'>[]): string[] {
  const lines: string[] = [];
  const log = quietLog({ verbose: false, write: (_level, line) => lines.push(line) });
  for (const entry of entries) log({ ...entry, timestampNanos: 0n });
  return lines;
}

/** As an error of the workflow's thread arrives: only its stack has the name of its class. */
function arrived(name: string, message: string): Error {
  const error = new Error(message);
  error.stack = `${name}: ${message}\n    at tactus (main.js:1:1)`;
  return error;
}

const below = (runId: string, message: string) => ({
  level: 'WARN' as const,
  message: 'Failing workflow task',
  meta: {
    sdkComponent: 'core',
    runId,
    failure: `Failure { failure: Some(Failure { message: ${JSON.stringify(message)}, source: "TypeScriptSDK" }) }`,
  },
});
const above = (error: Error) => ({
  level: 'WARN' as const,
  message: 'Workflow failed',
  meta: { sdkComponent: 'worker', workflowId: 'review', runId: 'x', error },
});

it('tells of a failed workflow task once for each run and failure', () => {
  const lines = said([
    ...[below('x', 'say "no"'), below('x', 'say "no"'), below('y', 'say "no"'), below('x', 'other')],
    below('x', 'say "no"'),
  ]);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^A run \(execution x\) is stuck here: say "no"\..*tactus-temporal doctor$/);
});

it('names the run where its id is known, and a run that failed not at all', () => {
  const bad = arrived('TypeError', 'bad');
  const lines = said([
    above(bad),
    above(bad),
    below('x', 'bad'),
    above(arrived('ApplicationFailure', 'boom')),
  ]);
  expect(lines).toEqual([expect.stringMatching(/^The run review is stuck here: bad\..*status review$/)]);
});

it('says of a task that begins again by itself that nothing has to be done', () => {
  const lines = said([
    below('x', aheadMessage),
    below('x', aheadMessage),
    above(arrived('Error', aheadMessage)),
    below('y', aheadMessage),
  ]);
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line).toContain('It continues by itself, and nothing is lost');
    expect(line).not.toContain('stuck');
  }
});

it('leaves out what nobody can do anything about', () => {
  const query = {
    level: 'WARN' as const,
    message: 'Failing legacy query request',
    meta: { sdkComponent: 'core' },
  };
  const down = { level: 'ERROR' as const, message: 'no connection', meta: { sdkComponent: 'core' } };
  expect(said([query, down])).toEqual(['ERROR no connection']);
});

it('says nothing of a worker that is meant to make calls alone', () => {
  const message = 'No workflows registered, not polling for workflow tasks';
  expect(said([{ level: 'WARN', message, meta: { sdkComponent: 'worker' } }])).toEqual([]);
});
