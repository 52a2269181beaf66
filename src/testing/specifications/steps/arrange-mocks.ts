import { isObject, type JsonObject } from '../../../contract/json/json.js';
import type { MockTurn } from '../../../contract/mocks/mock-plan.js';
import { textOf } from '../../evaluations/expected-value.js';
import { readLiteral, readQuoted } from '../python-literal.js';
import { StepProblem, type Plan, type StepDefinition } from '../step-definition.js';

/** What agents, tools, models and people answer. */
export const mockSteps: StepDefinition[] = [
  {
    kind: 'arrange',
    pattern: /the message is (.+)/,
    arrange: (plan, message = '') => {
      plan.message = textOf(message);
    },
  },
  {
    kind: 'arrange',
    pattern: /the agent "([^"]+)" responds with (.+)/,
    arrange: (plan, agent = '', message = '') => {
      turnsOf(plan, agent).push(newTurn(plan, { message: textOf(message) }));
    },
  },
  {
    kind: 'arrange',
    pattern: /the agent "([^"]+)" calls tool "([^"]+)" with args (.+)/,
    arrange: (plan, agent = '', tool = '', args = '') => {
      const turn = currentTurn(plan, agent);
      (turn.tool_calls ??= []).push({ tool, args: objectOf(args, 'args') });
    },
  },
  {
    kind: 'arrange',
    pattern: /the agent "([^"]+)" returns data (.+)/,
    arrange: (plan, agent = '', data = '') => {
      currentTurn(plan, agent).data = objectOf(data, 'data');
    },
  },
  {
    kind: 'arrange',
    pattern: /the (?:tool|model) "([^"]+)" returns (.+)/,
    arrange: (plan, name = '', value = '') => {
      plan.mock.results[name] = readQuoted(value) ?? readLiteral(value) ?? value;
    },
  },
  {
    kind: 'arrange',
    pattern: /the person (approves|rejects)(?: (.+))?/,
    arrange: (plan, verdict = '', message = '') => {
      plan.mock.people.push({ ...about(message), value: verdict === 'approves' });
    },
  },
  {
    kind: 'arrange',
    pattern: /the person answers ("[^"]*"|'[^']*'|\{.*\}|\[.*\]|\S+)(?: to (.+))?/,
    arrange: (plan, value = '', message = '') => {
      plan.mock.people.push({ ...about(message), value: readQuoted(value) ?? readLiteral(value) ?? value });
    },
  },
  {
    kind: 'arrange',
    pattern: /nobody answers(?: (.+))?/,
    arrange: (plan, message = '') => {
      plan.mock.people.push(about(message));
    },
  },
];

function about(message: string): { message?: string } {
  return message === '' ? {} : { message: textOf(message) };
}

function turnsOf({ mock }: Plan, agent: string): MockTurn[] {
  if (!Object.hasOwn(mock.agents, agent)) mock.agents[agent] = [];
  return mock.agents[agent] as MockTurn[];
}

function newTurn({ message }: Plan, turn: MockTurn): MockTurn {
  return message === null ? turn : { ...turn, when_message: message };
}

/** What an agent does belongs to what it said last, unless that was for another message. */
function currentTurn(plan: Plan, agent: string): MockTurn {
  const turns = turnsOf(plan, agent);
  const last = turns.at(-1);
  if (last !== undefined && (plan.message === null || last.when_message === plan.message)) return last;
  const turn = newTurn(plan, {});
  turns.push(turn);
  return turn;
}

function objectOf(text: string, what: string): JsonObject {
  const value = readLiteral(readQuoted(text) ?? text);
  if (value === undefined || !isObject(value))
    throw new StepProblem(`${what} must be an object such as {"reason": "done"}, not ${text}`);
  return value;
}
