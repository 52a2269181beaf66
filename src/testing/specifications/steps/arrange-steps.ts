import { TactusError } from '../../../contract/errors.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import type { MockCall, MockPerson, MockTurn } from '../../../contract/mocks/mock-plan.js';
import { readDuration } from '../../../contract/time/duration.js';
import { unquoted } from '../../evaluations/expected-value.js';
import { readLiteral, readQuoted } from '../python-literal.js';
import { StepProblem, type Plan, type StepDefinition } from '../step-definition.js';

/** The procedure runs, once, whoever the step says that acts. Of a file of tasks, the one that is named. */
export const runSteps: StepDefinition[] = [
  { kind: 'run', pattern: /the procedure runs?/ },
  { kind: 'run', pattern: /the \w+ agent takes turns?/ },
  { kind: 'run', pattern: /the \w+ model predicts/ },
  { kind: 'run', pattern: /the task "([^"]+)" runs/ },
  { kind: 'run', pattern: /the ([-\w:]+) task runs/ },
];

/** What the procedure is given. */
export const inputSteps: StepDefinition[] = [
  { kind: 'arrange', pattern: /the procedure has started/, arrange: () => undefined },
  {
    kind: 'arrange',
    pattern: /the input (\w+) is (.+)/,
    arrange: (plan, key = '', value = '') => {
      const quoted = readQuoted(value);
      plan.input[key] = quoted ?? readLiteral(value) ?? listOf(value) ?? value;
    },
  },
];

/** `[red, 2]`: words without quotes, and what can be read. */
function listOf(value: string): JsonValue[] | undefined {
  const items = /^\[(.*)\]$/.exec(value.trim())?.[1];
  return items?.split(',').map((item) => readLiteral(item) ?? item.trim());
}

/** What the scenario's folder of files has, besides its fixtures. */
export const fileSteps: StepDefinition[] = [
  {
    kind: 'arrange',
    pattern: /the file "([^"]+)" contains (.+)/,
    arrange: ({ files }, path = '', text = '') => setOwn(files, path, readQuoted(text) ?? text),
    tooLate:
      'this gives the file to the procedure, and comes before it runs. To look at a file after that, write a step of your own with assert(File.read(…):find(…))',
  },
];

const tooLate = 'an event is sent to a run from its start on: write this step before the procedure runs';

/** What others send to the run, and when. */
export const eventSteps: StepDefinition[] = [
  {
    kind: 'arrange',
    pattern: /the event "([^"]+)" arrives with (.+) after "([^"]+)"/,
    tooLate,
    arrange: (plan, name = '', value = '', after = '') => addEvent(plan, name, after, value),
  },
  {
    kind: 'arrange',
    pattern: /the event "([^"]+)" arrives(?: after "([^"]+)")?(?: with (.+))?/,
    tooLate,
    arrange: (plan, name = '', after = '', value = '') => addEvent(plan, name, after, value),
  },
];

function addEvent({ mock }: Plan, name: string, after: string, value: string): void {
  const sent = value === '' ? null : valueOf(value);
  (mock.events ??= []).push({ name, value: sent, afterMs: after === '' ? 0 : msOf(after) });
}

function msOf(after: string): number {
  try {
    return readDuration(after, 'after', 'source_invalid');
  } catch (error) {
    if (error instanceof TactusError) throw new StepProblem(error.message);
    throw error;
  }
}

/** What agents, tools and models answer. */
export const mockSteps: StepDefinition[] = [
  {
    kind: 'arrange',
    pattern: /the message is (.+)/,
    arrange: (plan, message = '') => {
      plan.message = unquoted(message);
    },
  },
  {
    kind: 'arrange',
    pattern: /the agent "([^"]+)" responds with (.+)/,
    arrange: (plan, agent = '', message = '') => {
      turnsOf(plan, agent).push(newTurn(plan, { message: unquoted(message) }));
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
      plan.mock.results[name] = valueOf(value);
    },
  },
  {
    kind: 'arrange',
    pattern: /call (\d+) of the (?:tool|model) "([^"]+)" (returns|fails with) (.+)/,
    arrange: ({ mock }, n = '', name = '', how = '', value = '') => {
      const calls = (mock.calls ??= {});
      if (!Object.hasOwn(calls, name)) setOwn(calls, name, []);
      const listed = calls[name] as MockCall[];
      if (Number(n) !== listed.length + 1)
        throw new StepProblem(`call ${listed.length + 1} of ${name} comes first: tell calls in their order`);
      listed.push(how === 'returns' ? { value: valueOf(value) } : { error: unquoted(value) });
    },
  },
];

/** What people decide. */
const decisionSteps: StepDefinition[] = [
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
      plan.mock.people.push({ ...about(message), value: valueOf(value) });
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

/** The same, also for one request alone. */
export const peopleSteps: StepDefinition[] = [
  ...decisionSteps,
  {
    kind: 'arrange',
    pattern: /at ([\d.]+), ((?:the person|nobody) .+)/,
    arrange: (plan, position = '', decision = '') => {
      for (const definition of decisionSteps) {
        const found = new RegExp(`^${definition.pattern.source}$`).exec(decision);
        if (found === null || definition.kind !== 'arrange') continue;
        const people: MockPerson[] = [];
        definition.arrange({ ...plan, mock: { ...plan.mock, people } }, ...found.slice(1));
        plan.mock.people.push(...people.map((person) => ({ ...person, position })));
        return;
      }
      throw new StepProblem(`no decision of a person: ${decision}`);
    },
  },
];

/** Quoted text, a literal, or the words as they stand. */
function valueOf(text: string): JsonValue {
  return readQuoted(text) ?? readLiteral(text) ?? text;
}

function about(message: string): { message?: string } {
  return message === '' ? {} : { message: unquoted(message) };
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
