import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStorage } from '../../dist/client/storage/file-storage.js';
import type { Checkpoint } from '../../dist/contract/checkpoints/checkpoint.js';
import type { MirrorUpdate } from '../../dist/workflows/storage/mirror.js';
import { MirrorWriter } from '../../dist/worker/storage/mirror/mirror-writer.js';
import type { RunReader } from '../../dist/worker/storage/mirror/mirror-catch-up.js';
import { inTurns, timed, type Comparison } from './compare.ts';

const rounds = 400;

/** One checkpoint, told and written, while the record has 20,000 and while it has 100. */
export async function measureMirrorWrites(): Promise<Comparison[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-mirror-'));
  // The mirror holds no process back.
  const awake = setInterval(() => undefined, 60_000);
  try {
    const reader: RunReader = {
      namespace: () => Promise.resolve(''),
      read: () => Promise.resolve(null),
      status: () => Promise.resolve(null),
      isUpToDate: () => Promise.resolve(false),
      async *endedUnheard() {
        yield* [];
      },
    };
    const writer = new MirrorWriter(new FileStorage(folder), reader, {
      onError: (_, error) => {
        throw error;
      },
      gatherMs: 0,
      restMs: 60_000,
    });
    const counts = { long: 20_000, short: 100 };
    const tell = async (runId: keyof typeof counts, count: number): Promise<void> => {
      const from = counts[runId];
      const checkpoints = Array.from({ length: count }, (_, i) => checkpoint(from + i));
      const update = {
        runId,
        status: 'running',
        state: { n: from },
        from,
        checkpoints,
        waitingOn: null,
      } as const;
      writer.update({ ...update, run: shown(runId) });
      await writer.flush();
      counts[runId] += count;
    };
    for (const runId of ['long', 'short'] as const) {
      const count = counts[runId];
      counts[runId] = 0;
      await tell(runId, count);
    }
    const figures = await inTurns(
      rounds,
      () => timed(() => tell('long', 1)),
      () => timed(() => tell('short', 1)),
    );
    return [{ what: 'a checkpoint in the mirror', unit: 'ms', ...figures }];
  } finally {
    clearInterval(awake);
    rmSync(folder, { recursive: true });
  }
}

function checkpoint(position: number): Checkpoint {
  return {
    position: String(position),
    type: 'model_call',
    name: 'writer',
    digest: `2:${'0'.repeat(32)}`,
    outcome: { ok: true, value: { text: 'x'.repeat(200) } },
    at: 1_000 + position,
    durationMs: 5,
    source: { file: 'main.tac', line: 1 },
    input: { model: null, messages: 1, tools: [] },
  };
}

function shown(runId: string): MirrorUpdate['run'] {
  return {
    ...{ run_id: runId, procedure: 'bench', status: 'running', error: null, waits: [], children: [] },
    ...{ checkpoints: 0, usage: { input_tokens: 0, output_tokens: 0, cost_usd: null } },
    ...{ started_at: '', closed_at: null, version: null, pending: null },
  };
}
