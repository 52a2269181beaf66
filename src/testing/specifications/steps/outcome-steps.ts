import { getOwn, isObject, type JsonValue } from '../../../contract/json/json.js';
import {
  asText,
  differs,
  isExpected,
  looseSimilarity,
  shortJson,
  similarity,
  textsOf,
  unquoted,
} from '../../evaluations/expected-value.js';
import { readLiteral } from '../python-literal.js';
import { patternOf, StepProblem, type Facts, type StepDefinition } from '../step-definition.js';

/** The value that a step names; undefined where there is none. */
type Find = (facts: Facts, key: string) => JsonValue | undefined;

/** How alike texts must be where a step doesn't say. */
const usualSimilarity = 0.8;

/** Steps on one value: `SUBJECT should be 5`, `should not be`, `exist`, `contain`, `match pattern`, and by likeness. */
function valueSteps(subject: RegExp, what: string, find: Find): StepDefinition[] {
  const hasKey = subject.source.includes('(');
  const look = (
    rest: string,
    check: (name: string, actual: JsonValue, ...captures: string[]) => string | null,
    ofMissing: (name: string, ...captures: string[]) => string | null = (name) => `${name} is not there`,
  ): StepDefinition => ({
    kind: 'look',
    pattern: new RegExp(`${subject.source} ${rest}`),
    look: (facts, ...captures) => {
      const key = hasKey ? (captures.shift() ?? '') : '';
      const name = key === '' ? what : `${what} ${key}`;
      const actual = find(facts, key);
      return actual === undefined ? ofMissing(name, ...captures) : check(name, actual, ...captures);
    },
  });
  return [
    look('should exist', (name, actual) => (actual === null ? `${name} is null` : null)),
    look(
      'should not exist',
      (name, actual) => `${name} is ${shortJson(actual)}`,
      () => null,
    ),
    look(
      'should match pattern "(.+)"',
      (name, actual, pattern = '') => {
        const expression = patternOf(pattern);
        const texts = actual === null ? [''] : textsOf(actual);
        const fits = texts.some((text) => expression.test(text));
        return fits ? null : `${name} is ${shortJson(actual)}: no match of ${pattern}`;
      },
      // What isn't there reads as an empty text.
      (name, pattern = '') => (patternOf(pattern).test('') ? null : `${name} is not there`),
    ),
    look('should be similar to "(.+)" with (\\d+)% similarity', (name, actual, text = '', percent = '') =>
      unlike(name, actual, similarity(asText(actual), text), Number(percent) / 100, text),
    ),
    look('should be similar to "(.+)"', (name, actual, text = '') =>
      unlike(name, actual, similarity(asText(actual), text), usualSimilarity, text),
    ),
    look('should fuzzy match (.+) with threshold ([\\d.]+)', (name, actual, text = '', threshold = '') =>
      fuzzy(name, actual, text, Number(threshold)),
    ),
    look('should fuzzy match (.+)', (name, actual, text = '') => fuzzy(name, actual, text, usualSimilarity)),
    {
      kind: 'ask',
      pattern: new RegExp(`${subject.source} should semantically satisfy (.+)`),
      ask: async (facts, judge, ...captures) => {
        const key = hasKey ? (captures.shift() ?? '') : '';
        const name = key === '' ? what : `${what} ${key}`;
        const actual = find(facts, key);
        if (actual === undefined) return `${name} is not there`;
        const rubric = unquoted(captures[0] ?? '');
        const opinion = await judge({ rubric, text: asText(actual), model: null });
        if (opinion === null) return { unknown: 'no model is asked with --mock' };
        return opinion.ok
          ? null
          : `${name} is ${shortJson(actual)}; in the judge's opinion: ${opinion.reason}`;
      },
    },
    look('should be one of (\\[.+\\])', (name, actual, list = '') => {
      const values = readLiteral(list);
      if (!Array.isArray(values)) throw new StepProblem(`${list} is no list`);
      const fits = values.some((value) => isExpected(actual, JSON.stringify(value)));
      return fits ? null : `${name} is ${shortJson(actual)}, expected one of ${list}`;
    }),
    look('should contain "(.+)"', (name, actual, text = '') =>
      asText(actual).includes(text) ? null : `${name} is ${shortJson(actual)}, which has no ${text}`,
    ),
    look(
      'should not be (.+)',
      (name, actual, value = '') => (isExpected(actual, value) ? `${name} is ${shortJson(actual)}` : null),
      (name, value = '') => (isExpected(null, value) ? `${name} is not there` : null),
    ),
    look(
      'should be (.+)',
      (name, actual, value = '') => differs(name, actual, value),
      // None is what isn't there, too.
      (name, value = '') => (isExpected(null, value) ? null : `${name} is not there`),
    ),
  ];
}

