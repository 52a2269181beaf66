import { expect, it } from 'vitest';
import { currentDetails } from '../../../../src/workflows/runs/details.js';
import { runView, type RunFacts } from '../../../../src/workflows/runs/views.js';
import { aRequest, openedAt, runId } from '../../contract/human-request.fixture.js';

it('a run and its page in the Web UI announce several questions in the same words', () => {
  const facts: RunFacts = {
    ...{
      runId,
      procedure: 'orders',
      status: 'waiting_for_human',
      ending: null,
      waits: [],
      children: [],
      log: [],
      ended: 0,
      shown: [],
      budgets: [],
      unheard: [],
    },
    started: { start: {}, engine: 3, startedAt: openedAt, seed: '' },
    ...{ state: {}, startedAt: openedAt, usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 } },
    pending: [aRequest({ kind: 'multiple', message: '2 questions' })],
  };
  const words = 'Multiple inputs requested (2 items)';
  expect(runView(facts).pending[0]?.message).toBe(words);
  expect(currentDetails(facts)).toContain(`**multiple**: ${words}`);
  const used = { input_tokens: 900, output_tokens: 100, cost_usd: 0.0215 };
  const [first] = currentDetails({ ...facts, usage: used }).split('\n');
  expect(first).toBe('**orders** · waiting for human · 0 checkpoints · 1000 tokens · $0.0215');
});
