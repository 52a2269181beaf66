import { z } from 'zod';
import { defineTool } from '../../src/activities/tools/define-tool.js';
import type { ToolPolicy } from '../../src/contract/tools/tool-policy.js';

const input = z.object({ n: z.number() });

/** What the kept procedures find outside of them. */
export const keptTools = [
  defineTool({
    name: 'look',
    description: 'Looks',
    input,
    effect: 'pure',
    execute: ({ n }) => ({ seen: n }),
  }),
  defineTool({
    name: 'lost',
    description: 'Is done, and nobody hears of it',
    input,
    effect: 'once',
    execute: () => {
      throw new Error('the connection was lost');
    },
  }),
  defineTool({
    name: 'lookup',
    description: 'Finds an order',
    input: z.object({ id: z.string() }),
    effect: 'idempotent',
    execute: ({ id }) => `Order ${id}: ${'late '.repeat(2_000)}`,
  }),
];

export const keptPolicy: ToolPolicy = {
  default: 'allow',
  rules: [
    { tool: 'host.look', when: { n: { below: 0 } }, action: 'deny' },
    { tool: 'look', when: { n: { above: 100 } }, action: 'approve', remember: 'tool' },
  ],
};
