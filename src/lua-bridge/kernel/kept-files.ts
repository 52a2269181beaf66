import { isWithin, type Position } from '../../contract/checkpoints/checkpoint.js';
import type { FileEffect } from '../../contract/files/file-effect.js';
import { currentFrame, type OpenTransaction } from '../scheduler/task.js';
import type { LuaState } from '../vm/fengari.js';
import type { Bridge, Step } from './bridge.js';
import { PerRun } from './kept.js';

/** A file that is put back as it was if its transaction fails. */
type KeptFile = Pick<FileEffect, 'path' | 'folder'>;

/** Transactions that have begun and not ended. A branch that is given up ends none: whoever gives it up does. */
const openTransactions = new PerRun(() => new Map<OpenTransaction, Map<string, KeptFile>>(), 'elsewhere');

export function beginKeeping(bridge: Bridge, transaction: OpenTransaction): void {
  openTransactions.of(bridge).set(transaction, new Map());
}

/**
 * Keeps a file as it is, before it is changed, for each transaction around: once in each. Branches that change the same file each ask for
 * it: a file that is kept already is left alone.
 */
export function* keepBeforeChange(
  bridge: Bridge,
  L: LuaState,
  file: KeptFile,
): Generator<Step, void, unknown> {
  const key = `${file.folder ?? ''}\n${file.path}`;
  for (let each = currentFrame(L).scope.transaction ?? null; each !== null; each = each.outer) {
    const files = openTransactions.of(bridge).get(each);
    if (files === undefined || files.has(key)) continue;
    yield ask('keep', each, file);
    files.set(key, file);
  }
}

/** Puts files back as they were when the transaction began, and ends it. */
export function* restoreFiles(bridge: Bridge, transaction: OpenTransaction): Generator<Step, void, unknown> {
  for (const file of taken(bridge, transaction).reverse()) yield ask('restore', transaction, file);
}

/** Forgets how files were, and ends the transaction: it has succeeded. */
export function* forgetFiles(bridge: Bridge, transaction: OpenTransaction): Generator<Step, void, unknown> {
  for (const file of taken(bridge, transaction)) yield ask('forget', transaction, file);
}

function taken(bridge: Bridge, transaction: OpenTransaction): KeptFile[] {
  const open = openTransactions.of(bridge);
  const files = [...(open.get(transaction)?.values() ?? [])];
  open.delete(transaction);
  return files;
}

/** Whether branches in this frame that were given up have left transactions open. */
export function hasOpenWithin(bridge: Bridge, position: Position): boolean {
  return openWithin(bridge, position).length > 0;
}

/** Puts files back as they were before those; the innermost first. */
export function* restoreWithin(bridge: Bridge, position: Position): Generator<Step, void, unknown> {
  for (const transaction of openWithin(bridge, position).reverse()) yield* restoreFiles(bridge, transaction);
}

function openWithin(bridge: Bridge, position: Position): OpenTransaction[] {
  return [...openTransactions.of(bridge).keys()].filter((each) => isWithin(each.position, position));
}

function ask(
  operation: 'keep' | 'restore' | 'forget',
  { position }: OpenTransaction,
  { path, folder }: KeptFile,
): Step {
  const effect: FileEffect = { kind: 'file', operation, path, transaction: position };
  if (folder !== undefined) effect.folder = folder;
  return { effect: { type: 'file', name: `${operation} ${path}`, effect } };
}
