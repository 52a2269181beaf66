import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';
import { nothingObserved } from '../../../src/contract/specifications/scenario.js';
import type { EvaluatedRun, Judgement } from '../../../src/testing/evaluations/evaluator.js';
import { readEvaluations } from '../../../src/testing/evaluations/read-evaluations.js';

const run: EvaluatedRun = {
  output: { greeting: 'Hello, Ann!', score: 0.7, tags: ['a'] },
  state: { counter: 3 },
  observed: {
    ...nothingObserved(),
    toolCalls: [{ tool: 'search', args: {}, result: null }],
    agentTurns: { writer: 2, critic: 1 },
  },
  expected: { greeting: 'Hello, Ann!', score: 1, name: 'Ann' },
  costUsd: 0.02,
  tokens: 120,
};

async function judgementOf(evaluator: JsonObject, more: Partial<EvaluatedRun> = {}): Promise<Judgement> {
  const dataset: JsonValue = [{ inputs: {} }];
  const [evaluation] = await readEvaluations('main.tac', [{ dataset, evaluators: [evaluator] }]);
  const judge = ({ text }: { text: string }) =>
    Promise.resolve(text.includes('Ann') ? { ok: true, reason: '' } : { ok: false, reason: 'no Ann' });
  return (await evaluation?.evaluators[0]?.evaluate({ ...run, ...more }, judge)) ?? null;
}

