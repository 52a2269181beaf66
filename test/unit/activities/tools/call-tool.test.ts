import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../../src/activities/tools/define-tool.js';
import { ToolFailed } from '../../../../src/activities/tools/tool-host.js';
import type { JsonObject } from '../../../../src/contract/json/json.js';
import type {
  ToolAnswer,
  ToolApproval,
  ToolInvocation,
} from '../../../../src/contract/tools/outside-tool.js';
import { callDigest, type ToolRule } from '../../../../src/contract/tools/tool-policy.js';
import { canary, failureOf, runActivity, textOf } from '../run-activity.js';

let calls: unknown[];

const charge = defineTool({
  name: 'charge',
  description: 'Charges',
  input: z.object({ cents: z.number() }),
  effect: 'once',
  execute: ({ cents }) => {
    calls.push(cents);
    if (cents === 13) throw new Error(`lost ${canary}`);
    if (cents === 14) throw new ToolFailed('declined');
    return { cents };
  },
});

const tries = { attempts: 1, answers: 1, patienceMs: 0, isSaid: true };
const now = Date.UTC(2026, 0, 1);

const invocationOf = (change: Partial<ToolInvocation> = {}): ToolInvocation => ({
  ...{ operation: 'call', source: 'host.charge', args: { cents: 5 }, effect: 'once', call: '3' },
  ...{ procedure: 'main', timeoutMs: 1_000 },
  ...change,
});

function call(invocation: ToolInvocation, rules: ToolRule[] = []): Promise<ToolAnswer> {
  return runActivity(
    'callTool',
    { invocation, idempotencyKey: 'key', tries },
    {
      deps: { tools: [charge], toolPolicy: { default: 'allow', rules }, env: { API_KEY: canary } },
      info: { currentAttemptScheduledTimestampMs: now },
    },
  );
}

const yes = (change: Partial<ToolApproval> = {}): ToolApproval => ({
  request: 'run/3.0',
  digest: callDigest('host.charge', { cents: 5 }),
  by: 'ann',
  expiresAt: null,
  ...change,
});

beforeEach(() => {
  calls = [];
});

describe('an approval is looked at again right before a call', () => {
  const rule: ToolRule = { tool: 'charge', action: 'approve' };
  const remembering: ToolRule = { ...rule, remember: 'tool' };
  const other = callDigest('host.charge', { cents: 6 });

  it.each<[string, ToolRule, ToolApproval | undefined, string]>([
    ['is missing', rule, undefined, 'is missing'],
    ['is of other arguments', rule, yes({ digest: other }), 'is of another call'],
    [
      'is of another tool',
      rule,
      yes({ digest: callDigest('host.refund', { cents: 5 }) }),
      'is of another call',
    ],
    ['has expired', rule, yes({ expiresAt: now - 1 }), 'has expired'],
    [
      'is remembered for what the policy doesn’t',
      rule,
      yes({ digest: other, remembered: 'tool' }),
      'is of another call',
    ],
    [
      'is remembered, and has expired',
      remembering,
      yes({ remembered: 'tool', expiresAt: now - 1 }),
      'has expired',
    ],
    [
      'is remembered for other arguments',
      remembering,
      yes({ digest: other, remembered: 'arguments' }),
      'is of another call',
    ],
  ])('and refused where it %s', async (_what, held, approval, problem) => {
    const given = approval === undefined ? {} : { approval };
    expect(await call(invocationOf(given), [held])).toMatchObject({
      kind: 'refused',
      action: 'approve',
      reason: `the approval of host.charge ${problem}`,
      rule: held as unknown as JsonObject,
    });
    expect(calls).toEqual([]);
  });

  it.each<[string, ToolRule | null, ToolApproval]>([
    ['fits', rule, yes()],
    ['has time left', rule, yes({ expiresAt: now + 1 })],
    ['is remembered as the policy has it', remembering, yes({ digest: other, remembered: 'tool' })],
    ['is one that the file alone wanted', null, yes()],
  ])('and taken where it %s', async (_what, held, approval) => {
    expect(await call(invocationOf({ approval }), held === null ? [] : [held])).toEqual({
      kind: 'done',
      value: { cents: 5 },
    });
  });

  it('also where the policy would have allowed the call without', async () => {
    expect(await call(invocationOf({ approval: yes({ digest: other }) }))).toMatchObject({ kind: 'refused' });
    expect(calls).toEqual([]);
  });

  it('and what is forbidden stays forbidden', async () => {
    const rules: ToolRule[] = [rule, { tool: 'host.*', action: 'deny' }];
    expect(await call(invocationOf({ approval: yes() }), rules)).toMatchObject({
      kind: 'refused',
      action: 'deny',
    });
    expect(calls).toEqual([]);
  });
});

describe('what a call ends with', () => {
  it.each([
    [13, 'outcome_unknown'],
    [14, 'tool_failed'],
    ['many', 'tool_failed'],
  ])('%s: %s, and is tried no second time', async (cents, code) => {
    const failure = await failureOf(call(invocationOf({ args: { cents } })));
    expect([failure.type, failure.nonRetryable]).toEqual([code, true]);
    expect(textOf(failure)).not.toContain(canary);
  });

  it('of a tool that nobody has', async () => {
    const failure = await failureOf(call(invocationOf({ source: 'host.nobody' })));
    expect(failure.type).toBe('tool_failed');
    expect(failure.message).toMatch(/^no worker has a tool called host\.nobody, on worker \d+@/);
  });
});
