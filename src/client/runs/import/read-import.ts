import { randomUUID } from 'node:crypto';
import type { CarriedAnswer, CarriedAnswers } from '../../../contract/runs/carried-answers.js';
import { assertNoTrial } from '../../../contract/changes/trial.js';
import type { ChangePlan } from '../../../contract/changes/plan.js';
import { newestEngine } from '../../../contract/engine.js';
import { TactusError } from '../../../contract/errors.js';
import { defined, canonicalJson, type JsonValue } from '../../../contract/json/json.js';
import type { RunStarted } from '../../../contract/runs/start-input.js';
import type { ProcedureSource } from '../../../contract/procedures/source.js';
import type { CarriedLog } from '../../../log/pack.js';
import { assertConsent, planChange, type Consent } from '../../changes/change-plan.js';
import { carriedStart, handWork, oldestCarried, type CarriedStart, type Handed } from '../carried-start.js';
import { startInputOf, type StartOptions } from '../start-input.js';
import { exactLogIn, type ExactLog } from '../exact-log.js';
import { assertAwaited, assertSameLines, assertSamePlaces, proveFits, type Proof } from './prove-fits.js';
import { readEntries, recordedTypes, toAnswer, unfit, type ReadEntries } from './recorded-entries.js';
import { readReferenceRecord, type RecordedEntry, type ReferenceRecord } from './reference-record.js';
import { toProcedureMetadata } from '../snapshot.js';

export interface ImportOptions extends Omit<StartOptions, 'timeout'>, Pick<Consent, 'strict'> {
  /** The procedure as it was when the record was made. What `exportRun` made has it: left out, that. */
  source?: ProcedureSource | undefined;
  /** What it was given then: a record of the reference doesn't hold it. Left out: nothing, or what the record has. */
  input?: JsonValue | undefined;
  /** Takes a source whose lines aren't those that were recorded. What it asks for must fit all the same. */
  allowsChanges?: boolean | undefined;
  /** What people call the record, such as its file. */
  place?: string | undefined;
}

/** What a run is started with that goes on with what is recorded elsewhere. */
export interface Import extends CarriedStart, Proof {
  /** What the record calls the procedure. */
  importedFrom: string;
  /** How much of the record the run goes on with, in entries of the top level. */
  answers: number;
  /** How many of its entries another run of the procedure has left there, which the reference passes over too. */
  strangers: number;
  /** What people have done that the run goes on without, a line each. */
  leftBehind: string[];
  /** Of an exported run that goes on with another source; null: nothing of it changes. */
  plan: ChangePlan | null;
}

/**
 * Reads a record of the Python Tactus, or what `exportRun` made, and proves that the procedure fits it: it is run here, up to
 * where it asks for something that isn't recorded. Nothing is started.
 * @throws TactusError file_failed where the text is no such record; usage where the source is missing; source_invalid,
 *   no_procedure, input_invalid; non_determinism where the procedure doesn't fit, or where the record doesn't hold what it
 *   takes; payload_too_large
 */
export async function readImport(text: string, options: ImportOptions): Promise<Import> {
  const { place = 'The record' } = options;
  const record = readReferenceRecord(text, place);
  const own = readOwnRecord(record, place);
  assertNoTrial(record.procedureId);
  const { runId = `${record.procedureId}-${randomUUID().slice(0, 8)}` } = options;
  const read = await (own === null ? readReference(record, runId, options) : readOwn(own, options));
  const { started, strangers = 0, waiting = null } = read;
  const { carried, plan } = await changed(own, read, { from: record.procedureId, to: runId }, options);
  const { asked, left, entries } = await proveFits(runId, started, carried);
  if (options.allowsChanges !== true)
    assertSamePlaces(carried.answers?.answers ?? [], entries, started.start.source?.files);
  if (left === 0 && waiting !== null) assertAwaited(waiting, asked);
  const handed = own === null ? nothingHanded : handedWith(own, started, record.procedureId, runId);
  const answers = own === null ? (carried.answers?.answers.length ?? 0) : topLevel(carried);
  return {
    ...carriedStart(runId, started, carried, `${record.procedureId}, imported`, handed.carry),
    ...{ importedFrom: record.procedureId, answers, strangers, asked, left, plan },
    leftBehind: handed.leftBehind,
  };
}

/** Of what one source has recorded, and another one is to go on with, that is compared first which flows. */
async function changed(
  own: ExactLog | null,
  { started, carried }: Read,
  ids: { from: string; to: string },
  { source, strict }: ImportOptions,
): Promise<{ carried: CarriedLog; plan: ChangePlan | null }> {
  if (own === null || source === undefined || carried.answers !== undefined) return { carried, plan: null };
  const log = carried.entries;
  const change = await planChange({
    from: { runId: ids.from, started: startedAnew(own), log, requests: own.work?.requests ?? [] },
    to: { runId: ids.to, started, kept: log },
  });
  assertConsent(change, { strict });
  return { carried: { entries: change.kept }, plan: change.plan };
}

const nothingHanded = { carry: {}, leftBehind: [] };

