import type { ProofResult } from '../../contract/changes/proof.js';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { Proof } from '../../lua-bridge/index.js';
import { programOptions } from '../runs/run-host.js';
import type { RunRecord } from '../runs/run-record.js';

/**
 * Tries a changed source against the log of a run, as `upgrade` does. Nothing is performed.
 * @param open positions of what the run waits for
 */
export function trySource(
  record: RunRecord,
  source: ProcedureSource,
  open: readonly Position[],
): ProofResult {
  const before = programOptions(record);
  const after = { ...programOptions({ ...record, source }), carried: record.log };
  const proof = new Proof({ log: record.log, before, after, open, mayAskAnew: true });
  for (;;) {
    const result = proof.advance();
    if (result !== null) return result;
  }
}

/** The run as it continues with a source that fits its log. What is asked anew has all of its time again. */
export function withSource(
  record: RunRecord,
  source: ProcedureSource,
  { digests, open }: ProofResult,
): RunRecord {
  const log = record.log.map((each) => ({ ...each, digest: digests[each.position] ?? each.digest }));
  const ends = Object.entries(record.ends).filter(([position]) => open[position] === 'kept');
  return { ...record, source, log, ends: Object.fromEntries(ends) };
}
