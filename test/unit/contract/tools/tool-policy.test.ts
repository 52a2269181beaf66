import { describe, expect, it } from 'vitest';
import { TactusError } from '../../../../src/contract/errors.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import {
  isToolPolicy,
  judgeCall,
  readToolPolicy,
  type PolicyAction,
} from '../../../../src/contract/tools/tool-policy.js';

describe('the strictest rule that holds counts', () => {
  const judged = (policy: JsonValue, args: JsonValue, procedure = 'main'): PolicyAction =>
    judgeCall(readToolPolicy(policy, 'here', 'config_invalid'), {
      names: ['host.pay', 'pay'],
      procedure,
      args,
    }).action;

  it.each<[string, JsonValue, JsonValue, PolicyAction]>([
    ['no rule', [], {}, 'allow'],
    ['the default', { default: 'deny' }, {}, 'deny'],
    [
      'an allowing rule against it',
      { default: 'deny', rules: [{ tool: 'pay', action: 'allow' }] },
      {},
      'allow',
    ],
    [
      'several',
      [
        { tool: 'pay', action: 'allow' },
        { tool: '*', action: 'approve' },
      ],
      {},
      'approve',
    ],
    [
      'in any order',
      [
        { tool: '*', action: 'deny' },
        { tool: 'pay', action: 'allow' },
      ],
      {},
      'deny',
    ],
    ['another tool', [{ tool: 'pays', action: 'deny' }], {}, 'allow'],
    ['another procedure', [{ tool: 'pay', procedure: 'other*', action: 'deny' }], {}, 'allow'],
    ['an argument', [{ tool: 'pay', when: { to: 'a*' }, action: 'deny' }], { to: 'ann' }, 'deny'],
    [
      'an argument inside',
      [{ tool: 'pay', when: { 'to.name': 'a*' }, action: 'deny' }],
      { to: { name: 'ann' } },
      'deny',
    ],
    ['one that is missing', [{ tool: 'pay', when: { n: { above: 1 } }, action: 'deny' }], {}, 'deny'],
    [
      'one that is missing, allowing',
      { default: 'deny', rules: [{ tool: 'pay', when: { n: { below: 9 } }, action: 'allow' }] },
      {},
      'deny',
    ],
    ['a value', [{ tool: 'pay', when: { force: true }, action: 'deny' }], { force: false }, 'allow'],
    [
      'among others',
      [{ tool: 'pay', when: { to: { in: ['ann', 'bob'] } }, action: 'deny' }],
      { to: 'bob' },
      'deny',
    ],
    ['bounds', [{ tool: 'pay', when: { n: { at_least: 2, at_most: 3 } }, action: 'deny' }], { n: 3 }, 'deny'],
    [
      'outside of bounds',
      [{ tool: 'pay', when: { n: { at_least: 2, at_most: 3 } }, action: 'deny' }],
      { n: 4 },
      'allow',
    ],
    [
      'a name of the prototype',
      [{ tool: 'pay', when: { constructor: { not: null } }, action: 'deny' }],
      {},
      'allow',
    ],
  ])('%s', (_what, policy, args, action) => expect(judged(policy, args)).toBe(action));
});

describe('a policy that isn’t understood is refused', () => {
  it.each<[JsonValue, string]>([
    ['deny', 'here must be a list of rules'],
    [{ default: 'never' }, 'here.default must be allow, approve or deny'],
    [{ rule: [] }, 'here has the unknown field rule'],
    [[{ action: 'deny' }], 'rule 1: tool must be text'],
    [[{ tool: 'x', action: 'deny', when: [1] }], 'when must be a table'],
    [[{ tool: 'x', action: 'deny', when: { n: { more: 1 } } }], 'has the unknown field more'],
    [[{ tool: 'x', action: 'deny', when: { n: { above: 'a' } } }], 'above can\'t be "a"'],
    [[{ tool: 'x', action: 'approve', remember: 'always' }], 'remember must be'],
    [[{ tool: 'x', action: 'approve', approvers: [1] }], 'approvers must be a list of names'],
    [[{ tool: 'x', action: 'approve', expires: 'soon' }], 'expires'],
  ])('%j', (policy, problem) => {
    const read = (): unknown => readToolPolicy(policy, 'here', 'config_invalid');
    expect(read).toThrow(TactusError);
    expect(read).toThrow(problem);
  });

  it('as a client gives it, too', () => {
    const rule = { tool: 'x', action: 'deny' };
    expect(isToolPolicy({ default: 'allow', rules: [rule] })).toBe(true);
    for (const wrong of [
      null,
      [],
      { rules: [] },
      { default: 'allow', rules: [{ ...rule, action: 'maybe' }] },
      { default: 'allow', rules: [{ ...rule, when: { n: 1 } }] },
      { default: 'allow', rules: [{ ...rule, timeout: '1h' }] },
    ])
      expect(isToolPolicy(wrong)).toBe(false);
  });
});
