import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { goTo, Heading, Link, useTitle } from '../shell/navigation.js';
import { useShortcuts } from '../shell/use-shortcuts.js';
import { useSession } from '../shell/session.js';
import { Json, Text, Time } from '../text/text.js';
import { RunError, RunFacts, RunWaits } from './run-facts.js';
import { RunGraph } from './run-graph.js';
import { RunLog } from './run-log.js';
import { RunPrinted, RunConversation } from './run-output.js';
import { StatusBadge } from './run-link.js';
import { useRun } from './use-run.js';
import { messageOf } from '../api/api.js';

/** One run, while it goes and after. */
export function RunPlace({ id }: { id: string }): VNode {
  const { run, output, state, log, printed, spoken, problem } = useRun(id);
  useShortcuts({ u: () => goTo('/runs') });
  useTitle(`Run ${id}`);
  return (
    <>
      <p class="crumbs">
        <Link to="/runs">Back to the runs</Link>
      </p>
      {problem !== null && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      {run === null && problem === null && <p class="loading">Loading …</p>}
      {run !== null && (
        <>
          <div class="head">
            <Heading>
              <Text text={run.procedure} short={120} />
              <span role="status">
                <StatusBadge status={run.status} />
              </span>
            </Heading>
            <p class="muted head-facts">
              <span class="mono">
                <Text text={id} short={120} />
              </span>
              <span>
                started <Time at={run.started_at} />
              </span>
            </p>
          </div>
          <RunError run={run} />
          <div class="columns">
            <div class="column-main">
              <RunWaits run={run} />
              {run.status === 'completed' && (
                <Card title="Output">
                  <Json value={output} />
                </Card>
              )}
              {spoken.length > 0 && <RunConversation turns={spoken} />}
              <RunLog run={run} log={log} />
              <RunGraph run={run} log={log} />
              {printed.length > 0 && <RunPrinted lines={printed} />}
            </div>
            <aside class="column-side" aria-label="About this run">
              <RunFacts run={run} id={id} />
              <Card title="State">
                {state === null || Object.keys(state).length === 0 ? (
                  <p class="muted">The state is empty.</p>
                ) : (
                  <Json value={state} />
                )}
              </Card>
              {run.closed_at === null && <CancelRun id={id} />}
            </aside>
          </div>
        </>
      )}
    </>
  );
}

function Card({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Asks a run to end, when somebody has said so twice. */
function CancelRun({ id }: { id: string }): VNode | null {
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
          <p>The run stops after its cleanup. Completed work is not undone.</p>
          <div class="decide">
            <button type="button" class="danger" onClick={() => void cancel()}>
              Yes, cancel it
            </button>
            <button type="button" onClick={() => setStep('idle')}>
              Keep it running
            </button>
          </div>
        </>
      )}
      {step === 'asked' && <p role="status">Cancellation requested.</p>}
      {problem !== null && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
