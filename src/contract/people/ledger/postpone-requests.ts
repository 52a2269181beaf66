import type { HumanRequest } from '../human-request.js';
import type { Ledger } from './ledger-state.js';

/**
 * Moves what would become of open requests by itself: their ends, those who are to be asked besides, and reminders. A moment of
 * the calendar (`expires_at`) stays where it is, and no request ends after it.
 */
export function postponeRequests(ledger: Ledger, ms: number): Ledger {
  return { ...ledger, open: ledger.open.map((request) => postponed(request, ms)) };
}

function postponed(request: HumanRequest, ms: number): HumanRequest {
  const { deadline, expires_at: end, escalation, reminder } = request;
  const moved = deadline === null ? null : later(deadline, ms);
  return {
    ...request,
    deadline: moved !== null && end !== undefined && end < moved ? end : moved,
    ...(escalation === undefined
      ? {}
      : {
          escalation: escalation.map((stage) =>
            stage.asked ? stage : { ...stage, at: later(stage.at, ms) },
          ),
        }),
    ...(reminder === undefined
      ? {}
      : { reminder: { ...reminder, at: reminder.at === null ? null : later(reminder.at, ms) } }),
  };
}

function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}
