import { describe, expect, it } from 'vitest';
import { toProcedureMetadata, type RunSnapshot } from '../../../../src/client/runs/snapshot.js';
import { completeRecord } from '../../../../src/client/storage/procedure-metadata.js';
import type { Checkpoint } from '../../../../src/contract/checkpoints/checkpoint.js';
import { runStatuses } from '../../../../src/contract/runs/run-view.js';

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

function aCheckpoint(parts: Partial<Checkpoint>): Checkpoint {
  return {
    position: '0',
    type: 'model_predict',
    name: 'sentiment',
    digest: 'abc',
    outcome: { ok: true, value: { label: 'good' } },
    at,
    durationMs: 12,
    source: { file: 'review.tac', line: 7 },
    input: null,
    ...parts,
  };
}

function aRun(parts: Partial<RunSnapshot> = {}): RunSnapshot {
  return {
    runId: 'run-1',
    status: 'running',
    state: { n: 1 },
    log: [],
    waitingOn: null,
    mark: null,
    ...parts,
  };
}

describe('toProcedureMetadata', () => {
  it('shows a checkpoint as an entry of Tactus', () => {
    expect(toProcedureMetadata(aRun({ log: [aCheckpoint({})], waitingOn: 'run-1/1' }))).toStrictEqual({
      procedure_id: 'run-1',
      execution_log: [
        {
          position: 0,
          type: 'model_predict',
          result: { label: 'good' },
          timestamp: '2026-01-02T03:04:05.006+00:00',
          duration_ms: 12,
          input_hash: 'abc',
          run_id: 'run-1',
          source_location: { file: 'review.tac', line: 7, function: null, code_context: null },
          captured_vars: null,
        },
      ],
      replay_index: 1,
      state: { n: 1 },
      lua_state: {},
      status: 'RUNNING',
      waiting_on_message_id: 'run-1/1',
    });
  });

  it('shows the top level only, in order', () => {
    const positions = ['10', '4.0.2', '2', '4.0', '4', '0'];
    const { execution_log, replay_index } = toProcedureMetadata(
      aRun({ log: positions.map((position) => aCheckpoint({ position })) }),
    );
    expect(execution_log.map(({ position }) => position)).toEqual([0, 2, 4, 10]);
    expect(replay_index).toBe(4);
  });

  it.each<[Partial<Checkpoint>, string]>([
    [{ type: 'agent_turn', name: 'researcher' }, 'agent_researcher_turn'],
    [{ type: 'hitl_approval' }, 'hitl_approval'],
    [{ type: 'procedure_call' }, 'procedure_call'],
    [{ type: 'explicit_checkpoint' }, 'explicit_checkpoint'],
    [{ type: 'sleep' }, 'sleep'],
  ])('names the type of %j', (parts, type) => {
    const { execution_log } = toProcedureMetadata(aRun({ log: [aCheckpoint(parts)] }));
    expect(execution_log[0]?.type).toBe(type);
  });

  it.each<[string, Checkpoint['outcome'], object]>([
    [
      'an answer',
      { ok: true, value: { value: false, timed_out: true, by: null, comment: null } },
      { value: false, timed_out: true },
    ],
    ['a plain value', { ok: true, value: true }, { value: true, timed_out: false }],
    [
      'a review',
      { ok: true, value: { decision: 'approve' } },
      { value: { decision: 'approve' }, timed_out: false },
    ],
  ])('shows %s of a person as Tactus stores it', (_name, outcome, response) => {
    const { execution_log } = toProcedureMetadata(
      aRun({ log: [aCheckpoint({ type: 'hitl_review', outcome })] }),
    );
    expect(execution_log[0]?.result).toEqual({
      __pydantic__: true,
      __model__: 'HITLResponse',
      responded_at: '2026-01-02T03:04:05.006+00:00',
      ...response,
    });
  });

  it('shows failures, frames without digest and entries without a line', () => {
    const failed = aCheckpoint({
      type: 'step',
      digest: '',
      source: null,
      outcome: { ok: false, code: 'tool_failed', message: 'no' },
    });
    expect(toProcedureMetadata(aRun({ log: [failed] })).execution_log[0]).toMatchObject({
      result: { error: { code: 'tool_failed', message: 'no' } },
      input_hash: null,
      source_location: null,
    });
  });

  it.each(runStatuses)('writes the status %s in capitals', (status) => {
    expect(toProcedureMetadata(aRun({ status })).status).toBe(status.toUpperCase());
  });

  it('makes records that storage takes as they are', () => {
    const record = toProcedureMetadata(aRun({ log: [aCheckpoint({})] }));
    expect(completeRecord('run-1', record)).toEqual(record);
  });
});
