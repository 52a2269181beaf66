import { Option, type Command } from 'commander';
import { byCreation, listRuns, type Missing, runIdOf, stuckError } from '../../client/index.js';
import { withSession, type Session } from '../session.js';
import {
  hasCode,
  jsonText,
  ownCommand,
  readDuration,
  TactusError,
  type Context,
  type ExitCode,
  type Screen,
} from '../command.js';
import type { HumanItem, HumanRequest, HumanRequestKind } from '../../contract/people/human-request.js';
import { failureText } from '../../contract/people/failure-context.js';
import { deliveryTexts, originText, respondCommand } from '../../contract/people/request-text.js';
import type { RequestFilter } from '../../read-model/request-filter.js';
import type { IndexedRequest } from '../../read-model/run-index.js';
import { getOwn, isObject, type JsonValue } from '../../contract/json/json.js';

/** An open request, with the procedure that asks it. */
export type AskedRequest = IndexedRequest;

const mostRuns = 1_000;
const atOnce = 5;

/** Open human requests, and the runs whose requests aren't among them. */
export interface FoundRequests {
  pending: AskedRequest[];
  missing: Missing[];
}

/** Open human requests of one run. @throws TactusError run_not_found, run_stuck, no_worker */
export async function pendingOf(session: Session, runId: string): Promise<AskedRequest[]> {
  const { stuck, pending, procedure } = await session.view(runId);
  if (stuck !== null) throw stuckError(runId, stuck);
  return pending.map((request) => ({ ...request, procedure }));
}

/** Open human requests of all open runs, in the order of their creation, and the runs that say nothing. */
export async function findPending(session: Session, screen: Screen): Promise<FoundRequests> {
  const { runs, next } = await listRuns(session.client, { isOpen: true, limit: mostRuns });
  if (next !== null) screen.warn(`There are more than ${mostRuns} open runs: only the newest are asked.`);
  const pending: AskedRequest[] = [];
  const missing: Missing[] = [];
  let isThere = false;
  let absence: string | null = null;
  const ask = async (runId: string): Promise<void> => {
    try {
      pending.push(...(await pendingOf(session, runId)));
      isThere = true;
    } catch (error) {
      if (hasCode(error, 'run_not_found')) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (hasCode(error, 'no_worker')) absence = reason;
      else isThere = true;
      missing.push({ run_id: runId, reason });
    }
  };
  const ids = runs.map(({ run_id }) => run_id);
  for (let i = 0; i < ids.length; i += atOnce) {
    await Promise.all(ids.slice(i, i + atOnce).map(ask));
    // Where nobody answered for the first, nobody would for the others, which would each be waited for.
    const reason = absence as string | null;
    if (isThere || reason === null) continue;
    missing.push(...ids.slice(i + atOnce).map((run_id) => ({ run_id, reason })));
    break;
  }
  return { pending: pending.sort(byCreation), missing };
}

/** Says which runs couldn't be asked, and why. */
export function tellMissing(missing: readonly Missing[], screen: Screen): void {
  for (const { run_id, reason } of missing) screen.warn(`${run_id} is left out: ${reason}`);
}

export interface PendingFlags {
  procedure?: string;
  kind?: string;
  for?: string;
  text?: string;
  olderThan?: string;
  details?: boolean;
  fresh?: boolean;
}

const kinds = ['approval', 'input', 'review', 'select', 'multiple', 'upload', 'escalation'];

/** The flags of `pending` that leave requests out. */
export function pendingFilters(command: Command): Command {
  return command
    .option('--procedure <name>', 'only requests of runs of this procedure')
    .addOption(new Option('--kind <kind>', 'only questions of this kind').choices(kinds))
    .option('--for <name>', 'only requests that this person may decide')
    .option('--text <words>', 'only requests whose message contains this text, in any case')
    .option('--older-than <duration>', 'only requests older than this, such as 2h or 3d')
    .option('--fresh', 'query the runs instead of the index')
    .option('--details', 'with --json: add the procedure and the age in seconds of each request');
}

/** What the flags leave, in words of the index. @throws TactusError usage where the duration is none */
export function pendingFilter(flags: PendingFlags, now: number): RequestFilter {
  const { procedure, kind, for: approver, text, olderThan } = flags;
  const latest = olderThan === undefined ? null : now - readDuration(olderThan, '--older-than');
  const askedBefore = latest === null ? undefined : new Date(latest).toISOString();
  return { procedure, kind: kind as HumanRequestKind | undefined, approver, text, askedBefore };
}

interface NamedRequest {
  id: string;
  runId: string;
  /** null where no such request is open: the run says what has become of it. */
  request: HumanRequest | null;
}

/**
 * Does something about a request that is named by its id.
 * @throws TactusError request_unknown where that is no id of a request
 */
export function withRequest(
  context: Context,
  id: string,
  work: (session: Session, named: NamedRequest) => Promise<ExitCode>,
): Promise<ExitCode> {
  const runId = runIdOf(id);
  if (runId === '' || runId === id)
    throw new TactusError(
      'request_unknown',
      `${JSON.stringify(id)} is no id of a request: they look like RUN/3; see: tactus-temporal pending`,
    );
  return withSession(context, async (session) => {
    const pending = await pendingOf(session, runId).catch(noRun);
    return work(session, { id, runId, request: pending.find((each) => each.id === id) ?? null });
  });
}

