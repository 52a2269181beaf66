import { describe, expect, it } from 'vitest';
import { nothingObserved } from '../../../src/contract/specifications/scenario.js';
import { matchStep, stepToWrite } from '../../../src/testing/specifications/match-step.js';
import { planScenario } from '../../../src/testing/specifications/plan-scenario.js';
import { judgeScenario, type EndedScenario } from '../../../src/testing/specifications/run-scenario.js';
import type { Facts, Judge } from '../../../src/testing/specifications/step-definition.js';

const facts: Facts = {
  status: 'completed',
  input: { topic: 'tea', tags: [1, true] },
  output: { greeting: 'Hello, Alice!', count: 5, ok: true, tags: ['a', 'b'], nothing: null },
  state: { items: 3, mood: 'calm' },
  error: null,
  log: [],
  printed: [],
  usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
  observed: {
    ...nothingObserved(),
    toolCalls: [
      { tool: 'search', args: { query: 'black tea' }, result: {} },
      { tool: 'search', args: { query: 'green tea', limit: 3 }, result: {} },
      { tool: 'done', args: { reason: 'all done' }, result: {} },
    ],
    stages: ['start', 'middle', 'end'],
    agentTurns: { writer: 2, critic: 1 },
  },
};

const ended = (of: Facts, judge: Judge = () => Promise.resolve(null)): EndedScenario => ({
  runId: 'run',
  facts: of,
  judge,
});

/** What is wrong with a step that looks; null: nothing. */
async function problemOf(step: string, given: Partial<Facts> = {}): Promise<string | null> {
  const scenario = { feature: 'F', name: 'S', tags: [], steps: [step] };
  const planned = planScenario(scenario, [], { mock: true, input: {} });
  const judged = await judgeScenario(planned, ended({ ...facts, ...given }));
  expect(judged.status).not.toBe('undefined');
  return judged.status === 'passed' ? null : (judged.steps[0]?.message ?? '');
}

