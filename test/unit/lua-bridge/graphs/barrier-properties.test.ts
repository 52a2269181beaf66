import { expect, it } from 'vitest';
import { graphView } from '../../../../src/client/graphs/graph-state.js';
import type { Checkpoint, Outcome } from '../../../../src/contract/checkpoints/checkpoint.js';
import type { Program } from '../../../../src/lua-bridge/index.js';
import { answerOf, fakeProgram, runStart } from '../../../support/fake-host.js';
import { logPageOf } from '../../../support/log-page-of.js';
import { graphText, randomGraph, runInOrder, type RandomGraph } from '../../../support/random-graph.js';
import type { Random } from '../../../support/random-procedure.js';
import { isWhole } from '../../../support/sampled.js';
import { seededRandom } from '../../../support/seeded-random.js';
import { stepsIn } from './research.js';

const count = Number(process.env['GRAPH_SEEDS'] ?? (isWhole ? 1_000 : 60));
const first = Number(
  process.env['GRAPH_FROM'] ?? (isWhole ? 0 : Number(process.env['SAMPLE_SEED'] ?? 1) % 100_000),
);

interface Ran {
  program: Program;
  /** All checkpoints, those that a snapshot stands for among them. */
  entries: Checkpoint[];
  compacted: number;
  /** Keys of intents that were handed to a receiver, each at its first time. */
  handed: string[];
  crashes: number;
}

/** Runs a graph whose effects end in an order of chance, sometimes in vain, on workers that are lost now and then. */
function runByChance(graph: RandomGraph, random: Random): Ran {
  const text = graphText(graph);
  const input = { input: graph.input, nodes: JSON.parse(JSON.stringify(graph.nodes)) as never };
  const handed = new Set<string>();
  let program = fakeProgram(text, { input });
  let crashes = 0;
  let entries: Checkpoint[] = [];
  const gather = (): Checkpoint[] => {
    const { start, entries: here } = program.log;
    return [...entries.slice(0, start.checkpoints), ...here.slice(start.index)];
  };
  for (let at = runStart; ;) {
    const turn = program.turn();
    if (turn.kind === 'slice') continue;
    if (turn.kind !== 'blocked') {
      const compacted = program.log.start.checkpoints;
      return { program, entries: gather(), handed: [...handed], crashes, compacted };
    }
    if (random() < 0.05) {
      crashes++;
      const carried = structuredClone(program.drain());
      entries = gather();
      program = fakeProgram(text, { input, carried });
      continue;
    }
    const { pending } = program;
    const request = pending[Math.floor(random() * pending.length)];
    if (request === undefined) throw new Error('nothing is open');
    const { effect, position } = request;
    if (effect.kind === 'intent') handed.add(effect.key);
    const isLost = effect.kind === 'intent' && random() < 0.1;
    const outcome: Outcome = isLost
      ? { ok: false, code: 'delivery_failed', message: 'nobody is there' }
      : { ok: true, value: answerOf(effect, request) };
    program.settle(position, outcome, (at += 1_000));
  }
}

it(`graphs of ${count} seeds come to what their nodes say one after the other, whatever the order they end in`, () => {
  const seen = { steps: 0, failed: 0, endless: 0, intents: 0, crashes: 0, side: 0, compacted: 0 };
  for (let seed = first; seed < first + count; seed++) {
    const random = seededRandom(seed);
    const graph = randomGraph(random);
    const expected = runInOrder(graph);
    const { program, entries, handed, crashes, compacted } = runByChance(graph, random);
    const what = `GRAPH_FROM=${seed} GRAPH_SEEDS=1`;
    expect(program.turn(), what).toEqual({ kind: 'completed', output: expected.output });
    const steps = stepsIn(entries);
    expect(
      steps.map(({ kept }) => kept['values']),
      what,
    ).toEqual(expected.values);
    expect(
      steps.map(({ result }) => result['ran']),
      what,
    ).toEqual(expected.ran);
    const { ledger, intents } = graphView(logPageOf(entries), []);
    expect(ledger, what).toEqual(expected.ledger.map((event, i) => ({ ...event, number: i + 1 })));
    expect(
      intents.map(({ key, payload }) => [key, payload]),
      what,
    ).toEqual(expected.intents);
    // Each is sent, or has failed for good, before the graph ends, and they go out in order.
    expect(
      intents.filter(({ status }) => status === 'waiting'),
      what,
    ).toEqual([]);
    expect(handed, what).toEqual(expected.intents.map(([key]) => key));
    seen.steps += steps.length;
    seen.side += expected.ran.filter(({ length }) => length > 1).length;
    seen.intents += intents.length;
    seen.crashes += crashes;
    seen.compacted += compacted;
    const { error } = expected.output;
    if (typeof error === 'string') seen[error.startsWith('Graph') ? 'endless' : 'failed']++;
  }
  // What the seeds come to is worth the time.
  const { compacted, ...often } = seen;
  if (count >= 60) for (const [what, times] of Object.entries(often)) expect(times, what).toBeGreaterThan(0);
  // A crash late in a long graph: seldom.
  if (count >= 1_000) expect(compacted).toBeGreaterThan(0);
}, 600_000);
