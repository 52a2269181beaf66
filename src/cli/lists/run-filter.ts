import { Option, type Command } from 'commander';
import { runStatuses } from '../../contract/runs/run-view.js';
import { TactusError } from '../../contract/errors.js';
import type { RunCountFilter } from '../../read-model/run-index.js';
import { readDuration } from '../terminal/flag-values.js';

export interface RunFilterFlags {
  status?: string;
  procedure?: string;
  prefix?: string;
  open?: boolean;
  since?: string;
  until?: string;
}

/** The flags that leave runs out. */
export function runFilters(command: Command): Command {
  return command
    .addOption(new Option('--status <status>', 'only runs with this status').choices([...runStatuses]))
    .option('--procedure <name>', 'only runs of this procedure')
    .option('--prefix <text>', 'only runs whose id begins with this text')
    .option('--open', 'only runs that have not ended')
    .option('--since <time>', 'only runs started at this time or later: a date, or an age such as 24h or 7d')
    .option('--until <time>', 'only runs started before that');
}

/**
 * What the flags leave; `now` in ms since 1970.
 * @throws TactusError usage of what is no time
 */
export function runFilter(flags: RunFilterFlags, now: number): RunCountFilter {
  const { status, procedure, prefix, open = false, since, until } = flags;
  return {
    ...{ status, procedure, prefix, isOpen: open },
    since: since === undefined ? undefined : readTime(since, '--since', now),
    until: until === undefined ? undefined : readTime(until, '--until', now),
  };
}

function readTime(text: string, flag: string, now: number): string {
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(date)) return new Date(date).toISOString();
  try {
    return new Date(now - readDuration(text, flag)).toISOString();
  } catch {
    throw new TactusError(
      'usage',
      `${flag} must be a date such as 2026-11-01 or 2026-11-01T08:00Z, or a duration such as 24h or 7d, not ${JSON.stringify(text)}`,
    );
  }
}
