import { runFake } from '../support/fake-host.js';
import type { Ran } from './ran.js';

/** Runs a program in the bridge, against a host that has nothing to perform. */
export function runInBridge(source: string): Ran {
  const { program, ended } = runFake(source);
  return {
    printed: program.shown.flatMap((shown) => (shown.kind === 'print' ? [shown.text] : [])),
    error: ended?.kind === 'failed' ? ended.error.message : null,
  };
}
