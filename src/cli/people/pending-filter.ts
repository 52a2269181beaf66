import { Option, type Command } from 'commander';
import type { HumanRequestKind } from '../../contract/people/human-request.js';
import type { WantedFilter } from '../../read-model/is-wanted.js';
import type { IndexedRequest } from '../../read-model/run-index.js';
import { readDuration } from '../terminal/read-duration.js';

export type AskedRequest = IndexedRequest;

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
    .option('--procedure <name>', 'only what runs of this procedure ask')
    .addOption(new Option('--kind <kind>', 'only questions of this kind').choices(kinds))
    .option('--for <name>', 'only what this person may decide: by name, or where anybody may')
    .option('--text <words>', 'only where the message says this somewhere, in capitals or not')
    .option('--older-than <duration>', 'only what was asked so long ago, such as 2h or 3d')
    .option('--fresh', 'ask the runs, not the index')
    .option('--details', 'with --json: whose run asks each, and since how many seconds');
}

/** What the flags leave, in words of the index. @throws TactusError usage where the duration is none */
export function pendingFilter(flags: PendingFlags, now: number): WantedFilter {
  const { procedure, kind, for: approver, text, olderThan } = flags;
  const latest = olderThan === undefined ? null : now - readDuration(olderThan, '--older-than');
  const askedBefore = latest === null ? undefined : new Date(latest).toISOString();
  return { procedure, kind: kind as HumanRequestKind | undefined, approver, text, askedBefore };
}
