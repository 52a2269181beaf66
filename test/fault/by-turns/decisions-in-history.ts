import { defaultPayloadConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { Decision, Verdict } from '../../../src/contract/people/decision.js';
import { signalNames } from '../../../src/contract/names.js';
import type { History } from '../../support/histories.js';

/** A decision as a run's history has it. */
export interface RecordedDecision extends Decision {
  /** What an Update came to; null: it came by signal. */
  outcome: string | null;
}

/** All decisions that a run was ever told, in order. */
export function decisionsIn(histories: readonly History[]): RecordedDecision[] {
  const events = histories.flatMap(({ events: all }) => all ?? []);
  const outcomes = new Map<string, string>();
  for (const { workflowExecutionUpdateCompletedEventAttributes: completed } of events)
    if (completed)
      outcomes.set(
        completed.meta?.updateId ?? '',
        read<Verdict>(completed.outcome?.success)?.outcome ?? 'failed',
      );
  return events.flatMap((event): RecordedDecision[] => {
    const { workflowExecutionSignaledEventAttributes: signaled } = event;
    if (signaled?.signalName === signalNames.decide) {
      const decision = read<Decision>(signaled.input);
      return decision === null ? [] : [{ ...decision, outcome: null }];
    }
    const asked = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest;
    const decision = read<Decision>(asked?.input?.args);
    return decision === null
      ? []
      : [{ ...decision, outcome: outcomes.get(asked?.meta?.updateId ?? '') ?? 'unfinished' }];
  });
}

function read<T>(payloads: temporal.api.common.v1.IPayloads | null | undefined): T | null {
  const [first] = payloads?.payloads ?? [];
  return first === undefined ? null : defaultPayloadConverter.fromPayload<T>(first);
}
