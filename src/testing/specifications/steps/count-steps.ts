import { getOwn } from '../../../contract/json/json.js';
import { turnsOf } from '../../../contract/specifications/scenario.js';
import { shown, textsOf } from '../../evaluations/expected-value.js';
import type { StepDefinition } from '../step-definition.js';

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
      return (n === '' ? count > 0 : count === Number(n)) ? null : `there are ${count} of ${type} in the log`;
    },
  },
  {
    kind: 'look',
    pattern: /the (\w+) parameter is (.+)/,
    look: ({ input }, name = '', value = '') => {
      const given = getOwn(input, name) ?? null;
      return textsOf(given).includes(value) ? null : `the parameter ${name} is ${shown(given)}`;
    },
  },
];
