import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Line, LogLevel } from '../../contract/runs/run-view.js';
import { Library, toJson, type Bridge } from '../kernel/index.js';

const levels: Record<string, LogLevel> = {
  info: 'info',
  warning: 'warning',
  error: 'error',
  critical: 'error',
};

/** `System.alert{message, level, source, context}`: a line of the log that whoever watches the run should see. */
export function openSystem(bridge: Bridge): void {
  system.open(bridge);
}

const system = new Library('System', ({ show, scheduler }) => ({
  alert: (thread) => {
    show(scheduler.notes.guard(thread, () => alertOf(toJson(thread, 1))));
    return 0;
  },
}));

/** @throws TactusError lua_error where there is no such level */
function alertOf(given: JsonValue): Line {
  const options: JsonObject = isObject(given) ? given : { message: given ?? 'Alert' };
  const { message = 'Alert', level: name = 'info', source, context = null } = options;
  const level = typeof name === 'string' ? getOwn(levels, name.toLowerCase()) : undefined;
  if (level === undefined)
    throw new TactusError(
      'lua_error',
      `System.alert: the level must be one of ${Object.keys(levels).join(', ')}, got ${JSON.stringify(name)}`,
    );
  return {
    kind: 'log',
    level,
    message: typeof message === 'string' ? message : JSON.stringify(message),
    context: source === undefined ? context : { source, context },
  };
}
