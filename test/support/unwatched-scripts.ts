import { Script, type Context, type RunningScriptOptions } from 'node:vm';

/** What the SDK sets where nothing is to end the code of a workflow, as in a replay: the longest that there is. */
const unlimitedMs = 4_294_967_295;
let areUnwatched = false;

/** Node begins a thread for each limit, at each step of a workflow. Where the limit is none, that is a fifth of the work of a replay. */
export function unwatchScripts(): void {
  if (areUnwatched) return;
  areUnwatched = true;
  const run = Reflect.get<Script, 'runInContext'>(Script.prototype, 'runInContext');
  Script.prototype.runInContext = function (context: Context, options?: RunningScriptOptions): unknown {
    const { timeout, ...others } = options ?? {};
    return run.call(this, context, timeout === unlimitedMs ? others : options);
  };
}
