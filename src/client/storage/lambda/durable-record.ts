import type { ErrorObject, Event, ExecutionStatus } from '@aws-sdk/client-lambda';
import type { JsonObject, JsonValue } from '../../../contract/json/json.js';
import type { RunStatus } from '../../../contract/runs/run-view.js';
import { toTactusStatus, toTimestamp } from '../../runs/snapshot.js';
import {
  completeRecord,
  emptyMetadata,
  type CheckpointEntry,
  type ProcedureMetadata,
} from '../procedure-metadata.js';
import { recordContext, RecordSteps } from './durable-context-storage.js';

/** How Lambda says that an execution has ended. Nobody asked the function whether it may be stopped. */
const ends: Partial<Record<ExecutionStatus, RunStatus>> = {
  SUCCEEDED: 'completed',
  FAILED: 'failed',
  TIMED_OUT: 'timed_out',
  STOPPED: 'terminated',
};

/** Of what an execution waits for, the first of these that is there is what it is said to wait for. */
const waits: [kind: string, status: RunStatus][] = [
  ['Callback', 'waiting_for_human'],
  ['ChainedInvoke', 'waiting_for_children'],
  ['Wait', 'waiting_for_time'],
];

/** The status of an execution that is over, in Tactus's words; null of one that goes on. */
export function endedStatus(status: ExecutionStatus | undefined): string | null {
  const end = status === undefined ? undefined : ends[status];
  return end === undefined ? null : toTactusStatus(end);
}

/** Callbacks that nobody has answered yet, the oldest first. */
export function openCallbacks(operations: readonly DurableOperation[]): DurableOperation[] {
  return operations.filter(({ kind, end }) => kind === 'Callback' && end === null);
}

/**
 * An execution as Tactus shows it: as the function itself has recorded it, or by its operations. How it ended is Lambda's word.
 * @throws Error where what the function has recorded can't be read; TactusError usage where a newer version has
 */
export function toDurableRecord(
  procedureId: string,
  status: ExecutionStatus | undefined,
  operations: readonly DurableOperation[],
): ProcedureMetadata {
  const own = ownRecord(operations);
  const record =
    own === null ? byOperations(procedureId, operations) : completeRecord(procedureId, structuredClone(own));
  const ended = endedStatus(status);
  if (ended !== null) return { ...record, status: ended, waiting_on_message_id: null };
  if (record.status !== toTactusStatus('running')) return record;
  const [, waiting = 'running'] =
    waits.find(([wanted]) => operations.some(({ kind, end }) => kind === wanted && end === null)) ?? [];
  const asked = record.waiting_on_message_id ?? openCallbacks(operations)[0]?.callback ?? null;
  return { ...record, status: toTactusStatus(waiting), waiting_on_message_id: asked };
}

function ownRecord(operations: readonly DurableOperation[]): JsonObject | null {
  const context = operations.find(isRecordContext);
  const steps = operations.filter(({ parent, end }) => parent === (context?.id ?? '') && end !== null);
  const kept = new RecordSteps();
  for (const { end } of steps) {
    if (end?.isCut === true) throw new Error('Lambda shows only a part of it');
    kept.take(JSON.parse(end?.result ?? 'null') as JsonValue);
  }
  return kept.record;
}

function byOperations(procedureId: string, operations: readonly DurableOperation[]): ProcedureMetadata {
  const log = operations
    .filter((operation) => operation.parent === null && !isRecordContext(operation))
    .flatMap((operation, position) => toEntry(procedureId, operation, position));
  return { ...emptyMetadata(procedureId), execution_log: log, replay_index: log.length };
}

function isRecordContext({ kind, parent, name }: DurableOperation): boolean {
  return kind === 'Context' && parent === null && name === recordContext;
}

