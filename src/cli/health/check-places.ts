import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, statSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readIndexAddress } from '../../contract/lists/index-address.js';
import { storageKind, storagePath } from '../../contract/storage/storage-place.js';
import { openPayloadStore } from '../../worker/payloads/index.js';
import { serverFolder } from '../../worker/server/index.js';
import type { CommonOptions } from '../command.js';
import { isPayloadBucket, payloadsVariable } from '../../contract/payloads/payload-place.js';
import { filesFolder, indexPlace, storagePlace } from '../configure.js';
import { payloadsPlace } from '../payloads/codecs.js';
import { toCommandError } from '../terminal/to-command-error.js';

/** Less room than this is soon used up: by the database of a server, by files of procedures. */
const fewBytes = 200_000_000;
const fewFiles = 1_000;
/** What any of them writes at least. */
const probeBytes = 65_536;

interface Place {
  name: string;
  path: string;
  /** How bad it is that nothing can be written there. */
  ifBroken: Check['status'];
}

/**
 * Whether what is written can be written: in the working folder, where the embedded server, procedures and payloads keep their files, in the folders of
 * the storage and of the index, and in the folder for temporary ones. A file is written there for a moment.
 */
export function checkPlaces(options: CommonOptions, isEmbedded: boolean): Check[] {
  let files;
  try {
    files = filesFolder(options).path;
  } catch (error) {
    const { message } = toCommandError(error);
    return [
      { name: 'files folder', status: 'broken', detail: message, advice: 'name another one with --files' },
    ];
  }
  const payloads = payloadsPlace(options);
  const ifMissing = isEmbedded ? 'broken' : 'warning';
  const cwd = process.cwd();
  const places: Place[] = [
    { name: 'working folder', path: cwd, ifBroken: ifMissing },
    { name: "server's folder", path: serverFolder(cwd).folder, ifBroken: ifMissing },
    { name: 'files folder', path: files, ifBroken: 'warning' },
    ...(payloads === null || isPayloadBucket(payloads)
      ? []
      : [{ name: 'payloads folder', path: payloads, ifBroken: 'broken' as const }]),
    ...recordPlaces(isEmbedded),
    { name: 'temporary folder', path: tmpdir(), ifBroken: 'broken' },
  ];
  return places.flatMap((place, i) => {
    const check = checkPlace(place);
    // What is well is said of the first alone, and what is wrong of one folder once.
    const isSaid = places.slice(0, i).some(({ path }) => nearest(path) === nearest(place.path));
    return i === 0 || (check.status !== 'ok' && !isSaid) ? [check] : [];
  });
}

/** Whether payloads can be kept in a bucket, where one is named: an object is there for a moment. */
export async function checkBucket(options: CommonOptions): Promise<Check[]> {
  const place = payloadsPlace(options);
  if (place === null || !isPayloadBucket(place)) return [];
  const name = 'payload store';
  const probe = `doctor-${randomUUID()}`;
  try {
    const store = openPayloadStore(place);
    // Who may not list is told that it may not read, too, where there is nothing.
    await store.list(probe);
    await store.put(probe, Buffer.from(probe));
    const kept = await store.get(probe).finally(() => store.remove(probe));
    if (Buffer.from(kept ?? []).toString() === probe)
      return [{ name, status: 'ok', detail: place, advice: null }];
    return [
      { name, status: 'broken', detail: `${place} gave back something else`, advice: 'use another bucket' },
    ];
  } catch (error) {
    const { message } = toCommandError(error);
    const advice = `correct ${payloadsVariable}, or allow s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket`;
    return [{ name, status: 'broken', detail: message, advice }];
  }
}

/** The folders of a storage and an index that are files of this machine. */
function recordPlaces(isEmbedded: boolean): Place[] {
  const storage = storagePlace(isEmbedded) ?? '';
  const path = storagePath(storage);
  const named = indexPlace(isEmbedded);
  const index = named === null ? null : readIndexAddress(named);
  const places: Place[] = [];
  if (path !== null) {
    const folder = storageKind(storage) === 'file' ? resolve(path) : dirname(resolve(path));
    places.push({ name: 'storage folder', path: folder, ifBroken: 'broken' });
  }
  if (index !== null && 'file' in index)
    places.push({ name: 'index folder', path: dirname(resolve(index.file)), ifBroken: 'broken' });
  return places;
}

function checkPlace({ name, path, ifBroken }: Place): Check {
  const there = nearest(path);
  const problem = writeProblem(there);
  if (problem !== null)
    return {
      ...{ name, status: ifBroken, detail: `${there} ${problem.detail}` },
      advice: problem.isFull
        ? 'make room on its disk'
        : 'let this user write there, go to another folder, or name a server with --address',
    };
  const room = roomIn(there);
  if (room === null) return { name, status: 'ok', detail: path, advice: null };
  if (room.bytes < fewBytes || room.files < fewFiles) {
    const left =
      room.bytes < fewBytes ? `${Math.floor(room.bytes / 1e6)} MB` : `room for ${room.files} files`;
    const detail = `${there} is on a disk that is nearly full: ${left} left`;
    return { name, status: 'warning', detail, advice: 'make room on its disk' };
  }
  return { name, status: 'ok', detail: `${path}, ${(room.bytes / 1e9).toFixed(1)} GB free`, advice: null };
}

/** The folder, or what it would be made in. */
function nearest(path: string): string {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  return isThere || dirname(path) === path ? path : nearest(dirname(path));
}

const diskFaults: Record<string, string> = {
  ...{ ENOSPC: 'is on a full disk', EDQUOT: "is on a disk whose quota is used up: it's full for this user" },
  ...{ EROFS: "is on a disk that can't be written (read-only)" },
};

/** What a permission promises, a disk may not keep: only a write tells. */
function writeProblem(folder: string): { detail: string; isFull: boolean } | null {
  const probe = join(folder, `.tactus-temporal-probe-${process.pid}`);
  try {
    const file = openSync(probe, 'wx');
    try {
      let left = probeBytes;
      while (left > 0) left -= writeSync(file, Buffer.alloc(left));
      fsyncSync(file);
    } finally {
      closeSync(file);
      unlinkSync(probe);
    }
    return null;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    return { detail: diskFaults[code] ?? `can't be written (${code})`, isFull };
  }
}

/** null where the system doesn't tell; a disk that doesn't count its files has room for any number. */
function roomIn(folder: string): { bytes: number; files: number } | null {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder);
    return { bytes: bavail * bsize, files: files === 0 ? Number.POSITIVE_INFINITY : ffree };
  } catch {
    return null;
  }
}

/** What `doctor` says of one thing that a run needs. */
export interface Check {
  name: string;
  status: 'ok' | 'warning' | 'broken';
  detail: string;
  /** What to do; null where nothing is. */
  advice: string | null;
}