describe('evaluators', () => {
  it.each<JsonObject>([
    { type: 'contains', field: 'greeting', value: 'hello' },
    { type: 'contains', field: 'greeting', check_expected: 'name' },
    { type: 'contains', value: 'Ann' },
    { type: 'contains_any', field: 'greeting', value: ['Bye', 'Hello'] },
    { type: 'equals_expected', field: 'greeting' },
    { type: 'exact_match', field: 'score', value: 0.7 },
    { type: 'is_instance', field: 'greeting', value: 'str' },
    { type: 'is_instance', field: 'tags', value: 'array' },
    { type: 'min_length', field: 'greeting', value: 11 },
    { type: 'max_length', field: 'greeting', value: 11 },
    { type: 'max_length', field: 'tags', value: 1 },
    { type: 'min_length', value: 3 },
    { type: 'min_length', field: 'missing', value: 0 },
    { type: 'max_length', field: 'tags', check_expected: 'score' },
    { type: 'max_length', field: 'tags', check_expected: 'other', value: 1 },
    { type: 'max_iterations', value: 3 },
    { type: 'max_cost', value: 0.02 },
    { type: 'max_tokens', max_tokens: 120 },
    { type: 'tool_called', value: 'search' },
    { type: 'agent_turns', field: 'writer', min_value: 2, max_value: 2 },
    { type: 'state_check', field: 'counter', value: 3 },
    { type: 'regex', field: 'greeting', value: '^Hello, \\w+!$' },
    { type: 'json_schema', json_schema: { type: 'object', required: ['score'] } },
    { type: 'range', field: 'score', value: { min: 0, max: 1 } },
    { type: 'llm_judge', rubric: 'Is it kind?', field: 'greeting' },
  ])('are content: %j', async (evaluator) => {
    expect(await judgementOf(evaluator)).toBeNull();
  });

  it.each<[JsonObject, string]>([
    [{ type: 'contains', field: 'greeting', value: 'Bye' }, 'which has no "Bye"'],
    [{ type: 'contains', field: 'greeting', value: 'hello', case_sensitive: true }, 'which has no "hello"'],
    [{ type: 'contains', field: 'missing', value: 'x' }, 'the output missing is ""'],
    [{ type: 'contains_any', value: ['x', 'yy'] }, 'which has none of "x", "yy"'],
    [{ type: 'equals_expected' }, 'expected {"greeting"'],
    [{ type: 'equals_expected', field: 'score' }, 'the output score is 0.7, expected 1'],
    [{ type: 'exact_match', field: 'score', value: 0.8 }, 'expected 0.8'],
    [{ type: 'is_instance', field: 'greeting', value: 'number' }, 'no number'],
    [{ type: 'min_length', field: 'greeting', value: 12 }, 'has 11 characters, expected 12 or more'],
    [{ type: 'max_length', field: 'greeting', value: 10 }, 'has 11 characters, expected 10 at most'],
    [{ type: 'min_length', field: 'tags', value: 2 }, 'the output tags has 1 items, expected 2 or more'],
    [{ type: 'max_length', value: 2 }, 'the output has 3 items, expected 2 at most'],
    [
      { type: 'max_length', field: 'greeting', check_expected: 'score', value: 50 },
      'has 11 characters, expected 1 at',
    ],
    [{ type: 'regex', field: 'greeting', value: '^\\w+$' }, 'no match of ^\\w+$'],
    [{ type: 'max_iterations', value: 2 }, 'there were 3 iterations'],
    [{ type: 'max_cost', value: 0.01 }, 'it cost 0.02 $'],
    [{ type: 'max_tokens', value: 100 }, 'it took 120 tokens'],
    [{ type: 'tool_called', value: 'write' }, 'was called 0 times, expected 1 to …'],
    [
      { type: 'tool_called', value: 'search', min_value: 0, max_value: 0 },
      'was called 1 times, expected 0 to 0',
    ],
    [{ type: 'agent_turns', min_value: 4 }, 'all agents took 3 turns'],
    [{ type: 'state_check', field: 'counter', value: 4 }, 'the state counter is 3, expected 4'],
    [{ type: 'regex', field: 'greeting', value: '^Bye' }, 'no match of ^Bye'],
    [{ type: 'json_schema', value: { type: 'object', required: ['missing'] } }, "doesn't follow the schema"],
    [{ type: 'range', field: 'score', min_value: 0.8 }, 'expected 0.8 to …'],
    [{ type: 'range', field: 'greeting', min_value: 0 }, 'expected 0 to …'],
    [{ type: 'llm_judge', rubric: 'Is it Ann?', field: 'score' }, "in the judge's opinion: no Ann"],
  ])('say what is wrong: %j', async (evaluator, message) => {
    expect(await judgementOf(evaluator)).toEqual({ problem: expect.stringContaining(message) as string });
  });

  it('say where they can’t tell', async () => {
    expect(await judgementOf({ type: 'max_cost', value: 1 }, { costUsd: null })).toHaveProperty('unknown');
    expect(await judgementOf({ type: 'equals_expected' }, { expected: null })).toHaveProperty('unknown');
    expect(await judgementOf({ type: 'equals_expected', field: 'tags' })).toHaveProperty('unknown');
  });

  it.each<[JsonObject, string]>([
    [{ dataset: [], evaluators: [{ type: 'contains' }] }, 'field.contains needs the text check_expected'],
    [{ dataset: [], evaluators: [{ type: 'min_length' }] }, 'field.min_length needs the number value'],
    [{ dataset: [], evaluators: [{ type: 'llm_judge' }] }, 'field.llm_judge needs the text rubric'],
    [
      { dataset: [], evaluators: [{ type: 'vibes' }] },
      'evaluators[1]: there is no vibes; there are agent_turns',
    ],
    [{ dataset: [], evaluators: ['contains'] }, 'evaluators[1] must be an evaluator'],
    [{ dataset: [], evaluators: [{ type: 'is_instance', value: 'Foo' }] }, 'knows no type Foo'],
    [{ dataset: [], evaluators: [{ type: 'range' }] }, 'needs value = { min'],
    [{ dataset: { a: 1 } }, 'dataset must be a list'],
    [{ dataset: ['x'] }, 'dataset[1] must be a table'],
    [{ dataset: [{ inputs: 5 }] }, 'dataset[1]: inputs must be a table'],
    [{ dataset: [], runs: 0 }, 'runs must be a positive integer'],
    [{ dataset_file: 'nowhere.jsonl' }, 'there is no file nowhere.jsonl'],
  ])('%j is refused', async (evaluation, message) => {
    await expect(readEvaluations('main.tac', [evaluation])).rejects.toThrow(message);
  });

  it('with a pattern that is none are refused as what they are', async () => {
    const evaluation: JsonObject = { dataset: [], evaluators: [{ type: 'regex', value: '(' }] };
    await expect(readEvaluations('main.tac', [evaluation])).rejects.toMatchObject({
      code: 'source_invalid',
      message: expect.stringContaining("field.regex can't be used: ( is no regular expression") as string,
    });
  });

  it('without a dataset only say how often', async () => {
    expect(await readEvaluations('main.tac', [{ runs: 10, parallel: true }])).toEqual([]);
  });
});
