import type { ErrorCode } from '../errors.js';
import type { JsonValue } from '../json/json.js';

export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** What a procedure showed, numbered from 0 through the whole run, so that a reader sees each line once. */
export type Shown = Line | ({ kind: 'warning' } & Warning);

/** What it said itself. */
export type Line =
  { kind: 'print'; text: string } | { kind: 'log'; level: LogLevel; message: string; context: JsonValue };

/** What a run does that its author should know of, told once for a line. `message` has several lines. */
export type Warning = {
  code: ErrorCode;
  message: string;
  file: string | null;
  line: number | null;
};
