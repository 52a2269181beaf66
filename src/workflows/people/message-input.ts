import type { TellPeopleInput, ToldRequest } from '../../contract/people/channels/tell-people.js';
import { sha256Hex } from '../../contract/effects/digest.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { defined, canonicalJson, jsonSize } from '../../contract/json/json.js';
import type { DueMessage } from '../../contract/people/ledger.js';

/** Each attempt of a request's messages stands in history with what they say: what is longer is to be asked for. */
const mostBytes = 16_000;
const shortText = 4_000;
/** Names of those who are asked: whoever asks more has them told in part. */
const mostNames = 6_000;

/** Of the run whose messages they are. */
export interface TellingRun {
  runId: string;
  firstExecutionId: string;
  procedure: string;
  isSigned: boolean;
  /** A worker that says nothing for so long is taken for dead, in ms. */
  heartbeatMs: number;
}

/** What a worker gets to send. */
export function messageInput(message: DueMessage, run: TellingRun): TellPeopleInput {
  const { runId, firstExecutionId, procedure } = run;
  // An id that has been used before is another run's.
  const key = sha256Hex(canonicalJson([runId, firstExecutionId, message.key])).slice(0, 40);
  if ('notice' in message) {
    const { channel, callback_url: url, status: _status, alone: _alone, ...notice } = message.notice;
    return {
      ...{ channel, key, why: 'closed', number: 1, procedure, to: null, told: [] },
      ...defined({ callbackUrl: url }),
      request: { ...notice, run_id: runId },
    };
  }
  const { request, delivery } = message;
  const { channel, reason, number, told = [] } = delivery;
  return {
    ...{ channel, key, why: reason, number, procedure, to: bounded(recipientsOf(message)), told },
    ...defined({ callbackUrl: request.callback_url }),
    request: toldRequest(request, run.isSigned),
  };
}

/** Whom a message is meant for, as things are now: who has said something already need not be told; null: anybody. */
function recipientsOf({ request, delivery }: Extract<DueMessage, { request: unknown }>): string[] | null {
  const { approvers, escalation = [], delegated = [], votes = [] } = request;
  const { reason, number, reminds } = delivery;
  const next = escalation[number - 1]?.to ?? [];
  if (reason === 'escalated' && reminds !== true) return next;
  if (reason === 'asked' && number > 1) return [delegated[number - 2]?.to ?? ''];
  if (approvers.length === 0) return null;
  // They have messages of their own.
  const others =
    reason !== 'asked'
      ? []
      : [
          ...escalation.filter(({ asked }) => asked).flatMap(({ to }) => to),
          ...delegated.map(({ to }) => to),
        ];
  const away = new Set([...others, ...votes.map(({ by }) => by)]);
  const all = reason === 'escalated' ? [...new Set([...next, ...approvers])] : approvers;
  return all.filter((name) => !away.has(name));
}

function toldRequest(
  { deliveries: _deliveries, callback_url: _url, ...request }: HumanRequest,
  isSigned: boolean,
): ToldRequest {
  const shown: ToldRequest = {
    ...request,
    ...(request.kind === 'multiple' ? { message: shownMessage(request.message) } : {}),
    ...(isSigned ? { authority: 'signed' as const } : {}),
    whole: true,
  };
  if (jsonSize(shown) <= mostBytes) return shown;
  const { id, run_id, kind, deadline, created_at, position, digest, authority, approvers, expires_at } =
    shown;
  return {
    ...{ id, run_id, kind, deadline, created_at, position, digest },
    ...defined({ authority, expires_at }),
    ...{ message: shown.message.slice(0, shortText), context: null, options: [], default: null },
    ...{ approvers: bounded(approvers) ?? [], whole: false },
  };
}

/** As many names as there is room for. */
function bounded(names: readonly string[] | null): string[] | null {
  let room = mostNames;
  return names?.filter((name) => (room -= jsonSize(name)) >= 0) ?? null;
}

/**
 * What people read where several questions have no message of their own, in the words of the reference. Runs keep it as
 * they always did: it is part of what decisions are made for.
 */
export function shownMessage(kept: string): string {
  const [, count] = /^(\d+) questions$/.exec(kept) ?? [];
  return count === undefined ? kept : `Multiple inputs requested (${count} items)`;
}
