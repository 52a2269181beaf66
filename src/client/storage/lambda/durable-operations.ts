import type { ErrorObject, Event } from '@aws-sdk/client-lambda';

/** What a durable execution does in itself. */
export interface DurableOperation {
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

export interface DurableEnd {
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

const told =
  /^(Step|Wait|Callback|Context|ChainedInvoke)(Started|Succeeded|Failed|TimedOut|Cancelled|Stopped)$/;

/** The operations of an execution by its history, in the order in which they began. */
export function durableOperations(events: readonly Event[]): DurableOperation[] {
  const operations = new Map<string, DurableOperation>();
  for (const event of events) {
    const { EventType = '', Id: id = '', Name = null, ParentId = null, SubType = null } = event;
    const [, kind = '', what] = told.exec(EventType) ?? [];
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
