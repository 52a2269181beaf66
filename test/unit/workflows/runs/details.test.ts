import { expect, it } from 'vitest';
import { currentDetails } from '../../../../src/workflows/runs/details.js';
import { runView, type RunFacts } from '../../../../src/workflows/runs/views.js';
import { noSession } from '../../../../src/contract/sessions/session-view.js';
import { aRequest, openedAt, runId } from '../../contract/human-request.fixture.js';

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

it('a run and its page in the Web UI announce several questions in the same words', () => {
  const words = 'Multiple inputs requested (2 items)';
  expect(runView(facts).pending[0]?.message).toBe(words);
  expect(currentDetails(facts)).toContain(`**multiple**: ${words}`);
  const used = { input_tokens: 900, output_tokens: 100, cost_usd: 0.0215 };
  const [first] = currentDetails({ ...facts, usage: used }).split('\n');
  expect(first).toBe('**orders** · waiting for human · 0 checkpoints · 1000 tokens · $0.0215');
});

it('a run and its page in the Web UI show the plan of its session', () => {
  const step = (id: number, status: 'done' | 'in_progress' | 'pending', title = `step ${id}`) => ({
    ...{ step_id: id, title, status },
  });
  const plan = {
    ...{ objective: 'Publish *now*', status: 'active' as const },
    steps: [step(1, 'done'), step(2, 'in_progress'), step(3, 'pending')],
  };
  const planned = { ...facts, session: { ...noSession, plan } };
  expect(runView(planned).plan).toEqual(plan);
  expect(currentDetails(planned).split('\n').slice(2, 6)).toEqual([
    '**plan** (active): Publish \\*now\\*',
    ...['- \\[x\\] 1 step 1', '- \\[~\\] 2 step 2', '- \\[ \\] 3 step 3'],
  ]);
  const long = {
    ...plan,
    steps: Array.from({ length: 40 }, (_, i) => step(i + 1, 'pending', 'x'.repeat(3_000))),
  };
  const large = { ...facts, session: { ...noSession, plan: long } };
  expect(runView(large)).not.toHaveProperty('plan');
  expect(currentDetails(large)).toContain('- … and 10 more steps');
  expect(runView(facts)).not.toHaveProperty('plan');
});

it('a page in the Web UI shows the super-steps that are under way, and what their nodes wait for', () => {
  const wait = (position: string, kind: 'activity' | 'human' | 'time', name: string) => ({
    position,
    kind,
    name,
    since: '',
  });
  const nodes = ['ask', 'look', 'done', 'think'].map((node) => ({ node, isOpen: node !== 'done' }));
  const stepped: RunFacts = {
    ...facts,
    waits: [
      wait('0.0.3.0.0.0.0', 'human', 'send *it*?'),
      wait('0.0.3.0.1.0.0.1', 'activity', 'clerk'),
      wait('0.0.3.0.1.0.0.2', 'time', 'sleep 1s'),
      wait('0.1.0', 'activity', 'send_text'),
    ],
    superSteps: [{ position: '0.0.3', graph: 'main', step: 3, nodes }],
  };
  expect(currentDetails(stepped).split('\n').slice(2, 7)).toEqual([
    '**main super-step 3**: ask, look, done, think',
    '- ask waits (human): send \\*it\\*?',
    '- look runs clerk, waits (time): sleep 1s',
    '- done has ended',
    '- think runs',
  ]);
  const many = Array.from({ length: 40 }, (_, i) => ({ node: `n${i}`, isOpen: true }));
  const wide = { ...facts, superSteps: [{ position: '0.0.3', graph: 'main', step: 3, nodes: many }] };
  expect(currentDetails(wide)).toContain('- … and 10 more nodes');
  expect(currentDetails(facts)).not.toContain('super-step');
});
