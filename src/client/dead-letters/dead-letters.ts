import {
  isDeadBy,
  readLetterId,
  unknownErrorCode,
  type DeadLetter,
  type DeadLetterPolicy,
} from '../../contract/dead-letters/dead-letter.js';
import { type LetterOrder } from '../../contract/dead-letters/letter-order.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import { isOver, type RunStatus } from '../../contract/runs/run-view.js';
import { limitsOf } from '../../contract/runs/start-input.js';
import { lastArgument, shellWord } from '../../contract/text/shell-word.js';
import type { TactusClient } from '../tactus-client.js';
import type { TactusRun } from '../tactus-run.js';
import { unbounded, type Asking } from '../runs/view-run.js';
import { putOrder } from './letter-records.js';
import { readLetters, type FoundLetter } from './read-letters.js';

export interface DeadLetterFilter extends DeadLetterPolicy {
  /** Of this run alone. */
  run?: string | undefined;
  procedure?: string | undefined;
  status?: RunStatus | undefined;
  prefix?: string | undefined;
  /** Those that were requeued, sent or dropped, too. */
  isSettledToo?: boolean | undefined;
  /** At most so many. */
  limit: number;
  /** `next` of the page before. */
  after?: string | undefined;
}

export interface DeadLetterList {
  dead_letters: DeadLetter[];
  /** How many runs were looked at for this page. */
  looked_at: number;
  /** Runs that could not be read, and why. */
  missing: { run_id: string; reason: string }[];
  /** `after` of the next page; null: all runs were looked at. */
  next: string | null;
}

/** So many runs are read for a page, however few letters it has, and so many of them at once. */
const mostRuns = 200;
const runsAtOnce = 8;

/** Where a page ended: the page of runs, and how many letters of it were given. */
interface Place {
  after?: string;
  given: number;
}

/**
 * Lists dead letters, those of the newest runs first. It is a reading of the runs' own logs: runs are looked at until the page is full.
 * @throws TactusError usage where `after` is no `next`, or a code is none; run_not_found
 */
export async function listDeadLetters(
  tactus: TactusClient,
  { run, isSettledToo = false, limit, after, procedure, status, prefix, ...policy }: DeadLetterFilter,
  asking: Asking = unbounded,
): Promise<DeadLetterList> {
  assertCodes(policy);
  const isWanted = ({ letter }: FoundLetter): boolean =>
    (isSettledToo || letter.state === 'dead') && isDeadBy(policy, letter);
  const place = after === undefined ? { given: 0 } : readPlace(after);
  const list: DeadLetterList = { dead_letters: [], looked_at: 0, missing: [], next: null };
  const lettersIn = (found: readonly FoundLetter[]): DeadLetter[] =>
    found.filter(isWanted).map(({ letter }) => letter);
  /** Gives false where the page is full. */
  const add = (letters: readonly DeadLetter[]): boolean => {
    const rest = letters.slice(place.given);
    const room = limit - list.dead_letters.length;
    list.dead_letters.push(...rest.slice(0, room));
    if (rest.length > room) {
      list.next = placeText({ ...place, given: place.given + room });
      return false;
    }
    return true;
  };
  if (run !== undefined) {
    add(lettersIn(await readLetters(tactus.attach(run), asking)));
    return { ...list, looked_at: 1 };
  }
  while (list.looked_at < mostRuns) {
    const page = await asking.look(() =>
      tactus.list({ procedure, status, prefix, limit: runsAtOnce, after: place.after }),
    );
    const found = await Promise.all(
      page.runs.map(async ({ run_id: id }) => {
        try {
          return lettersIn(await readLetters(tactus.attach(id), asking));
        } catch (error) {
          // It has gone since it was listed.
          if (!hasCode(error, 'run_not_found'))
            list.missing.push({ run_id: id, reason: error instanceof Error ? error.message : String(error) });
          return [];
        }
      }),
    );
    list.looked_at += page.runs.length;
    if (!add(found.flat())) return list;
    if (page.next === null) return list;
    place.after = page.next;
    place.given = 0;
    if (list.dead_letters.length === limit) break;
  }
  return { ...list, next: placeText(place) };
}

