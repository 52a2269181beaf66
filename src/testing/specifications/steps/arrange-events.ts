import { readDuration } from '../../../contract/time/duration.js';
import { TactusError } from '../../../contract/errors.js';
import { readLiteral, readQuoted } from '../python-literal.js';
import { StepProblem, type Plan, type StepDefinition } from '../step-definition.js';

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
  const sent = value === '' ? null : (readQuoted(value) ?? readLiteral(value) ?? value);
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
