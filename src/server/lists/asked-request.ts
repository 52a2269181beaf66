import type { HumanRequest, HumanRequestKind } from '../../contract/human-request.js';

/** An open request, and the procedure whose run asks it. */
export interface AskedRequest extends HumanRequest {
  procedure: string;
}

/** A run whose requests can't be told, and why. */
export interface Missing {
  run_id: string;
  reason: string;
}

export interface RequestFilter {
  limit: number;
  /** `next` of the page before. */
  after?: string | undefined;
  run?: string | undefined;
  procedure?: string | undefined;
  kind?: HumanRequestKind | undefined;
  /** What this person may decide: by name, or where anybody may. */
  approver?: string | undefined;
  /** Asked then or before; ISO 8601, UTC. */
  askedBefore?: string | undefined;
  /** Found in id, procedure, message or context. */
  text?: string | undefined;
}

export function isWanted(request: AskedRequest, filter: RequestFilter): boolean {
  const { run, procedure, kind, approver, askedBefore, text } = filter;
  return (
    (run === undefined || request.run_id === run) &&
    (procedure === undefined || request.procedure === procedure) &&
    (kind === undefined || request.kind === kind) &&
    (approver === undefined || request.approvers.length === 0 || request.approvers.includes(approver)) &&
    (askedBefore === undefined || request.created_at <= askedBefore) &&
    (text === undefined || holds(request, text))
  );
}

function holds({ id, procedure, message, context }: AskedRequest, text: string): boolean {
  const wanted = text.toLowerCase();
  return [id, procedure, message, JSON.stringify(context)].some((each) =>
    each.toLowerCase().includes(wanted),
  );
}
