import { describe, expect, it, vi } from 'vitest';
import type { Checkpoint } from '../../../../src/contract/checkpoints/checkpoint.js';
import type { Steering } from '../../../../src/contract/agents/steer-effect.js';
import { defaultLimits } from '../../../../src/contract/runs/limits.js';
import type { ProcedureSource } from '../../../../src/contract/procedures/source.js';
import { Program, type Turn } from '../../../../src/lua-bridge/index.js';
import type { Sequence } from '../../../../src/workflows/sequence.js';
import { SteeringQueue } from '../../../../src/workflows/agents/steering.js';
import { randomAnswer, runStart } from '../../../support/fake-host.js';
import { agentNames, pick, randomProcedure } from '../../../support/random-procedure.js';
import { isWhole } from '../../../support/sampled.js';
import { seededRandom } from '../../../support/seeded-random.js';

let heard: (steering: Steering) => void;
vi.mock(import('@temporalio/workflow'), async (original) => ({
  ...(await original()),
  setHandler: ((_: unknown, handler: typeof heard) => {
    heard = handler;
  }) as never,
}));

const atOnce = { add: (run: () => void) => run() } as unknown as Sequence;
const firstSeed = isWhole ? 0 : Number(process.env['SAMPLE_SEED'] ?? 1) % 100_000;
/** Long runs are no better than others. */
const mostSteps = 60;
const seeds = Array.from({ length: isWhole ? 500 : 40 }, (_, i) => firstSeed + i);

/** One execution of a run: its program, and what people have said to its agents. */
class Execution {
  readonly program: Program;
  private readonly queue: SteeringQueue;
  private readonly say: (steering: Steering) => void;

  constructor(
    private readonly source: ProcedureSource,
    carried: readonly Checkpoint[] = [],
    said: Steering[] = [],
  ) {
    const queue = new SteeringQueue(atOnce, structuredClone(said));
    this.queue = queue;
    this.say = heard;
    this.program = new Program({
      ...{
        source,
        input: {},
        runId: 'run',
        startedAt: runStart,
        seed: 'seed',
        limits: defaultLimits,
        carried,
      },
      isSteered: (agent) => queue.isFor(agent),
      takeSteering: (agent) => queue.take(agent),
    });
  }

  /** Until it waits for the outside, or has ended. */
  goOn(): Exclude<Turn, { kind: 'slice' }> {
    for (;;) {
      const turn = this.program.turn();
      if (turn.kind !== 'slice') return turn;
    }
  }

  steer(steering: Steering): void {
    this.say(steering);
  }

  /** What another execution begins with, through JSON. */
  next(): Execution {
    const carried = structuredClone(this.program.log.entries);
    return new Execution(this.source, carried, (this.queue.handOver() ?? []) as unknown as Steering[]);
  }

  get shown(): unknown {
    const { program, queue } = this;
    return {
      waits: program.pending.map(({ position, type, name, digest }) => ({ position, type, name, digest })),
      state: program.state(),
      budgets: program.budgets(),
      printed: program.shown,
      unheard: queue.unheard,
    };
  }
}

/** @param isNew whether another execution takes over here; whether it or not, one could */
function run(seed: number, isNew: (step: number) => boolean): { ended: unknown; log: readonly Checkpoint[] } {
  const source = randomProcedure(seed);
  const random = seededRandom(seed + 1);
  let execution = new Execution(source);
  let now = runStart;
  for (let step = 0; ; step++) {
    const turn = execution.goOn();
    const { program } = execution;
    if (turn.kind !== 'blocked' || step === mostSteps) return { ended: turn, log: program.log.entries };
    if (isNew(step)) {
      const next = execution.next();
      const replayed = next.goOn();
      expect(replayed.kind === 'failed' ? replayed.error : replayed.kind, `seed ${seed}, step ${step}`).toBe(
        'blocked',
      );
      expect(next.shown, `seed ${seed}, step ${step}`).toEqual(execution.shown);
      execution = next;
    }
    now += Math.floor(random() * 2_000);
    if (random() < 0.2)
      execution.steer({
        message: `hint ${step}`,
        ...(random() < 0.7 ? { agent: pick(random, agentNames) } : {}),
      });
    const request = pick(random, execution.program.pending);
    execution.program.settle(request.position, { ok: true, value: randomAnswer(request) }, now);
  }
}

describe('a run of any procedure', () => {
  it.each(seeds)(
    'waits for the same, and ends alike, where others take it over at each place: seed %i',
    (seed) => {
      const plain = run(seed, () => false);
      const handed = run(seed, () => true);
      expect(handed.ended).toEqual(plain.ended);
      expect(handed.log).toEqual(plain.log);
      const random = seededRandom(seed + 2);
      expect(run(seed, () => random() < 0.2).log).toEqual(plain.log);
    },
  );
});
