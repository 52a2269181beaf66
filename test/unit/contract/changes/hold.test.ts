import { describe, expect, it } from 'vitest';
import {
  holdOn,
  readHoldChange,
  readHeldSignal,
  readReleasedSignal,
  tenantOf,
  type Hold,
} from '../../../../src/contract/changes/hold.js';
import { toolNames } from '../../../../src/contract/tools/outside-tool.js';

const hold = (target: string, more: Partial<Hold> = {}): Hold => ({
  ...{ id: target, target, reason: 'down', by: null, since: 0, until: null },
  ...more,
});

describe('a call is held', () => {
  it.each([
    ['provider:openai', { provider: ['openai'] }, true],
    ['provider:openai', { provider: ['openai-other'] }, false],
    ['provider:*', { provider: ['groq'] }, true],
    ['tool:crm.*', { tool: toolNames('host.crm.find') }, true],
    ['tool:crm.*', { tool: toolNames('mcp.crm.find') }, true],
    ['tool:mcp.crm.*', { tool: toolNames('mcp.crm.find') }, true],
    ['tool:crm.*', { tool: toolNames('host.crm_find') }, false],
    ['tool:*.find', { tool: toolNames('host.crm.find') }, true],
    ['tool:crm.find', { provider: ['crm.find'] }, false],
    ['queue:gpu', { queue: ['gpu'], procedure: ['review'] }, true],
    ['procedure:support/*', { procedure: ['support/triage'] }, true],
    ['tenant:acme', { tenant: [tenantOf({ fairnessKey: 'acme' })] }, true],
    ['tenant:acme-*', { tenant: [tenantOf({ fairnessKey: 'acme-eu' })] }, true],
    ['tenant:*', { tenant: [tenantOf()] }, false],
    ['tenant:*', { tenant: [tenantOf({ fairnessKey: '' })] }, false],
  ])('by %s where it is of %o: %s', (target, subjects, expected) => {
    expect(holdOn([hold(target)], subjects, 5) !== null).toBe(expected);
  });

  it('by the first that holds it, until its end, and not by one that has let it go', () => {
    const holds = [hold('provider:openai', { until: 10 }), hold('queue:gpu')];
    const subjects = { provider: ['openai'], queue: ['gpu'] };
    expect(holdOn(holds, subjects, 9)?.target).toBe('provider:openai');
    expect(holdOn(holds, subjects, 10)?.target).toBe('queue:gpu');
    expect(holdOn(holds, subjects, 9, ['provider:openai'])?.target).toBe('queue:gpu');
    expect(holdOn(holds, subjects, 9, ['provider:openai', 'queue:gpu'])).toBeNull();
  });
});

describe('an order', () => {
  it('is read with what is left out', () => {
    expect(readHoldChange({ kind: 'add', target: 'queue:gpu', reason: 'r', extra: 1 })).toEqual({
      ...{ kind: 'add', target: 'queue:gpu', reason: 'r', by: null, until: null },
    });
    expect(readHoldChange({ kind: 'release', target: 'queue:gpu', rate: 0.5 })).toMatchObject({ rate: 0.5 });
  });

  it.each([
    [null],
    ['add'],
    [{ kind: 'drop', target: 'queue:gpu' }],
    [{ kind: 'add', target: 'queue:gpu' }],
    [{ kind: 'add', target: 'queue:gpu', reason: ' ' }],
    [{ kind: 'add', target: 'queue:gpu', reason: 'x'.repeat(501) }],
    [{ kind: 'add', target: 'queue:gpu', reason: 'r', by: 7 }],
    [{ kind: 'add', target: 'queue:gpu', reason: 'r', until: '18:00' }],
    [{ kind: 'add', target: 'queue:\u0007', reason: 'r' }],
    [{ kind: 'release', target: 'queue:gpu', rate: -1 }],
    [{ kind: 'release', target: 'queue:gpu', rate: 1_001 }],
    [{ kind: 'release', target: 'gpu' }],
  ])('is refused where it is %o', (given) => {
    expect(() => readHoldChange(given)).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  it('is no signal where it has another form', () => {
    for (const given of [
      null,
      7,
      { run: 'a' },
      { run: 'a', waits: [{}], gone: [] },
      { run: 'a', waits: [null], gone: [] },
    ])
      expect(readHeldSignal(given)).toBeNull();
    expect(readHeldSignal({ run: 'a', waits: [{ hold: 'h', positions: ['0'] }], gone: [] })).not.toBeNull();
    for (const given of [null, { hold: 'h' }, { hold: 'h', positions: [7] }])
      expect(readReleasedSignal(given)).toBeNull();
  });
});
