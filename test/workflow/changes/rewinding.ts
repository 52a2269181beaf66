import { beforeEach, expect } from 'vitest';
import { rewindRun, type RewindOptions } from '../../../src/client/changes/rewind.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { Told } from '../../../src/client/changes/go-on.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureSource } from '../../support/procedure-source.js';
import { providerWithWorker } from '../../support/provider-with-worker.js';

export const agents = `writer = Agent { model = "openai/gpt-x", system_prompt = "You write." }\n`;

/** A procedure of this body that has a writer. */
export const procedure = (body: string, files = {}): ProcedureSource =>
  procedureSource(`${agents}Procedure { function(input)\n${body}\nend }`, files);

/** A server with a worker, and a writer whose answers are numbered, for tests of runs that go back. */
export function rewinding() {
  const around = providerWithWorker();
  beforeEach(() => {
    let said = 0;
    around.provider.reply(() => ({ text: `said ${++said}`, usage: { input: 10, output: 1 } }));
  });
  return {
    around,
    start: (source: ProcedureSource, input: JsonObject = {}): Promise<TactusRun> =>
      around.server.tactus.start(source, input),
    rewind: (run: TactusRun, options: RewindOptions): Promise<Told> =>
      rewindRun(around.server.tactus, run, options),
    attach: (id: string): TactusRun => around.server.tactus.attach(id),
    /** How often the provider was asked, by all tests. */
    calls: (): number => around.provider.requests.length,
  };
}

export const executionOf = async (run: TactusRun): Promise<string> => (await run.handle.describe()).runId;

export async function approve(run: TactusRun, value = true): Promise<void> {
  const [request] = await pendingOf(run);
  const { outcome } = await run.decide({ request: request?.id ?? '', value, by: 'ann' });
  expect(outcome).toBe('accepted');
}
