import type { VNode } from 'preact';
import type { ProofResult } from '../../contract/changes/proof.js';
import { Text } from '../../page/text/text.js';

export interface ChangeCardProps {
  /** null: the edited source was not tried yet. */
  verdict: ProofResult | null;
  tryIt: () => void;
  continueWith: () => void;
}

/** The file differs from the source of the run: whether the run can continue with it. */
export function ChangeCard({ verdict, tryIt, continueWith }: ChangeCardProps): VNode {
  return (
    <section class="change" aria-label="Edited file">
      <h3>You have edited the file of this run</h3>
      {verdict === null ? (
        <div class="actions">
          <button type="button" onClick={tryIt}>
            Try it against the log
          </button>
        </div>
      ) : (
        <>
          <p role="status" class={verdict.verdict === 'fits' ? 'good' : 'problem'}>
            <strong>{verdict.verdict}</strong> <Text text={reasonOf(verdict)} />
          </p>
          {verdict.verdict === 'fits' && (
            <div class="actions">
              <button type="button" class="primary" onClick={continueWith}>
                Continue this run with it
              </button>
            </div>
          )}
        </>
      )}
    </section>
  );
}

function reasonOf({ verdict, kept, diverges, failed, changed, open }: ProofResult): string {
  if (verdict === 'diverges') return diverges?.message ?? 'The procedure takes another way.';
  if (verdict === 'failed') return failed?.message ?? 'The procedure fails.';
  const anew = Object.values(open).filter((fate) => fate !== 'kept').length;
  return [
    `${kept} recorded ${kept === 1 ? 'result is' : 'results are'} kept.`,
    ...(changed.length > 0
      ? [`Changed settings: ${changed.flatMap(({ settings }) => settings).join(', ')}.`]
      : []),
    ...(anew > 0 ? ['What the run waits for is asked anew.'] : []),
  ].join(' ');
}
