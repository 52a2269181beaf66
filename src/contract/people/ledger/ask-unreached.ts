import type { HumanRequest } from '../human-request.js';
import { askStages } from './escalate-request.js';
import type { Ledger } from './ledger-shape.js';
import { replaceRequest } from './replace-request.js';

/**
 * Where nobody could be told of a request whose policy says so, those are asked now whose turn would be next, once. Those after them
 * move up by the same time, so that each stage has its own time; the end stays, for a channel that is down must not bring it nearer.
 */
export function askUnreached(ledger: Ledger, nowMs: number): { ledger: Ledger; moved: string[] } {
  const moved = ledger.open.filter(isUnreached);
  const next = moved.reduce((asked, request) => replaceRequest(asked, askNext(request, nowMs)), ledger);
  return { ledger: next, moved: moved.map(({ id }) => id) };
}

function isUnreached({ on_undelivered: policy, escalation = [], deliveries = [] }: HumanRequest): boolean {
  if (policy !== 'escalate' || escalation.some(({ because }) => because !== undefined)) return false;
  const first = deliveries.filter(({ reason, number }) => reason === 'asked' && number === 1);
  return (
    first.length > 0 &&
    first.every(({ status }) => status === 'undelivered') &&
    escalation.some(({ asked }) => !asked)
  );
}

function askNext(request: HumanRequest, nowMs: number): HumanRequest {
  const { escalation = [] } = request;
  const first = escalation.find(({ asked }) => !asked);
  const earlier = first === undefined ? 0 : Math.max(0, Date.parse(first.at) - nowMs);
  const stages = escalation.map((stage) => {
    if (stage.asked) return stage;
    const at = new Date(Date.parse(stage.at) - earlier).toISOString();
    return { ...stage, at, ...(stage === first ? { because: 'undelivered' as const } : {}) };
  });
  return askStages({ ...request, escalation: stages }, nowMs);
}
