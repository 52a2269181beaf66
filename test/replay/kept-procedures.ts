import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/contract/json.js';
import type { Limits } from '../../src/contract/limits.js';

export interface KeptProcedure {
  folder: string;
  entry: string;
  input: (endpoint: string) => JsonObject;
  limits?: Partial<Limits>;
}

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const swept = fileURLToPath(new URL('../fault/procedures', import.meta.url));

/** Every example, and what the kill sweep and the long run use: their histories are kept. */
export const keptProcedures: KeptProcedure[] = [
  { folder: examples, entry: 'approval.tac', input: () => ({}) },
  { folder: examples, entry: 'joke.tac', input: () => ({ topic: 'a dog' }) },
  { folder: examples, entry: 'review-triage.tac', input: () => ({}) },
  { folder: examples, entry: 'release.tac', input: () => ({}) },
  { folder: examples, entry: 'translations.tac', input: () => ({}) },
  { folder: swept, entry: 'order-answer.tac', input: () => ({ order: 'A7' }) },
  { folder: swept, entry: 'side-by-side.tac', input: (endpoint) => ({ endpoint }) },
  { folder: swept, entry: 'plan-and-publish.tac', input: (endpoint) => ({ endpoint, folder: 'plans' }) },
  { folder: swept, entry: 'spawned-parts.tac', input: (endpoint) => ({ endpoint }) },
  {
    folder: swept,
    entry: 'long-haul.tac',
    input: () => ({ rounds: 3, branches: 5 }),
    limits: { historyEvents: 60 },
  },
];
