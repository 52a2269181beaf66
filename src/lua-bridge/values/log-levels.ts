import type { LogLevel } from '../../contract/runs/printed.js';

/** The names that an author may give a level of the log. */
export const logLevels: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
};
