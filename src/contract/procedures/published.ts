import { drawn } from '../scores/experiment.js';
import { TactusError } from '../errors.js';
import { isObject, jsonAs, type JsonValue } from '../json/json.js';

/** A version of a procedure that the cluster keeps under a name. */
export interface PublishedVersion {
  /** 1 for the first one of the name; no number is given twice. */
  version: number;
  /** `sha256:…` of its source. */
  digest: string;
  /** How many of the runs that are started by the name begin with it, in per cent. */
  share: number;
  /** ISO 8601 in UTC. */
  published_at: string;
  /** Who published it; null: nobody was named. */
  by: string | null;
}

export interface PublishedProcedure {
  name: string;
  /** The oldest first. */
  versions: PublishedVersion[];
}

/** Which version a run was started with, and what share the version had then, in per cent. */
export interface PublishedAs {
  name: string;
  version: number;
  share: number;
}

/** Which version a run has, as people read it. */
export function versionText({ version, share }: PublishedAs): string {
  return `version ${version} (${share} %)`;
}

export function isPublishedAs(given: unknown): given is PublishedAs {
  const { name, version, share } = (given ?? {}) as Partial<Record<keyof PublishedAs, unknown>>;
  return typeof name === 'string' && typeof version === 'number' && typeof share === 'number';
}

export interface KeptVersion extends Omit<PublishedVersion, 'share'> {
  /** Id of the workflow whose start has the source. */
  source: string;
  /** Its share in per cent while it is on trial; left out: it is not. */
  trial?: number;
}

/** What is known of a name: the state of its workflow, and its memo, which is read without a worker. */
export interface PublishedRecord {
  name: string;
  /** The highest number that was given. */
  latest: number;
  /** The oldest first. */
  versions: KeptVersion[];
  /** Versions that took or take what trials leave of the starts: the last one does, and a rollback goes back to the one before. */
  promoted: number[];
}

/** Key of the memo. */
export const publishedMemo = 'tactus_published';

const longestName = 200;

/** Names come from whoever can start a run: nothing that could lead out of a folder. */
const namePattern = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

/** `review` of `review` and of `review.tac`; null where no procedure can be called so. */
export function procedureNameOf(given: string): string | null {
  const name = given.replace(/\.tac$/, '');
  return namePattern.test(name) ? name : null;
}

/** @throws TactusError usage where nothing can be published under this name */
export function publishedNameOf(given: string): string {
  const name = procedureNameOf(given);
  if (name === null || name.length > longestName)
    throw new TactusError(
      'usage',
      `${JSON.stringify(given.slice(0, longestName))} is no name of a procedure: letters, digits, "_", "-", "." and "/" between, ${longestName} at most`,
    );
  return name;
}

/** The id of the workflow of a name. */
export function publishedWorkflowId(name: string): string {
  return `tactus-published/${name}`;
}

/** The id of the workflow of a source. */
export function publishedSourceId(order: string): string {
  return `tactus-published-source/${order}`;
}

/** Reads the memo of such a workflow; null where it has none. */
export function readPublishedRecord(memo: Record<string, unknown> | undefined): PublishedRecord | null {
  const record = memo?.[publishedMemo] as JsonValue | undefined;
  return isObject(record) ? jsonAs<PublishedRecord>(record) : null;
}

/** As it is shown. */
export function publishedView({ name, ...record }: PublishedRecord): PublishedProcedure {
  const versions = record.versions.map(({ version, digest, published_at, by }) => ({
    version,
    digest,
    share: shareOf(record, version),
    published_at,
    by,
  }));
  return { name, versions };
}

type Shares = Pick<PublishedRecord, 'versions' | 'promoted'>;

/** In per cent. */
export function shareOf(record: Shares, version: number): number {
  const { trial } = versionOf(record, version) ?? {};
  if (trial !== undefined) return trial;
  return record.promoted.at(-1) === version ? rounded(100 - onTrial(record)) : 0;
}

export function versionOf({ versions }: Shares, version: number): KeptVersion | undefined {
  return versions.find((each) => each.version === version);
}

/** What all trials take together, in per cent. */
export function onTrial({ versions }: Shares): number {
  return versions.reduce((sum, { trial = 0 }) => sum + trial, 0);
}

/** Two decimals: sums of shares have no others. */
export function rounded(share: number): number {
  return Math.round(share * 100) / 100;
}

/** The version that a run of this id begins with: always the same one while the shares are; null where there is none. */
export function versionFor(
  record: PublishedRecord,
  runId: string,
): { kept: KeptVersion; as: PublishedAs } | null {
  const { name, versions } = record;
  // A number from 0 up to 100, so that two names draw on their own.
  let left = drawn(`${name}\n${runId}`) * 100;
  const tried = versions.find(({ trial = 0 }) => (left -= trial) < 0);
  const kept = tried ?? versionOf(record, record.promoted.at(-1) ?? 0);
  if (kept === undefined) return null;
  return { kept, as: { name, version: kept.version, share: shareOf(record, kept.version) } };
}
