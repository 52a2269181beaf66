/**
 * The SDK keeps, for each promise of a workflow, the stack that it was made on, for the query `__stack_trace`. A procedure's
 * place is told by its log, and what the SDK keeps says nothing of Lua; it takes a quarter of the time of a replay.
 *
 * The SDK has no option for it, and its hook runs in threads of its own. What it asks of a promise it asks by code that it gives
 * the sandbox's `Function`, reached from the promise: `promise.constructor.constructor('return globalThis.Error')()`. Here that
 * code is known and answered at once, with an error without a stack, which the hook doesn't keep. Were the SDK to ask in other words,
 * its questions would be answered as before, and traces be kept again: a test of the query says so.
 */

/** What `__stack_trace` answers where nothing is kept. */
const leftOut =
  'Stack traces are off. To turn them on: worker.stack_traces: true, or TactusPlugin({ stackTraces: true }).';

/** Code that stands before that of workflows, in their sandbox; on their first line, as a source map counts lines. */
export const withoutStackTraces = `(${leaveOut.toString()})(${JSON.stringify(leftOut)}); `.replaceAll(
  /\n\s*/g,
  ' ',
);

/** What the SDK has in the sandbox for the run that is under way, as far as it is used here. */
interface Activator {
  info: { runId: string };
  promiseStackStore: {
    childToParent: Map<object, Set<object>>;
    promiseToStack: Map<object, { formatted: string; structured: unknown[] }>;
  };
}

/** Runs in the sandbox: reaches nothing outside of itself. */
function leaveOut(note: string): void {
  const nothing = { delete: () => false };
  /** What the hook sees for the run that is under way. Whom an unhandled rejection belongs to is asked here too. */
  const activator = {
    info: {
      get runId(): string | undefined {
        const real = Reflect.get(globalThis, '__TEMPORAL_ACTIVATOR__') as Activator | undefined;
        if (real?.promiseStackStore.childToParent.size === 0) {
          real.promiseStackStore.childToParent.set(nothing, new Set());
          real.promiseStackStore.promiseToStack.set(nothing, { formatted: note, structured: [] });
        }
        return real?.info.runId;
      },
    },
    promiseStackStore: { childToParent: nothing, promiseToStack: nothing },
  };
  class ErrorWithoutStack {}
  const known = new Map<string, () => unknown>([
    ['return globalThis.__TEMPORAL_ACTIVATOR__', () => activator],
    ['return globalThis.Error', () => ErrorWithoutStack],
  ]);
  const make = Promise.constructor as FunctionConstructor;
  Object.defineProperty(Promise, 'constructor', {
    value: (code: string) => known.get(code) ?? make(code),
  });
}
