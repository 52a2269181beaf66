import type { HumanRequest } from '../../src/contract/people/human-request.js';
import type { LastAnswers, ToldRun } from '../../src/contract/runs/run-view.js';
import type { ServerRun } from '../../src/read-model/run-index.js';

export function aRequest(runId: string, position: string, change: Partial<HumanRequest> = {}): HumanRequest {
  return {
    ...{ id: `${runId}/${position}`, run_id: runId, kind: 'approval', message: 'Sure?', context: null },
    ...{ options: [], default: null, deadline: null, created_at: '2026-01-01T00:00:00.000Z', position },
    ...{ approvers: [], digest: `of ${position}` },
    ...change,
  };
}

/** What a run told at so many events of its history. */
export function aToldRun(runId: string, length: number, change: Partial<ToldRun> = {}): ToldRun {
  return {
    ...{ run_id: runId, procedure: 'ask', status: 'waiting_for_human', error: null, waits: [], children: [] },
    ...{ checkpoints: length, usage: { input_tokens: 0, output_tokens: 0, cost_usd: null } },
    ...{ started_at: '2026-01-01T00:00:00.000Z', closed_at: null },
    version: { execution: 'e1', began: 1_000, length, step: 0 },
    pending: [],
    ...change,
  };
}

export function aServerRun(runId: string, change: Partial<ServerRun> = {}): ServerRun {
  return {
    ...{ run_id: runId, procedure: 'ask', status: 'running', started_at: '2026-01-01T00:00:00.000Z' },
    ...{ closed_at: null, execution: 'e1' },
    ...change,
  };
}

/** What a run answers that has ended at so many events of its history. */
export function lastAnswersOf(runId: string, length: number): LastAnswers {
  const { version, ...told } = aToldRun(runId, length, { status: 'completed' });
  return {
    status: {
      ...{ ...told, output: { n: length }, state: { n: length }, pending: [], pending_whole: true },
      ...{ printed: ['hello'], logs: [], warnings: [], shown_from: 0 },
      ...(version === null ? {} : { version }),
    },
    log: {
      ...{
        procedure_id: runId,
        status: 'completed',
        replay_index: 0,
        state: {},
        execution_log: [],
        next: null,
      },
    },
  };
}