/** What people have done is handed to the new run. */
function handedWith(
  { work }: ExactLog,
  { start }: RunStarted,
  from: string,
  to: string,
): Pick<Import, 'leftBehind'> & { carry: Partial<Handed['carry']> } {
  if (work === undefined) return { carry: {}, leftBehind: [olderExport] };
  return handWork(work, { from, to, isSigned: start.settings?.signedDecisions === true });
}

const olderExport =
  'votes, times, events and what was said to agents: the version that exported it left them out';

/**
 * The input of the run that is in a record, where `exportRun` has put it there; null: the record has none.
 * @throws TactusError file_failed where the text is no such record
 */
export function recordedInput(text: string, place: string): JsonValue | null {
  const own = readOwnRecord(readReferenceRecord(text, place), place);
  return own === null ? null : (own.started.start.input ?? {});
}

interface Read extends Partial<Pick<ReadEntries, 'strangers' | 'waiting'>> {
  started: RunStarted;
  carried: CarriedLog;
}

async function readReference(
  { entries }: ReferenceRecord,
  runId: string,
  { place = 'The record', allowsChanges = false, source, input = {}, ...options }: ImportOptions,
): Promise<Read> {
  if (source === undefined)
    throw new TactusError(
      'usage',
      `${place} holds no source. Name the file of its procedure, as it was when the record was made: --source FILE`,
    );
  // It runs Lua: commands that only read records have no need of that.
  const { checkStart } = await import('../../procedures/describe-source.js');
  checkStart(source, input, options);
  if (!allowsChanges) assertSameLines(entries, source);
  const { ended, waiting, strangers } = readEntries(entries);
  // What the host of the reference waits for is nothing that can be found from here.
  if (waiting?.entry.type === 'external_children_wait')
    throw unfit(waiting.entry, 'it waits for runs of another system');
  const answers: CarriedAnswers = { types: recordedTypes, answers: ended.map(answerOf) };
  const started = {
    start: startInputOf(source, input, options, { limits: undefined, searchAttributes: false }),
    engine: newestEngine,
    startedAt: beginOf(entries),
    seed: `${runId}/${randomUUID()}`,
  };
  return { started, carried: { entries: [], answers }, waiting, strangers };
}

/** @throws TactusError usage, input_invalid, source_invalid, no_procedure */
async function readOwn(
  own: Exclude<ReturnType<typeof readOwnRecord>, null>,
  { place = 'The record', source, input }: ImportOptions,
): Promise<Read> {
  if (input !== undefined)
    throw new TactusError(
      'usage',
      `${place} has the input of its run, and the run continues with that: leave the input out`,
    );
  const { entries, answers } = own;
  const { start, ...started } = startedAnew(own);
  const carried = { entries, ...defined({ answers }) };
  if (source === undefined) return { started: { ...started, start }, carried };
  const { checkStart } = await import('../../procedures/describe-source.js');
  checkStart(source, start.input ?? {}, start);
  return { started: { ...started, start: { ...start, source } }, carried };
}

function topLevel({ entries, answers }: CarriedLog): number {
  const own = entries.filter(({ position }) => !position.includes('.')).length;
  return own + (answers?.answers.length ?? 0);
}

/** @throws TactusError non_determinism */
function answerOf(entry: RecordedEntry): CarriedAnswer {
  const answer = toAnswer(entry);
  if (typeof answer === 'string') throw unfit(entry, answer);
  return answer;
}

/** When the first entry began, in ms since 1970: that is the procedure's clock until it has ended. */
function beginOf([first]: readonly RecordedEntry[]): number {
  return first === undefined ? Date.now() : Math.floor(first.endedAt / 1_000 - first.durationMs);
}

/**
 * The log that a record has besides the one of the reference: `export` has put it there. null: it has none.
 * @throws TactusError file_failed where it can't be read, or where somebody has gone on with the record since
 */
function readOwnRecord(record: ReferenceRecord, place: string): ExactLog | null {
  const exact = exactLogIn(record.luaState);
  if (exact === null) return null;
  const wrong = (problem: string): TactusError =>
    new TactusError('file_failed', `${place} can't be imported: ${problem}`, { place });
  if (typeof exact === 'string') throw wrong(exact);
  const { execution_log: shown } = toProcedureMetadata({
    ...{ runId: record.procedureId, status: 'running', state: {}, waitingOn: null, mark: null },
    log: exact.entries,
  });
  if (canonicalJson(shown) !== canonicalJson(record.log))
    throw wrong('its execution_log was changed since it was exported, and no longer fits what goes with it');
  return exact;
}

/**
 * A run as `exportRun` has written it.
 * @throws TactusError file_failed where it is nothing of the kind
 */
export function readExported(text: string, place: string): ExactLog & { runId: string } {
  const record = readReferenceRecord(text, place);
  const own = readOwnRecord(record, place);
  if (own !== null) return { ...own, runId: record.procedureId };
  throw new TactusError(
    'file_failed',
    `${place} can't be tested: it is no run that tactus-temporal export wrote`,
    {
      place,
    },
  );
}

/** What a run is started with that goes on with it: neither its parent nor its namespace need to be there. */
function startedAnew({ started }: ExactLog): RunStarted {
  const { parent: _, searchAttributes: __, ...start } = started.start;
  return { ...started, start, engine: Math.max(started.engine, oldestCarried) };
}
