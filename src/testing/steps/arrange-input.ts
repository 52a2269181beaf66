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

/** `[red, green]`: words without quotes. */
function listOf(value: string): string[] | undefined {
  const items = /^\[(.*)\]$/.exec(value.trim())?.[1];
  return items?.split(',').map((item) => item.trim());
}
