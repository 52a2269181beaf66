import type { JsonValue } from '../../../contract/json/json.js';
import { readLiteral, readQuoted } from '../python-literal.js';
import type { StepDefinition } from '../step-definition.js';

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
