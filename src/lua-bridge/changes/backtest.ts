import type { Divergence } from '../../contract/changes/proof.js';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import type { NamedCheckpoint, RunError } from '../../contract/errors.js';
import { canonicalJson } from '../../contract/json/json.js';
import type { ProgramEnd } from './program-end.js';
import { Proof, type ProofOptions } from './proof.js';

/** What the log of a run says of another source. `before`: how the run ends with its own one. */
export type BacktestFinding =
  | { verdict: 'same' }
  | { verdict: 'differs'; before: ProgramEnd; after: ProgramEnd }
  | (Omit<Divergence, 'expected'> & { verdict: 'diverges'; expected: NamedCheckpoint | null })
  | {
      verdict: 'failed';
      error: RunError;
      /** Of the first checkpoint that it doesn't get to; null: it gets by all of them. */
      position: Position | null;
      before: ProgramEnd | null;
    };

/**
 * Runs another source by the whole log of a run, and compares how both end. Nothing is performed: where the source asks for something
 * that isn't recorded, it diverges.
 *
 * Owns: the proof.
 * Asks: nobody. Its host calls `advance` until it gives the finding.
 */
export class Backtest {
  private readonly proof: Proof;

  constructor(private readonly options: Pick<ProofOptions, 'log' | 'before' | 'after'>) {
    this.proof = new Proof({ ...options, open: [] });
  }

  /** Goes on for a slice of instructions; null: there is more to do. */
  advance(): BacktestFinding | null {
    const result = this.proof.advance();
    if (result === null) return null;
    const { diverges, failed, kept } = result;
    const { before, after } = this.proof.ends;
    const position = this.options.log[kept]?.position ?? null;
    // What the run itself doesn't replay by says nothing of another source.
    if (before?.error?.code === 'non_determinism')
      return { verdict: 'failed', error: before.error, position, before };
    if (diverges !== null) return { verdict: 'diverges', ...diverges };
    const hasFailedToo = before?.status === 'failed' && position === null;
    if (failed !== null && !hasFailedToo) return { verdict: 'failed', error: failed, position, before };
    const beyond = failed === null ? this.proof.beyond() : null;
    if (beyond !== null) return { verdict: 'diverges', ...beyond };
    if (before === null || after === null || isSameEnd(before, after)) return { verdict: 'same' };
    return { verdict: 'differs', before, after };
  }
}

/** Where an error was raised is not how a run ends: an edit moves lines. */
export function isSameEnd(before: ProgramEnd, after: ProgramEnd): boolean {
  return textOf(before) === textOf(after);
}

function textOf({ status, output, state, error }: ProgramEnd): string {
  return canonicalJson([status, output, state, error === null ? null : [error.code, withoutLine(error)]]);
}

/** Lua puts the line before what a procedure raises. */
function withoutLine({ message, file, line }: RunError): string {
  const place = `${file}:${line}: `;
  return message.startsWith(place) ? message.slice(place.length) : message;
}
