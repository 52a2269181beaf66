import type { LogLevel } from '../../contract/runs/printed.js';
import { getOwn, type JsonObject } from '../../contract/json/json.js';
import type { Line } from '../../contract/runs/printed.js';
import { invalid, readMessage, readMetadata } from './human-fields.js';

const levels: Record<string, LogLevel> = {
  debug: 'debug',
  info: 'info',
  success: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
  critical: 'error',
};

/** `Human.notify`: a line of the log, which nobody has to answer. */
export function toNotification(call: string, fields: JsonObject): Line {
  const message = readMessage(call, fields);
  const { level = 'info', context = null } = fields;
  const known = typeof level === 'string' ? getOwn(levels, level) : undefined;
  if (known === undefined)
    throw invalid(call, `needs info, warning or error as level, got ${JSON.stringify(level)}`);
  const metadata = readMetadata(call, fields);
  return {
    kind: 'log',
    level: known,
    message,
    context: metadata === undefined ? context : { ...metadata, context },
  };
}
