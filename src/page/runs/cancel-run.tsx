import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/api.js';
import { useSession } from '../shell/session.js';

/** Asks a run to end, when somebody has said so twice. */
export function CancelRun({ id }: { id: string }): VNode | null {
  const { api, me } = useSession();
  const [step, setStep] = useState<'idle' | 'sure' | 'asked'>('idle');
  const [problem, setProblem] = useState<string | null>(null);
  if (!me.roles.includes('operate')) return null;
  const cancel = async (): Promise<void> => {
    setProblem(null);
    try {
      await api.post(`/runs/${encodeURIComponent(id)}/cancel`, {});
      setStep('asked');
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <section class="card" aria-label="Cancel">
      {step === 'idle' && (
        <button type="button" onClick={() => setStep('sure')}>
          Cancel the run
        </button>
      )}
      {step === 'sure' && (
        <>
          <p>The run is asked to end, and cleans up first. What it has done stays done.</p>
          <div class="decide">
            <button type="button" class="danger" onClick={() => void cancel()}>
              Yes, cancel it
            </button>
            <button type="button" onClick={() => setStep('idle')}>
              Let it go on
            </button>
          </div>
        </>
      )}
      {step === 'asked' && <p role="status">It is asked to end.</p>}
      {problem !== null && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
