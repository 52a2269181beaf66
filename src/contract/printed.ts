import type { JsonValue } from './json.js';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof logLevels)[number];

/** What a procedure showed, numbered from 0 through the whole run, so that a reader sees each line once. */
export type Shown =
  { kind: 'print'; text: string } | { kind: 'log'; level: LogLevel; message: string; context: JsonValue };