describe('steps that look', () => {
  it.each([
    'the procedure should complete successfully',
    'the output should exist',
    'the output greeting should exist',
    'the output missing should not exist',
    'the output greeting should be "Hello, Alice!"',
    'the output greeting should be Hello, Alice!',
    'the output greeting should not be "Bye"',
    'the output missing should not be "Bye"',
    'the output count should be 5',
    'the output count should be 5.0',
    'the output ok should be True',
    'the output ok should be true',
    'the output tags should be ["a", "b"]',
    'the output nothing should be None',
    'the output missing should be None',
    'the output missing should match pattern "^$"',
    'the output ok should be "True"',
    'the output ok should be "true"',
    "the output tags should be \"['a', 'b']\"",
    'the output tags should match pattern "^.\'a\', "',
    'the output ok should match pattern "True"',
    'the output greeting should be "\\x48ello, Alice!"',
    'the tags parameter is [1, True]',
    'the other parameter is None',
    'the stop reason should be all done',
    'the stop reason should contain done',
    'the stop reason should contain "all"',
    'the stop reason should match pattern "done$"',
    'the output should contain greeting',
    'the output greeting should contain "Alice"',
    'the output greeting should match pattern "^Hel+o"',
    'the output greeting should match pattern "(?i)HELLO, (?P<name>\\w+)"',
    'the output greeting should be similar to "Hello, Alicia!"',
    'the output greeting should be similar to "Hello, Bob!" with 60% similarity',
    'the output greeting should fuzzy match "hello alice"',
    'the output greeting should fuzzy match any of ["Bye", "Hello"] with threshold 0.9',
    'the output greeting should be one of ["Hi", "Hello, Alice!"]',
    'the state items should be 3',
    'the state mood should be calm',
    'the state mood should exist',
    'the state should contain mood',
    'the search tool should be called',
    'the search tool should be called at least 1 time',
    'the search tool should be called at least once',
    'the search tool should be called exactly 2 times',
    'the other-tool tool should not be called',
    'the search tool should be called with query=green tea',
    'the search tool should be called with query="green tea"',
    'the search tool should be called with limit=3',
    'the search tool should be called with query matching pattern "^black"',
    'the total iterations should be less than 10',
    'the execution log should contain 0 agent_turn entries',
    'the execution log should contain 0 hitl_input entries',
    'the total iterations should be greater than 2',
    'the total iterations should be between 3 and 4',
    'the agent should take at least 3 turns',
    'the writer agent should take at least 2 turns',
    'the stage should be end',
    'the stage should transition from start to middle',
  ])('%s: passes', async (step) => {
    expect(await problemOf(step)).toBeNull();
  });

  it.each([
    ['the procedure should fail', 'the procedure completed'],
    ['the output greeting should be "Bye"', 'the output greeting is "Hello, Alice!", expected "Bye"'],
    ['the output ok should be false', 'the output ok is true, expected false'],
    ['the output count should be 6', 'the output count is 5, expected 6'],
    ['the output missing should be 1', 'the output missing is not there'],
    ['the output missing should exist', 'the output missing is not there'],
    ['the output missing should not be None', 'the output missing is not there'],
    ['the output nothing should not be None', 'the output nothing is null'],
    ['the output missing should match pattern "x"', 'the output missing is not there'],
    ['the output ok should not be "True"', 'the output ok is true'],
    ['the tags parameter is [1]', 'the parameter tags is [1,true]'],
    ['the stop reason should contain nothing', 'the stop reason is "all done"'],
    ['the stop reason should be done', 'the stop reason is "all done", expected done'],
    ['the output nothing should exist', 'the output nothing is null'],
    ['the output greeting should not be "Hello, Alice!"', 'the output greeting is "Hello, Alice!"'],
    ['the output greeting should match pattern "^Bye"', 'no match of ^Bye'],
    ['the output greeting should match pattern "("', 'is no regular expression'],
    ['the output greeting should be similar to "something else"', 'expected at least 0.8'],
    ['the output greeting should fuzzy match "Good night" with threshold 0.9', 'expected at least 0.9'],
    ['the state items should be 4', 'the state items is 3, expected 4'],
    ['the state should contain nothing', 'it has items, mood'],
    ['the write tool should be called', 'was not called; called: search, done'],
    ['the search tool should not be called', 'was called 2 times'],
    ['the search tool should be called exactly 1 time', 'was called 2 times, expected 1'],
    ['the done tool should be called at least 2 times', 'was called once, expected at least 2'],
    ['the search tool should be called with query=coffee', 'but with {"query":"black tea"}'],
    ['the total iterations should be less than 3', 'there were 3 iterations'],
    ['the execution log should contain 1 hitl_input entries', 'there are 0 of hitl_input in the log'],
    [
      'the execution log should contain 0 hitl_question entries',
      'no log has entries of the type hitl_question; there are ',
    ],
    [
      'the execution log should contain hitl_question entries',
      'hitl_approval, hitl_custom, hitl_escalation, hitl_input',
    ],
    ['the stage should be start', 'the stage is end'],
    ['the stage should transition from start to end', 'the stages were start, middle, end'],
    ['the critic agent should take at least 2 turns', 'there were 1 turns'],
  ])('%s: fails', async (step, message) => {
    expect(await problemOf(step)).toContain(message);
  });

  it('tell how a run failed', async () => {
    const error = {
      code: 'lua_error',
      message: 'main.tac:3: no luck',
      file: 'main.tac',
      line: 3,
      traceback: null,
    } as const;
    const failed: Partial<Facts> = { status: 'failed', error };
    expect(await problemOf('the procedure should complete successfully', failed)).toContain('no luck');
    expect(await problemOf('the procedure should fail', failed)).toBeNull();
    expect(await problemOf('the procedure should fail with "no luck"', failed)).toBeNull();
    expect(await problemOf('the procedure should fail with lua_error', failed)).toBeNull();
    expect(await problemOf('the procedure should fail with "other"', failed)).toContain('no luck');
  });
});

