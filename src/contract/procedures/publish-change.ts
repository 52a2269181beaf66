import { TactusError } from '../errors.js';
import { isObject, jsonSize, type JsonValue } from '../json/json.js';
import type { ProcedureSource } from './source.js';
import { onTrial, rounded, shareOf, versionOf, type KeptVersion, type PublishedRecord } from './published.js';

/** What somebody orders: the one argument of the Update. `source`: id of the workflow that has it. */
export type PublishedChange = (
  | { kind: 'publish'; source: string; digest: string; share: number }
  | { kind: 'promote'; version: number }
  /** The versions that are to take no starts any more: those that took some when the order was given. */
  | { kind: 'rollback'; versions: number[] }
) & { by: string | null };

/** Each version is a line of the memo and an open workflow: the oldest that takes no starts goes first. */
export const mostVersions = 50;
const mostTrials = 10;
const longestBy = 200;
const sourcePattern = /^tactus-published-source\/[\w-]{1,100}$/;
const digestPattern = /^sha256:[0-9a-f]{32}$/;
/** As JSON. What a run records with it may have 1.5 MB: the rest is for the settings of its worker. */
const maxPublishedBytes = 1_400_000;

/**
 * Checks an order, from whatever client.
 * @throws TactusError usage naming what is wrong
 */
export function readPublishedChange(given: unknown): PublishedChange {
  const wrong = (problem: string): TactusError => new TactusError('usage', `The change ${problem}`);
  if (!isObject(given as JsonValue)) throw wrong('must be one JSON object');
  const {
    kind,
    by = null,
    source,
    digest,
    share = 100,
    version,
    versions,
  } = given as Record<string, JsonValue>;
  if (by !== null && (typeof by !== 'string' || by.length > longestBy))
    throw wrong(`has a by that is not a text of at most ${longestBy} characters`);
  if (kind === 'publish') {
    if (typeof source !== 'string' || !sourcePattern.test(source))
      throw wrong('has a source that is not the id of its workflow');
    if (typeof digest !== 'string' || !digestPattern.test(digest))
      throw wrong('has a digest that is not that of a source');
    return { kind, source, digest, share: readShare(share), by };
  }
  if (kind === 'promote') {
    if (!isNumber(version)) throw wrong('has a version that is not a number');
    return { kind, version, by };
  }
  if (kind !== 'rollback') throw wrong('must be of the kind publish, promote or rollback');
  if (!Array.isArray(versions) || versions.length > mostVersions || !versions.every(isNumber))
    throw wrong('has versions that are not a list of numbers');
  return { kind, versions, by };
}

function isNumber(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value);
}

/** @throws TactusError usage */
function readShare(share: JsonValue): number {
  if (typeof share === 'number' && share > 0 && share <= 100 && rounded(share) > 0) return rounded(share);
  throw new TactusError('usage', 'A share is a number of per cent, from 0.01 to 100');
}

/** @throws TactusError payload_too_large */
export function assertPublishedFits(source: ProcedureSource): void {
  const bytes = jsonSize(source);
  if (bytes > maxPublishedBytes)
    throw new TactusError(
      'payload_too_large',
      `The source has ${bytes} bytes; at most ${maxPublishedBytes} can be published`,
      { bytes, limit: maxPublishedBytes },
    );
}

/** A name under which nothing was published yet. */
export function nothingPublished(name: string): PublishedRecord {
  return { name, latest: 0, versions: [], promoted: [] };
}

/** The newest version, where it has this source: publishing it again makes no other one. */
export function newestOf({ versions, latest }: PublishedRecord, digest: string): KeptVersion | null {
  const newest = versions.at(-1);
  return newest?.version === latest && newest.digest === digest ? newest : null;
}

/** The versions that a rollback ends: those on trial, or else the one that takes all starts. */
export function rolledBack({ versions, promoted }: PublishedRecord): number[] {
  const trials = versions.flatMap(({ version, trial }) => (trial === undefined ? [] : [version]));
  return trials.length > 0 ? trials : promoted.slice(-1);
}

/**
 * What an order makes of the record.
 * @param publishedAt of a version that it adds, ISO 8601
 * @throws TactusError change_refused
 */
