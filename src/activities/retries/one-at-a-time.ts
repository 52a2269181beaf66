import { untilAborted } from './until-aborted.js';

/** Runs work one after the other, in order of arrival. What is aborted while it waits gives its place up. */
export type Queue = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work, signal) => {
    const previous = last;
    const outcome = untilAborted(previous, signal).then(work);
    // Whoever gives up while waiting must not let the next one pass those before.
    last = Promise.allSettled([previous, outcome]);
    return outcome;
  };
}