describe('steps that prepare', () => {
  const planOf = (...steps: string[]) =>
    planScenario({ feature: 'F', name: 'S', tags: [], steps }, [], { mock: false, input: { kept: 1 } });

  it('give the procedure its input', () => {
    const { plan } = planOf(
      'the input name is "Alice"',
      'the input n is 7',
      'the input numbers is [1, 2]',
      'the input words is [red, green]',
      'the input mixed is [red, 2]',
      'the input on is true',
      'the input word is plain',
    );
    const words = ['red', 'green'];
    expect(plan.input).toEqual({
      kept: 1,
      name: 'Alice',
      n: 7,
      numbers: [1, 2],
      words,
      mixed: ['red', 2],
      on: true,
      word: 'plain',
    });
  });

  it('answer for agents, in order or by message', () => {
    const { plan } = planOf(
      'the agent "a" responds with "first"',
      'the agent "a" calls tool "done" with args {"reason": "so"}',
      'the agent "a" responds with "second"',
      'the agent "b" returns data {"label": "x"}',
      'the message is "Hello"',
      'the agent "a" responds with "to hello"',
      'the agent "a" calls tool "wave" with args "{\'hand\': \'left\'}"',
    );
    expect(plan.mock.agents).toEqual({
      a: [
        { message: 'first', tool_calls: [{ tool: 'done', args: { reason: 'so' } }] },
        { message: 'second' },
        {
          message: 'to hello',
          when_message: 'Hello',
          tool_calls: [{ tool: 'wave', args: { hand: 'left' } }],
        },
      ],
      b: [{ data: { label: 'x' } }],
    });
  });

  it('answer for tools, models and people', () => {
    const { plan } = planOf(
      'the tool "search" returns {"hits": 2}',
      'the model "mood" returns positive',
      'the person approves "the refund"',
      'the person rejects',
      'the person answers "blue" to "Colour?"',
      'the person answers 5',
      'the person answers {"decision": "approve", "to": [1, 2]} to "Is {it} ok?"',
      'nobody answers "Anyone?"',
    );
    expect(plan.mock.results).toEqual({ search: { hits: 2 }, mood: 'positive' });
    expect(plan.mock.people).toEqual([
      { message: 'the refund', value: true },
      { value: false },
      { message: 'Colour?', value: 'blue' },
      { value: 5 },
      { message: 'Is {it} ok?', value: { decision: 'approve', to: [1, 2] } },
      { message: 'Anyone?' },
    ]);
  });

  it('are refused where they make no sense, and nothing runs', async () => {
    const planned = planOf('the agent "a" calls tool "done" with args nonsense', 'the procedure runs');
    expect(planned.problem).toEqual({
      step: 0,
      message: 'args must be an object such as {"reason": "done"}, not nonsense',
    });
    expect((await judgeScenario(planned, null)).steps.map(({ status }) => status)).toEqual([
      'failed',
      'skipped',
    ]);
  });
});

