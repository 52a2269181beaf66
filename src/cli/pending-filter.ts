import { Option, type Command } from 'commander';
import type { HumanRequest } from '../contract/human-request.js';
import { readDuration } from './read-duration.js';

/** An open request, and the procedure whose run asks it. */
export interface AskedRequest extends HumanRequest {
  procedure: string;
}

export interface PendingFlags {
  procedure?: string;
  kind?: string;
  for?: string;
  olderThan?: string;
  details?: boolean;
}

const kinds = ['approval', 'input', 'review', 'select', 'multiple', 'upload', 'escalation'];

/** The flags of `pending` that leave requests out. */
export function pendingFilters(command: Command): Command {
  return command
    .option('--procedure <name>', 'only what runs of this procedure ask')
    .addOption(new Option('--kind <kind>', 'only questions of this kind').choices(kinds))
    .option('--for <name>', 'only what this person may decide: by name, or where anybody may')
    .option('--older-than <duration>', 'only what was asked so long ago, such as 2h or 3d')
    .option('--details', 'with --json: whose run asks each, and since how many seconds');
}

/** @throws TactusError usage where the duration is none */
export function pendingFilter(flags: PendingFlags, now: number): (request: AskedRequest) => boolean {
  const { procedure, kind, for: person, olderThan } = flags;
  const latest = olderThan === undefined ? Infinity : now - readDuration(olderThan, '--older-than');
  return (request) =>
    (procedure === undefined || request.procedure === procedure) &&
    (kind === undefined || request.kind === kind) &&
    (person === undefined || request.approvers.length === 0 || request.approvers.includes(person)) &&
    Date.parse(request.created_at) <= latest;
}
