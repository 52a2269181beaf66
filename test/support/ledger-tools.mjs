/** Tools that write what they do into a file, for workers that may die at any moment: in this process, or in their own. */
import { appendFileSync } from 'node:fs';
import { z } from 'zod';

const input = z.object({ ledger: z.string(), cents: z.number().default(0) });

const tool = (name, effect) => ({
  name,
  description: `Writes into the ledger, ${effect}`,
  input,
  effect,
  execute: ({ ledger, cents }, { idempotencyKey }) => {
    appendFileSync(ledger, `${JSON.stringify({ tool: name, cents, key: idempotencyKey })}\n`);
    return { cents };
  },
});

export const tools = [tool('look', 'pure'), tool('keep', 'idempotent'), tool('charge', 'once')];
