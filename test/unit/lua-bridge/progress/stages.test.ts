import { describe, expect, it } from 'vitest';
import { outputOf } from '../../../support/fake-host.js';

describe('stages', () => {
  it.each([
    ['return {Stage.current() == nil, Stage.count()}', [true, 0]],
    ['Stage.set("b") return {Stage.current(), Stage.is("b"), Stage.is_current("a")}', ['b', true, false]],
    ['Stage.set("a") return {Stage.advance(), Stage.advance() == nil, Stage.current()}', ['b', true, 'b']],
    [
      'Stage.set("a") Stage.set("b") return Stage.history()',
      [
        { to_stage: 'a', timestamp: '2026-01-02T03:04:05.000Z' },
        { from_stage: 'a', to_stage: 'b', timestamp: '2026-01-02T03:04:05.000Z' },
      ],
    ],
    ['Stage.set("a") Stage.clear_history() return {Stage.count(), Stage.current()}', [0, 'a']],
  ])('%s', (body, expected) => expect(outputOf(`stages({"a", "b"})\n${body}`)).toEqual(expected));

  it.each([
    ['Stage.set("c")', "Invalid stage 'c'. Valid stages: a, b"],
    ['Stage.advance()', 'no stage is set yet'],
    ['Stage.set()', 'the name of a stage expected'],
  ])('%s is an error', (body, message) =>
    expect(() => outputOf(`stages {"a", "b"}\n${body}`)).toThrow(message),
  );

  it('are what they are set to where none are declared', () =>
    expect(outputOf('Stage.set("anything") return {Stage.current(), pcall(Stage.advance)}')).toEqual([
      'anything',
      false,
      "Stage.advance: 'anything' is no declared stage",
    ]));
});
