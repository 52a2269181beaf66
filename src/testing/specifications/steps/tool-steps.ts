import { frameTypes } from '../../../contract/checkpoints/checkpoint.js';
import { effectTypes } from '../../../contract/effects/effects.js';
import { getOwn, isObject, type JsonValue } from '../../../contract/json/json.js';
import { turnsOf } from '../../../contract/specifications/scenario.js';
import { isExpected, shortJson, textsOf } from '../../evaluations/expected-value.js';
import { patternOf, type Facts, type StepDefinition } from '../step-definition.js';

const logTypes: ReadonlySet<string> = new Set([...frameTypes, ...effectTypes]);

/** How much was done. An iteration is a turn of an agent. */
export const countSteps: StepDefinition[] = [
  {
    kind: 'look',
    pattern: /the total iterations should be less than (\d+)/,
    look: (facts, n = '') =>
      turnsOf(facts.observed) < Number(n) ? null : `there were ${turnsOf(facts.observed)} iterations`,
  },
  {
    kind: 'look',
    pattern: /the total iterations should be greater than (\d+)/,
    look: (facts, n = '') =>
      turnsOf(facts.observed) > Number(n) ? null : `there were ${turnsOf(facts.observed)} iterations`,
  },
  {
    kind: 'look',
    pattern: /the total iterations should be between (\d+) and (\d+)/,
    look: (facts, least = '', most = '') => {
      const turns = turnsOf(facts.observed);
      return turns >= Number(least) && turns <= Number(most) ? null : `there were ${turns} iterations`;
    },
  },
  {
    kind: 'look',
    pattern: /the (?:(\w+) )?agent should take at least (\d+) turns?/,
    look: (facts, agent = '', n = '') => {
      const turns = agent === '' ? turnsOf(facts.observed) : (facts.observed.agentTurns[agent] ?? 0);
      return turns >= Number(n) ? null : `there were ${turns} turns`;
    },
  },
  {
    kind: 'look',
    pattern: /the execution log should contain (?:(\d+) )?(\w+) (?:entries|entry|checkpoints?)/,
    look: ({ log }, n = '', type = '') => {
      const count = log.filter((entry) => entry.type === type).length;
      // Of a misspelt type there are always none.
      if (count === 0 && !logTypes.has(type))
        return `no log has entries of the type ${type}; there are ${[...logTypes].sort().join(', ')}`;
      return (n === '' ? count > 0 : count === Number(n)) ? null : `there are ${count} of ${type} in the log`;
    },
  },
  {
    kind: 'look',
    pattern: /the (\w+) parameter is (.+)/,
    look: ({ input }, name = '', value = '') => {
      const given = getOwn(input, name) ?? null;
      return textsOf(given).includes(value) ? null : `the parameter ${name} is ${shortJson(given)}`;
    },
  },
];

/** What was called, by agents or by the procedure. */
export const toolSteps: StepDefinition[] = [
  {
    kind: 'look',
    pattern: /the ([-\w]+) tool should be called/,
    look: (facts, tool = '') => (callsOf(facts, tool).length > 0 ? null : notCalled(facts, tool)),
  },
  {
    kind: 'look',
    pattern: /the ([-\w]+) tool should not be called/,
    look: (facts, tool = '') =>
      callsOf(facts, tool).length === 0 ? null : `the tool ${tool} was called ${timesCalled(facts, tool)}`,
  },
  {
    kind: 'look',
    pattern: /the ([-\w]+) tool should be called at least (\d+|once)(?: times?)?/,
    look: (facts, tool = '', n = '') => {
      const least = n === 'once' ? 1 : Number(n);
      return callsOf(facts, tool).length >= least
        ? null
        : `the tool ${tool} was called ${timesCalled(facts, tool)}, expected at least ${least}`;
    },
  },
  {
    kind: 'look',
    pattern: /the ([-\w]+) tool should be called exactly (\d+|once)(?: times?)?/,
    look: (facts, tool = '', n = '') => {
      const wanted = n === 'once' ? 1 : Number(n);
      return callsOf(facts, tool).length === wanted
        ? null
        : `the tool ${tool} was called ${timesCalled(facts, tool)}, expected ${wanted}`;
    },
  },
  {
    kind: 'look',
    pattern: /the ([-\w]+) tool should be called with (\w+)=(.+)/,
    look: (facts, tool = '', name = '', value = '') =>
      anyArgument(facts, tool, name, `${name}=${value}`, (given) => isExpected(given, value)),
  },
  {
    kind: 'look',
    pattern: /the ([-\w]+) tool should be called with (\w+) matching pattern "(.+)"/,
    look: (facts, tool = '', name = '', pattern = '') => {
      const expression = patternOf(pattern);
      return anyArgument(facts, tool, name, `${name} matching ${pattern}`, (given) =>
        textsOf(given).some((text) => expression.test(text)),
      );
    },
  },
];

function callsOf({ observed }: Facts, name: string): Facts['observed']['toolCalls'] {
  return observed.toolCalls.filter(({ tool }) => tool === name);
}

function timesCalled(facts: Facts, tool: string): string {
  const count = callsOf(facts, tool).length;
  return count === 1 ? 'once' : `${count} times`;
}

function notCalled({ observed }: Facts, tool: string): string {
  const called = [...new Set(observed.toolCalls.map((call) => call.tool))];
  return `the tool ${tool} was not called; ${called.length === 0 ? 'no tool was' : `called: ${called.join(', ')}`}`;
}

function anyArgument(
  facts: Facts,
  tool: string,
  name: string,
  wanted: string,
  fits: (given: JsonValue) => boolean,
): string | null {
  const calls = callsOf(facts, tool);
  if (calls.length === 0) return notCalled(facts, tool);
  const given = calls.map(({ args }) => (isObject(args) ? getOwn(args, name) : undefined));
  if (given.some((value) => value !== undefined && fits(value))) return null;
  const all = calls.map(({ args }) => JSON.stringify(args)).join(', ');
  return `the tool ${tool} was never called with ${wanted}, but with ${all.slice(0, 500)}`;
}