function placeText(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function readPlace(token: string): Place {
  try {
    const place = JSON.parse(Buffer.from(token, 'base64url').toString()) as Partial<Place> | null;
    if (typeof place?.given === 'number' && ['string', 'undefined'].includes(typeof place.after))
      return place as Place;
  } catch {
    // Said below.
  }
  throw new TactusError('usage', `${token} is not a page token: pass the \`next\` of the page before`);
}

/** @throws TactusError usage */
function assertCodes({ includeErrors = [], excludeErrors = [] }: DeadLetterPolicy): void {
  const unknown = unknownErrorCode([...includeErrors, ...excludeErrors]);
  if (unknown !== null)
    throw new TactusError(
      'usage',
      `${JSON.stringify(unknown)} is no code of an error: docs/errors has them all`,
    );
}

/** @throws TactusError dead_letter_unknown, run_not_found */
export async function findDeadLetter(
  tactus: TactusClient,
  id: string,
  asking: Asking = unbounded,
): Promise<FoundLetter> {
  const place = readLetterId(id);
  const found = place === null ? [] : await readLetters(tactus.attach(place.run), asking);
  const letter = found.find((each) => each.letter.id === id);
  if (letter !== undefined) return letter;
  const what =
    place === null
      ? `${JSON.stringify(id)} is no id of a dead letter, which is RUN/POSITION or RUN/intent/STEP/INDEX`
      : `There is no dead letter ${id}: its run didn't fail by a call there, and has no unsent intent of that name`;
  const where = place === null ? '' : ` --run ${lastArgument(place.run)}`;
  throw new TactusError(
    'dead_letter_unknown',
    `${what}. tactus-temporal dlq list${where} shows those that there are`,
  );
}

export interface LetterActor {
  /** Who does it; left out: nobody says. */
  by?: string | null;
}

export interface RequeueOptions extends LetterActor {
  /** Also where nobody knows whether the call was done. */
  again?: boolean;
  /** Called when all is read, before anything starts. */
  onRead?: () => Promise<void>;
  /** Everything is checked, and nothing started or sent. */
  dryRun?: boolean;
}

/** What requeueing a letter has come to: the run that goes on in place of the failed one, or null where an intent is sent. */
export interface Requeued {
  letter: DeadLetter;
  run: TactusRun | null;
}

/**
 * Tries a dead letter again. A run that failed goes on as another run, which has all that succeeded in it; an intent is sent under its
 * own key. A letter that was requeued before isn't requeued twice.
 * @throws TactusError dead_letter_unknown, run_not_found; requeue_refused where something would be done twice; payload_too_large
 */
export async function requeueDeadLetter(
  tactus: TactusClient,
  id: string,
  { by = null, again = false, onRead, dryRun = false }: RequeueOptions = {},
  asking: Asking = unbounded,
): Promise<Requeued> {
  const found = await findDeadLetter(tactus, id, asking);
  const { letter, forkId } = found;
  const run = tactus.attach(letter.run_id);
  if (letter.kind === 'call') {
    if (letter.state === 'requeued') return { letter, run: tactus.attach(forkId) };
    assertRepeatable(letter, again);
    const { readRequeue } = await import('../runs/read-requeue.js');
    const as = { at: letter.position ?? '', runId: forkId, ...defined({ by: by ?? undefined }) };
    const fork = await asking.ask(() => readRequeue(run, as), false);
    if (dryRun) return { letter, run: null };
    await onRead?.();
    try {
      await tactus.startFork(fork);
    } catch (error) {
      // Somebody else requeued it in the same moment.
      if (!hasCode(error, 'run_conflict')) throw error;
    }
    return { letter: { ...letter, state: 'requeued', requeued_as: forkId }, run: tactus.attach(forkId) };
  }
  if (letter.state === 'requeued' || letter.state === 'sent') return { letter, run: null };
  const order = await sendOrder(run, found, asking);
  if (dryRun) return { letter, run: null };
  await onRead?.();
  await putOrder(run.handle.client, order, { taskQueue: found.taskQueue, by });
  return { letter: { ...letter, state: 'requeued', dropped: null }, run: null };
}

async function sendOrder(
  run: TactusRun,
  { letter, execution, intent }: FoundLetter,
  asking: Asking,
): Promise<LetterOrder> {
  const { start } = await asking.ask(() => run.started(), !isOver(letter.run_status));
  const { id, key } = letter;
  if (intent === null || key === null) throw new TactusError('internal', `the intent of ${id} is gone`);
  const send = { key, intent, limits: limitsOf(start), settings: start.settings ?? {} };
  return { letter: id, run: run.runId, execution, send };
}

/** @throws TactusError requeue_refused */
function assertRepeatable({ id, type, error, run_id: runId, position }: DeadLetter, again: boolean): void {
  if (type === 'procedure_call' || type.startsWith('procedure_') || type === 'external_children_wait')
    throw new TactusError(
      'requeue_refused',
      `${runId} failed because the run ${runId}/${position} that it started has failed. A new start of that run would make its calls again. Requeue the letter of that run, and give its output to this one when it is done: tactus-temporal fork ${shellWord(runId)} --at ${position} --set OUTPUT`,
      { run_id: runId },
    );
  if (error?.code === 'outcome_unknown' && !again)
    throw new TactusError(
      'requeue_refused',
      `Nobody knows whether the call of ${id} was done, and it may be done once only. If you know that it wasn't: tactus-temporal dlq requeue --again ${lastArgument(id)}`,
      { run_id: runId },
    );
}

interface DropOptions {
  reason?: string | null;
  /** Everything is checked, and nothing dropped. */
  dryRun?: boolean;
}

/**
 * Drops a dead letter: lists leave it out from then on, and nothing is sent or started.
 * @throws TactusError dead_letter_unknown, run_not_found; requeue_refused where it is requeued already
 */
export async function dropDeadLetter(
  tactus: TactusClient,
  id: string,
  { by = null, reason = null, dryRun = false }: LetterActor & DropOptions = {},
  asking: Asking = unbounded,
): Promise<DeadLetter> {
  const { letter, execution, taskQueue } = await findDeadLetter(tactus, id, asking);
  if (letter.state === 'dropped') return letter;
  if (letter.state !== 'dead')
    throw new TactusError(
      'requeue_refused',
      `${id} is ${letter.state} already${letter.requeued_as === null ? '' : ` as ${letter.requeued_as}`}: there is nothing to drop`,
      { run_id: letter.run_id },
    );
  if (dryRun) return letter;
  const { client } = tactus.attach(letter.run_id).handle;
  await putOrder(client, { letter: id, run: letter.run_id, execution }, { taskQueue, by, reason });
  const dropped = { by, at: new Date().toISOString(), reason };
  return { ...letter, state: 'dropped', dropped };
}
