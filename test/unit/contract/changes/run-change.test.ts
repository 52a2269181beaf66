import { describe, expect, it } from 'vitest';
import {
  readRunChange,
  unacceptedChanges,
  unacceptedMessage,
} from '../../../../src/contract/changes/run-change.js';
import type { ChangedSettings } from '../../../../src/contract/changes/proof.js';

const source = { entry: 'a.tac', files: { 'a.tac': 'return 1' } };

describe('a change that was sent', () => {
  it.each([[{ source }], [{ source, mayAskAnew: true, strict: true, accept: ['system_prompt'], by: 'ann' }]])(
    'is taken: %j',
    (given) => {
      expect(readRunChange(given)).toEqual(given);
    },
  );

  it.each([
    [null, 'must be one JSON object'],
    ['text', 'must be one JSON object'],
    [[], 'must be one JSON object'],
    [{}, 'has no source'],
    [{ source: { entry: 'b.tac', files: {} } }, 'has no source, or one that lacks entry or files'],
    [{ source: { entry: 'a.tac', files: { 'a.tac': 1 } } }, 'has no source'],
    [{ source: { entry: 'toString', files: {} } }, 'has no source'],
    [{ source, reask: true }, 'unknown field reask'],
    [{ source, strict: 'yes' }, 'a field of another type'],
    [{ source, mayAskAnew: 1 }, 'a field of another type'],
    [{ source, by: {} }, 'a field of another type'],
    [{ source, by: 'x'.repeat(201) }, 'a by of more than 200 characters'],
    [{ source, accept: 'system_prompt' }, 'no list of at most 100 names'],
    [{ source, accept: [1] }, 'no list of at most 100 names'],
    [{ source, accept: Array.from({ length: 101 }, () => 'model') }, 'no list of at most 100 names'],
  ])('is refused, in words: %j', (given, message) => {
    expect(readRunChange(given)).toContain(message);
  });
});

describe('settings that differ', () => {
  const changed: ChangedSettings[] = [
    { position: '0.0', type: 'model_call', name: 'writer', settings: ['model', 'system_prompt'] },
    { position: '1', type: 'hitl_approval', name: 'Go?', settings: ['approvers'] },
  ];

  it('may do so, unless it is strict', () => {
    expect(unacceptedChanges(changed, {})).toEqual([]);
    expect(unacceptedChanges(changed, { strict: true })).toEqual(changed);
    expect(unacceptedChanges(changed, { strict: true, accept: ['system_prompt', 'approvers'] })).toEqual([
      { ...changed[0], settings: ['model'] },
    ]);
  });

  it('are named, the first five of them', () => {
    expect(unacceptedMessage(changed)).toBe(
      'The source asks in another way than was answered: model and system_prompt of writer at 0.0, approvers of Go? at 1. Without --strict it fits',
    );
    expect(unacceptedMessage(Array.from({ length: 7 }, () => changed[1] as ChangedSettings))).toContain(
      'and 2 more',
    );
  });
});
