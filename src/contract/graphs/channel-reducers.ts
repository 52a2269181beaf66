import type { Intent } from './super-step.js';

/** A reducer that needs no worker. */
export type KnownReducer = { kind: 'last' } | { kind: 'append'; most: number | null; isOutbox?: true };

const kindKey: unique symbol = Symbol.for('tactus-temporal/reducer');

/** @param reduce a function of its own: it is marked */
function known<F extends object>(kind: KnownReducer, reduce: F): F {
  return Object.assign(reduce, { [kindKey]: kind });
}

/** What kind of reducer the function is; null: one of its author's. */
export function reducerKind(reducer: object): KnownReducer | null {
  return (reducer as { [kindKey]?: KnownReducer })[kindKey] ?? null;
}

/** How what is written to a channel becomes its value. It only computes, and gives the same for the same. */
export type ChannelReducer<T> = (current: T | undefined, update: T) => T;

/** Makes the reducer of a list: what is written is a list, whose items come after those that are there. */
export function appendReducer<T>(): ChannelReducer<T[]> {
  return known({ kind: 'append', most: null }, (current: T[] | undefined, update: T[]) =>
    append(current, update),
  );
}

function append<T>(current: T[] | undefined, update: T[]): T[] {
  return [...(current ?? []), ...update];
}

/** Makes the reducer of a channel that has what was written last. */
export function lastWriteWinsReducer<T>(): ChannelReducer<T> {
  return known({ kind: 'last' }, (_current: T | undefined, update: T) => update);
}

/**
 * Makes a reducer as `appendReducer`, which keeps the newest items alone.
 * @param maxWindow so many
 * @throws TypeError where that is no integer from 1 on
 */
export function boundedMessagesReducer<T = unknown>(maxWindow: number): ChannelReducer<T[]> {
  if (!Number.isInteger(maxWindow) || maxWindow < 1)
    throw new TypeError(`boundedMessagesReducer(${maxWindow}): an integer from 1 on expected`);
  return known({ kind: 'append', most: maxWindow }, (current: T[] | undefined, update: T[]) =>
    append(current, update).slice(-maxWindow),
  );
}

/** Reducers of channels that conversations have. What is written to `intents` is sent, too. */
export const CanonicalChannels = {
  messages: boundedMessagesReducer(50),
  toolResults: appendReducer<{ toolCallId: string; result: string }>(),
  intents: known(
    { kind: 'append', most: null, isOutbox: true },
    (current: Intent[] | undefined, update: Intent[]) => append(current, update),
  ),
  resumePayload: lastWriteWinsReducer<unknown>(),
};