/** None where it hasn't ended. */
function toEntry(run_id: string, operation: DurableOperation, position: number): CheckpointEntry[] {
  const { kind, subType, startedAt, end } = operation;
  if (end === null) return [];
  return [
    {
      ...{
        position,
        type: snakeCase(kind === 'Context' ? (subType ?? kind) : kind),
        result: resultOf(operation),
      },
      ...{ timestamp: toTimestamp(end.at), duration_ms: end.at - startedAt, input_hash: null, run_id },
      ...{ source_location: null, captured_vars: null },
    },
  ];
}

/** What failed is told as it is of runs. */
function resultOf({ end }: DurableOperation): JsonValue {
  if (end === null) return null;
  if (end.error !== null)
    return { error: { code: end.error.ErrorType ?? 'Error', message: end.error.ErrorMessage ?? '' } };
  if (end.isCut) return { cut: end.result };
  try {
    return JSON.parse(end.result ?? 'null') as JsonValue;
  } catch {
    // A serializer of the function's own has written it.
    return end.result;
  }
}

function snakeCase(name: string): string {
  return name.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** What a durable execution does in itself. */
interface DurableOperation {
  id: string;
  parent: string | null;
  name: string | null;
  /** `Step`, `Wait`, `Callback`, `Context`, `ChainedInvoke`, as history names them. */
  kind: string;
  /** Of a context, what the SDK opened it for: `WaitForCallback`, `Parallel` … */
  subType: string | null;
  startedAt: number;
  end: DurableEnd | null;
  /** Of a callback: by which it is answered. */
  callback: string | null;
}

interface DurableEnd {
  at: number;
  /** JSON as a rule; a serializer of the function's own may have written anything. */
  result: string | null;
  error: ErrorObject | null;
  /** Lambda shows only a part of it. */
  isCut: boolean;
}

/** What an event has to say of how something ended; each kind has other fields of the same names. */
interface Details {
  CallbackId?: string | undefined;
  Result?: { Payload?: string | undefined; Truncated?: boolean | undefined } | undefined;
  Error?: { Payload?: ErrorObject | undefined; Truncated?: boolean | undefined } | undefined;
  RetryDetails?: { NextAttemptDelaySeconds?: number | undefined } | undefined;
}

const operationEvent =
  /^(Step|Wait|Callback|Context|ChainedInvoke)(Started|Succeeded|Failed|TimedOut|Cancelled|Stopped)$/;

/** The operations of an execution by its history, in the order in which they began. */
export function durableOperations(events: readonly Event[]): DurableOperation[] {
  const operations = new Map<string, DurableOperation>();
  for (const event of events) {
    const { EventType = '', Id: id = '', Name = null, ParentId = null, SubType = null } = event;
    const [, kind = '', what] = operationEvent.exec(EventType) ?? [];
    if (what === undefined) continue;
    const at = event.EventTimestamp?.getTime() ?? 0;
    const operation = operations.get(id) ?? {
      ...{
        id,
        parent: ParentId,
        name: Name,
        kind,
        subType: SubType,
        startedAt: at,
        end: null,
        callback: null,
      },
    };
    operations.set(id, operation);
    const details = (event as Record<string, Details | undefined>)[`${EventType}Details`] ?? {};
    operation.callback ??= details.CallbackId ?? null;
    operation.end = what === 'Started' || isTriedAgain(details) ? null : toEnd(at, what, details);
  }
  return [...operations.values()];
}

/** Zero seconds are none: an attempt that is followed by another waits for one at least. */
function isTriedAgain({ RetryDetails }: Details): boolean {
  return (RetryDetails?.NextAttemptDelaySeconds ?? 0) > 0;
}

function toEnd(at: number, what: string, { Result, Error: failure }: Details): DurableEnd {
  const succeeded = what === 'Succeeded';
  return {
    at,
    result: Result?.Payload ?? null,
    error: succeeded ? null : (failure?.Payload ?? { ErrorType: what }),
    isCut: (succeeded ? Result?.Truncated : failure?.Truncated) === true,
  };
}
