import type { temporal } from '@temporalio/proto';

/** A time of the server's in ISO 8601, UTC. */
export function toIso(time: temporal.api.history.v1.IHistoryEvent['eventTime']): string | null {
  if (time === null || time === undefined) return null;
  return new Date(Number(time.seconds) * 1_000 + Math.floor((time.nanos ?? 0) / 1e6)).toISOString();
}