describe('a scenario', () => {
  const scenarioOf = (...steps: string[]) => ({ feature: 'F', name: 'S', tags: [], steps });

  it('runs the procedure once, and before anything is looked at', () => {
    const own = [{ pattern: 'a shelf with (\\d+) books' }];
    const planned = planScenario(
      scenarioOf(
        'a shelf with 3 books',
        'the output should exist',
        'the procedure runs',
        'A SHELF with 4 books',
      ),
      own,
      { mock: true, input: {} },
    );
    expect(planned.steps).toEqual([
      { kind: 'own', step: 0, captures: ['3'] },
      { kind: 'run' },
      { kind: 'own', step: 0, captures: ['4'] },
    ]);
    expect(planned.stepOf).toEqual([0, null, 3]);
  });

  it('is not prepared any more once a step has said that it runs', () => {
    const steps = ['the output should exist', 'the input n is 1', 'the procedure runs', 'the input n is 2'];
    expect(planScenario(scenarioOf(...steps), [], { mock: true, input: {} }).plan.input).toEqual({ n: 1 });
  });

  it.each(['the task "mail:send" runs', 'the mail:send task runs'])('runs a task: %s', (step) => {
    const planned = planScenario(scenarioOf(step, step), [], { mock: true, input: {} });
    expect(planned.plan.task).toBe('mail:send');
    expect(planned.steps).toEqual([{ kind: 'run' }]);
    expect(planned.problem).toBeNull();
  });

  it('runs one thing', async () => {
    const steps = ['the mail task runs', 'the procedure runs', 'the output should exist'];
    const planned = planScenario(scenarioOf(...steps), [], { mock: true, input: {} });
    expect((await judgeScenario(planned, null)).steps[1]).toMatchObject({
      status: 'failed',
      message: 'a scenario runs one thing, once: write another scenario for this',
    });
  });

  it('captures nothing where a pattern leaves it out', () => {
    expect(matchStep('a shelf', [{ pattern: 'a (tall )?shelf' }])).toEqual({
      ...{ kind: 'own', step: 0, captures: [null] },
    });
  });

  it('fails where the procedure fails, unless a step says that it should', async () => {
    const error = { code: 'lua_error', message: 'no luck', file: 'a.tac', line: 3, traceback: null } as const;
    const failed: Facts = { ...facts, status: 'failed', error };
    const options = { mock: true, input: {} };
    const expecting = planScenario(
      scenarioOf('the procedure runs', 'the procedure should fail'),
      [],
      options,
    );
    expect((await judgeScenario(expecting, ended(failed))).status).toBe('passed');
    const other = planScenario(scenarioOf('the procedure runs', 'the output should exist'), [], options);
    expect((await judgeScenario(other, ended(failed))).steps).toEqual([
      { text: 'the procedure runs', status: 'failed', message: 'a.tac:3: no luck' },
      { text: 'the output should exist', status: 'skipped', message: '' },
    ]);
  });

  it('is undefined where a step is, with the step to write', async () => {
    const planned = planScenario(scenarioOf('the procedure runs', 'the moon is "full"'), [], {
      mock: true,
      input: {},
    });
    const judged = await judgeScenario(planned, null);
    expect(judged.status).toBe('undefined');
    expect(judged.steps[0]?.status).toBe('skipped');
    expect(judged.steps[1]?.message).toContain(
      'Step([[the moon is "(.+)"]], function(context, text1)\n  error("not written yet")\nend)',
    );
  });
});

describe('a step that asks the judge', () => {
  const asked: string[] = [];
  const opinion =
    (ok: boolean): Judge =>
    (question) => {
      asked.push(`${question.rubric} / ${question.text} / ${question.model}`);
      return Promise.resolve({ ok, reason: 'it is cold' });
    };
  const judged = async (step: string, judge?: Judge): Promise<unknown> => {
    const scenario = { feature: 'F', name: 'S', tags: [], steps: [step] };
    const planned = planScenario(scenario, [], { mock: true, input: {} });
    const { status, steps } = await judgeScenario(planned, ended(facts, judge));
    return [status, steps[0]?.status, steps[0]?.message];
  };
  const step = 'the output greeting should semantically satisfy "is kind"';

  it('passes or fails by its opinion', async () => {
    expect(await judged(step, opinion(true))).toEqual(['passed', 'passed', '']);
    expect(await judged(step, opinion(false))).toEqual([
      'failed',
      'failed',
      'the output greeting is "Hello, Alice!"; in the judge\'s opinion: it is cold',
    ]);
    expect(asked).toEqual(Array(2).fill('is kind / Hello, Alice! / null'));
    expect(await judged('the output should semantically satisfy has tags', opinion(true))).toEqual([
      ...['passed', 'passed', ''],
    ]);
    expect(asked.at(-1)).toMatch(/^has tags \/ \{"greeting":/);
  });

  it('says that it was not judged where no model is asked', async () => {
    expect(await judged(step)).toEqual(['passed', 'skipped', 'not judged: no model is asked with --mock']);
  });

  it('fails without asking where there is nothing to judge', async () => {
    expect(await judged('the output other should semantically satisfy "is kind"', opinion(true))).toEqual([
      ...['failed', 'failed', 'the output other is not there'],
    ]);
  });
});

describe('the step to write', () => {
  it.each([
    'the shop (of "Ann") has 3 apples for $2.50 each',
    'a step with [brackets], a+b and "two" "texts"',
    'plain words',
  ])('fits its own text: %s', (text) => {
    const pattern = /\[\[([\s\S]*)\]\],/.exec(stepToWrite(text))?.[1] ?? '';
    expect(matchStep(text, [{ pattern }])).toMatchObject({ kind: 'own', step: 0 });
  });
});