function unlike(
  name: string,
  actual: JsonValue,
  likeness: number,
  least: number,
  text: string,
): string | null {
  if (likeness >= least) return null;
  return `${name} is ${shortJson(actual)}: ${likeness.toFixed(2)} like ${shortJson(text)}, expected at least ${least}`;
}

/** `fuzzy match any of ["Hello", "Hi"]`, or one text. */
function fuzzy(name: string, actual: JsonValue, expected: string, least: number): string | null {
  const listed = /^any of (.+)$/i.exec(expected)?.[1];
  const read = listed === undefined ? undefined : (readLiteral(listed) ?? listed.split(','));
  const texts =
    listed === undefined ? [unquoted(expected)] : [read ?? null].flat().map((each) => asText(each).trim());
  const likeness = Math.max(...texts.map((text) => looseSimilarity(asText(actual), text)));
  return unlike(name, actual, likeness, least, texts.join(' or '));
}

/** Where the procedure stood. */
export const stageSteps: StepDefinition[] = [
  {
    kind: 'look',
    pattern: /the stage should be (\w+)/,
    look: ({ observed: { stages } }, stage = '') =>
      stages.at(-1) === stage ? null : `the stage is ${stages.at(-1) ?? 'none'}`,
  },
  {
    kind: 'look',
    pattern: /the stage should transition from (\w+) to (\w+)/,
    look: ({ observed: { stages } }, from = '', to = '') =>
      stages.some((stage, index) => stage === from && stages[index + 1] === to)
        ? null
        : `the stages were ${stages.join(', ') || 'none'}`,
  },
];

/** The state at the end. */
export const stateSteps: StepDefinition[] = [
  ...valueSteps(/the state (\w+)/, 'the state', ({ state }, key) => getOwn(state, key)),
  {
    kind: 'look',
    pattern: /the state should contain (\w+)/,
    look: ({ state }, key = '') =>
      Object.hasOwn(state, key) ? null : `the state has no ${key}; it has ${Object.keys(state).join(', ')}`,
  },
];

/** What the procedure gave: one of its fields, or the whole of it. */
export const outputSteps: StepDefinition[] = [
  ...valueSteps(/the output/, 'the output', ({ output }) => output ?? undefined),
  ...valueSteps(/the output (?!should)(\w+)/, 'the output', ({ output }, key) =>
    isObject(output) ? getOwn(output, key) : undefined,
  ),
  {
    kind: 'look',
    pattern: /the output should contain (\w+)/,
    look: ({ output }, key = '') =>
      isObject(output) && Object.hasOwn(output, key) ? null : `the output has no ${key}`,
  },
];

/** How the run ended. */
export const endingSteps: StepDefinition[] = [
  {
    kind: 'look',
    pattern: /the procedure should complete successfully/,
    look: (facts) => (facts.status === 'completed' ? null : ended(facts)),
  },
  {
    kind: 'look',
    expectsFailure: true,
    pattern: /the procedure should fail/,
    look: (facts) => (facts.status === 'completed' ? 'the procedure completed' : null),
  },
  {
    kind: 'look',
    expectsFailure: true,
    pattern: /the procedure should fail with (.+)/,
    look: (facts, given = '') => {
      const text = unquoted(given);
      if (facts.status === 'completed') return 'the procedure completed';
      const { code = '', message = '' } = facts.error ?? {};
      return code === text || message.includes(text) ? null : ended(facts);
    },
  },
  ...valueSteps(/the stop reason/, 'the stop reason', stopReason),
  {
    kind: 'look',
    pattern: /the stop reason should contain (.+)/,
    look: (facts, text = '') =>
      stopReason(facts).includes(text) ? null : `the stop reason is ${shortJson(stopReason(facts))}`,
  },
];

/** What `done` was first called with; empty where it wasn't. */
function stopReason({ observed }: Facts): string {
  const args = observed.toolCalls.find(({ tool }) => tool === 'done')?.args ?? null;
  const reason = isObject(args) ? getOwn(args, 'reason') : undefined;
  return reason === undefined || reason === null ? '' : asText(reason);
}

function ended({ status, error }: Facts): string {
  return error === null
    ? `the run is ${status}`
    : `the procedure failed: ${shortJson(error.message)} (${error.code})`;
}
