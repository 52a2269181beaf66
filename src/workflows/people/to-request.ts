import { TactusError } from '../../contract/errors.js';
import {
  groupPrefix,
  type HumanAsk,
  type HumanRequest,
  type RequestPolicy,
} from '../../contract/people/human-request.js';
import { asJson, defined, getOwn, type JsonValue } from '../../contract/json/json.js';
import { changesOf } from '../../contract/engine.js';
import { reachProblem } from '../../contract/people/ledger.js';
import type { RunContext } from '../effects/effect-kind.js';
import { digestOf } from '../../contract/effects/digest.js';

/**
 * A request as people see it, asked now.
 * @throws TactusError human_request_invalid where its policy can't be kept
 */
export function toRequest(
  { runId, now, start, engine }: Pick<RunContext, 'runId' | 'now' | 'start' | 'engine'>,
  position: string,
  ask: HumanAsk,
): HumanRequest {
  const { kind, message, context, options, form, metadata, policy, hints, before, byHost, origin } = ask;
  const shown = {
    ...{ kind, message, context, options },
    ...defined({ form, metadata, hints, preconditions_before: before, by_host: byHost, origin }),
  };
  const at = now();
  const groups = changesOf(engine)('request-policy') ? (start.settings?.groups ?? {}) : null;
  const people = (names: string[]): string[] => (groups === null ? names : namesOf(names, groups));
  const request = {
    id: `${runId}/${position}`,
    run_id: runId,
    ...shown,
    default: ask.default,
    deadline: ask.timeoutMs === null ? null : isoOf(at + ask.timeoutMs),
    created_at: isoOf(at),
    position,
    approvers: people(ask.approvers),
    digest: requestDigest(shown),
  };
  if (policy === undefined) return request;
  const under = { ...request, ...underPolicy(policy, { at, timeoutMs: ask.timeoutMs, people }) };
  assertReachable(under);
  return under;
}

interface Asked {
  at: number;
  timeoutMs: number | null;
  people: (names: string[]) => string[];
}

function underPolicy(
  { quorum, requester, onTimeout, escalation: stages = [], expiresAt }: RequestPolicy,
  { at, timeoutMs, people }: Asked,
): Partial<HumanRequest> {
  let end = timeoutMs === null ? null : at + timeoutMs;
  const escalation = stages.flatMap((stage) => {
    if (end === null) return [];
    const next = { to: people(stage.to), at: isoOf(end), asked: false };
    end = stage.timeoutMs === null ? null : end + stage.timeoutMs;
    return [next];
  });
  const ends = [end, expiresAt ?? null].filter((time) => time !== null);
  return {
    deadline: ends.length === 0 ? null : isoOf(Math.min(...ends)),
    ...defined({ quorum, requester, on_timeout: onTimeout }),
    ...(escalation.length === 0 ? {} : { escalation }),
    ...(expiresAt === undefined ? {} : { expires_at: isoOf(expiresAt) }),
  };
}

/** Who stands behind names, of which some are groups. */
function namesOf(names: readonly string[], groups: Readonly<Record<string, string[]>>): string[] {
  const people = names.flatMap((name) => {
    if (!name.startsWith(groupPrefix)) return [name];
    const members = getOwn(groups, name.slice(groupPrefix.length));
    if (members === undefined)
      throw new TactusError('human_request_invalid', `No configuration says who is in ${name}`);
    return members;
  });
  return [...new Set(people)];
}

/** A request that nobody could ever decide would wait for ever. */
function assertReachable(request: HumanRequest): void {
  const problem = reachProblem(request);
  if (problem !== null) throw new TactusError('human_request_invalid', problem);
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

type Shown = Pick<
  HumanRequest,
  | 'kind'
  | 'message'
  | 'context'
  | 'options'
  | 'form'
  | 'metadata'
  | 'hints'
  | 'preconditions_before'
  | 'by_host'
  | 'origin'
>;

/** Identifies what a person is shown: a decision that names another digest was made for something else. */
export function requestDigest(shown: Shown): string {
  const { kind, message, context, options, form, metadata, hints, preconditions_before: before } = shown;
  const { by_host: byHost, origin } = shown;
  return digestOf({
    kind,
    message,
    context,
    options,
    ...(form === undefined ? {} : { form: asJson(form) }),
    ...defined({ metadata }),
    ...(hints === undefined ? {} : { hints: hints as JsonValue }),
    ...defined({ preconditions_before: before, by_host: byHost }),
    ...(origin === undefined ? {} : { origin: asJson(origin) }),
  });
}
