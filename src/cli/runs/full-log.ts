import type { Asked } from '../../client/runs/read-asked.js';
import type { JsonValue } from '../../contract/json/json.js';
import { askedWithoutThoughts } from '../../contract/agents/without-thoughts.js';
import type { LogEntryView, LogPage } from '../../contract/runs/run-view.js';

/** The log with all that was sent: `log --full --json`. */
export interface FullLog extends LogPage {
  /** What the run was started with. */
  input: JsonValue;
  task: string | null;
}

/** Gives each entry that asked for something its whole request: of a model call `{model, system, messages, tools, …}`. */
export function fullLog(log: LogPage, { started, effects }: Asked): FullLog {
  // As in the log itself: only where somebody has asked for the content.
  const areThoughtsShown = started.start.settings?.showContent === true;
  const whole = (entry: LogEntryView): LogEntryView => {
    const effect = effects.get(entry.position);
    if (effect === undefined) return entry;
    const { kind: _, ...request } = areThoughtsShown ? effect : askedWithoutThoughts(effect);
    // Effects of one field are that field.
    const [only, ...others] = Object.values(request) as JsonValue[];
    return { ...entry, request: others.length === 0 ? (only ?? null) : (request as JsonValue) };
  };
  return {
    ...log,
    input: started.start.input ?? {},
    task: started.start.task ?? null,
    execution_log: log.execution_log.map(whole),
  };
}