/** A run that isn't there has no requests; that the decision says too. */
function noRun(error: unknown): HumanRequest[] {
  if (hasCode(error, 'run_not_found')) return [];
  throw error;
}

/** A request as a person reads it; `how` adds the command that answers it. */
export function requestText(request: HumanRequest, options: { how: boolean }): string {
  const { kind, message, context, deadline, hints } = request;
  const lines = [`${kind}: ${hints?.label === undefined ? '' : `${hints.label}: `}${message}`];
  if (context !== null)
    lines.push(...(kind === 'review' ? reviewLines(context) : contextLines(context, failureText(request))));
  if (request.origin !== undefined) lines.push(`  wanted by ${originText(request.origin)}`);
  if (request.by_host === true) lines.push('  asked by the host: the words above are its own');
  lines.push(...preconditionLines(request), ...formLines(request));
  if (request.approvers.length > 0)
    lines.push(`  to be decided by: ${request.approvers.join(', ')} (--as NAME)`);
  lines.push(...policyLines(request));
  if (deadline !== null) lines.push(`  until ${deadline}, then ${endText(request)}`);
  lines.push(...deliveryTexts(request.deliveries).map((line) => `  told by ${line}`));
  if (options.how) lines.push(`  ${ownCommand(respondCommand(request))}`);
  return lines.join('\n');
}

/** How many must agree, who has, who may not, and who is asked next. */
function policyLines({
  quorum,
  votes = [],
  requester,
  escalation = [],
  delegated = [],
}: HumanRequest): string[] {
  const said = votes.map(({ by, value }) => `${by} says ${jsonText(value)}`);
  return [
    ...(quorum === undefined ? [] : [`  ${[`${quorum} people must agree`, ...said].join('; ')}`]),
    ...(requester === undefined ? [] : [`  asked by ${requester}, who may not decide`]),
    ...delegated.map(({ by, to }) => `  ${by} has handed it to ${to}`),
    ...escalation.map(
      ({ to, at, asked }) =>
        `  ${asked ? 'asked besides since' : 'then asked, from'} ${at}: ${to.join(', ')}`,
    ),
  ];
}

function endText({ on_timeout: onTimeout, default: byDefault }: HumanRequest): string {
  return onTimeout === 'error' ? 'an error' : jsonText(byDefault);
}

function contextLines(context: JsonValue, inWords: string | null = null): string[] {
  return indented(inWords ?? (typeof context === 'string' ? context : jsonText(context, 2)));
}

/** What is reviewed: a text as it is, line by line. */
function reviewLines(context: JsonValue): string[] {
  const artifact = isObject(context) ? getOwn(context, 'artifact') : undefined;
  if (!isObject(context) || typeof artifact !== 'string') return contextLines(context);
  const { artifact: _, artifact_type: type = null, ...others } = context;
  const heading = typeof type === 'string' ? `artifact (${type}):` : 'artifact:';
  const more = Object.keys(others).length === 0 ? [] : contextLines(others['context'] ?? others);
  return [`  ${heading}`, ...indented(artifact).map((line) => `  ${line}`), ...more];
}

function indented(text: string): string[] {
  return text.split(/\r?\n/).map((line) => `  ${line}`);
}

/** What the decision is bound to. */
function preconditionLines({ metadata, preconditions_before: before }: HumanRequest): string[] {
  const preconditions = metadata?.['preconditions'];
  return [
    ...(preconditions === undefined ? [] : [`  as long as this holds: ${jsonText(preconditions)}`]),
    ...(before === undefined ? [] : [`  asked anew: it was ${jsonText(before)} when you were asked before`]),
  ];
}

/** What may be answered. */
function formLines({ options, form }: Pick<HumanRequest, 'options' | 'form'>): string[] {
  if (form?.type === 'items') return form.items.flatMap(itemLines);
  if (form?.type === 'upload') {
    const { accept, max_size: maxSize, multiple } = form;
    const kinds = accept.length === 0 ? '' : ` of ${accept.join(', ')}`;
    const size = maxSize === null ? '' : `, at most ${maxSize} bytes each`;
    return [`  ${multiple ? 'files' : 'a file'}${kinds}${size}`];
  }
  if (options.length === 0) return [];
  const names = form?.type === 'select' ? form.choices.map(choiceText) : options.map(String);
  return [`  ${howMany(form)}: ${names.join(', ')}`];
}

function howMany(form: HumanRequest['form']): string {
  if (form?.type !== 'select' || !form.multiple) return 'one of';
  return form.max === null ? `at least ${form.min} of` : `${form.min} to ${form.max} of`;
}

function choiceText({
  value,
  label,
  description,
}: {
  value: unknown;
  label: string;
  description?: string;
}): string {
  const name = String(value) === label ? label : `${String(value)} (${label})`;
  return description === undefined ? name : `${name}: ${description}`;
}

function itemLines(item: HumanItem): string[] {
  const optional = item.required ? '' : ' (may be left out)';
  const lines = formLines(item).map((line) => `  ${line}`);
  return [`  ${item.id} · ${item.kind}: ${item.message}${optional}`, ...lines];
}