export function withChange(
  record: PublishedRecord,
  change: PublishedChange,
  publishedAt: string,
): PublishedRecord {
  switch (change.kind) {
    case 'publish': {
      const { digest, source, share, by } = change;
      const newest = newestOf(record, digest);
      if (newest !== null) return withShare(record, newest.version, share);
      const version = record.latest + 1;
      return withVersion(record, { version, digest, source, published_at: publishedAt, by }, share);
    }
    case 'promote':
      return withShare(record, change.version, 100);
    case 'rollback':
      return withoutStarts(record, change.versions);
  }
}

/**
 * With another version. What there is no room for is left out.
 * @throws TactusError change_refused where it can't have this share
 */
export function withVersion(record: PublishedRecord, kept: KeptVersion, share: number): PublishedRecord {
  const versions = [...record.versions, kept];
  return trimmed(withShare({ ...record, latest: kept.version, versions }, kept.version, share));
}

/** @throws TactusError change_refused where it has no such version */
export function keptVersion(record: PublishedRecord, version: number): KeptVersion {
  const kept = versionOf(record, version);
  if (kept !== undefined) return kept;
  const { name, versions } = record;
  throw new TactusError(
    'change_refused',
    `${name} has no version ${version}: it has ${versions.map((each) => each.version).join(', ')}`,
  );
}

/**
 * Gives a version a share of the starts: all of them, which ends the trials, or a part, which puts it on trial.
 * @throws TactusError change_refused where it can't have it
 */
export function withShare(record: PublishedRecord, version: number, share: number): PublishedRecord {
  const { name } = record;
  keptVersion(record, version);
  if (share === 100) {
    const versions = record.versions.map(withoutTrial);
    return {
      ...record,
      versions,
      promoted: [...record.promoted.filter((each) => each !== version), version],
    };
  }
  assertHasOther(record);
  const { promoted } = record;
  if (promoted.at(-1) === version)
    throw new TactusError(
      'change_refused',
      `Version ${version} of ${name} takes the starts that no trial takes, so it has no share of its own`,
    );
  const versions = record.versions.map((each) =>
    each.version === version ? { ...each, trial: share } : each,
  );
  const trials = versions.filter(({ trial }) => trial !== undefined).length;
  if (trials > mostTrials)
    throw new TactusError('change_refused', `${name} has ${mostTrials} versions on trial, which is the most`);
  const taken = rounded(onTrial({ versions, promoted }));
  if (taken > 100)
    throw new TactusError('change_refused', `The trials of ${name} would take ${taken} % of the starts`);
  return { ...record, versions };
}

/** @throws TactusError change_refused where no version takes what a trial leaves */
export function assertHasOther({ name, promoted }: PublishedRecord): void {
  if (promoted.length === 0)
    throw new TactusError(
      'change_refused',
      `${name} has no version that could take the other starts: the first one is published without a share`,
    );
}

/**
 * Without starts for these versions. What takes none already stays as it is: an order that arrives twice, or beside another, goes
 * back once.
 * @throws TactusError change_refused where no version is left
 */
export function withoutStarts(record: PublishedRecord, ended: readonly number[]): PublishedRecord {
  const { name } = record;
  const versions = record.versions.map((each) => (ended.includes(each.version) ? withoutTrial(each) : each));
  const isEnded = ended.includes(record.promoted.at(-1) ?? 0);
  const promoted = isEnded ? record.promoted.filter((each) => !ended.includes(each)) : record.promoted;
  if (promoted.length === 0)
    throw new TactusError(
      'change_refused',
      `${name} has no version to go back to: promote one, or publish another`,
    );
  return { ...record, versions, promoted };
}

function withoutTrial({ trial: _, ...version }: KeptVersion): KeptVersion {
  return version;
}

/** The oldest versions that take no starts are left out where there are too many. */
function trimmed(record: PublishedRecord): PublishedRecord {
  const spare = record.versions.filter(
    ({ version }) => shareOf(record, version) === 0 && version !== record.promoted.at(-1),
  );
  const gone = new Set(spare.slice(0, Math.max(0, record.versions.length - mostVersions)));
  if (gone.size === 0) return record;
  const versions = record.versions.filter((each) => !gone.has(each));
  const promoted = record.promoted.filter((each) => versions.some(({ version }) => version === each));
  return { ...record, versions, promoted };
}
