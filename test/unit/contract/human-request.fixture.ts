import type { HumanRequest } from '../../../src/contract/people/human-request.js';
import { emptyLedger, openRequest, type Ledger } from '../../../src/contract/people/ledger.js';
import { requestDigest } from '../../../src/workflows/people/to-request.js';

export const runId = 'orders/42';
export const openedAt = Date.UTC(2026, 0, 1);

/** An approval at position 3, without approvers and deadline, unless `parts` say otherwise. */
export function aRequest(parts: Partial<HumanRequest> = {}): HumanRequest {
  const position = parts.position ?? '3';
  const request: HumanRequest = {
    id: `${runId}/${position}`,
    run_id: runId,
    kind: 'approval',
    message: 'Deploy?',
    context: null,
    options: [],
    default: false,
    deadline: null,
    created_at: new Date(openedAt).toISOString(),
    position,
    approvers: [],
    digest: '',
    ...parts,
  };
  return { ...request, digest: requestDigest(request) };
}

/** A ledger in which these requests have been opened. */
export function ledgerWith(...requests: HumanRequest[]): Ledger {
  return requests.reduce(
    (ledger, request) => openRequest(ledger, request, openedAt).ledger,
    emptyLedger(runId),
  );
}
