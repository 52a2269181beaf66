import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { goTo, Heading, Link, useTitle } from '../shell/navigation.js';
import { useShortcuts } from '../shell/use-shortcuts.js';
import { useSession } from '../shell/session.js';
import { Card, Id, Json, Problem, Text, Time } from '../text/text.js';
import { RunError, RunFacts, RunPlan, RunWaits } from './run-facts.js';
import { RunSuperSteps, useSuperSteps } from '../graphs/super-steps.js';
import { RunGraph } from './run-graph.js';
import { readPass } from './read-pass.js';
import { RunPrinted, RunConversation, RunLog } from './run-output.js';
import { StatusBadge } from './run-link.js';
import { addTurnEvent, type StreamedTurn } from './streamed-turns.js';
import { ApiError, messageOf, type Api } from '../api/api.js';
import { followEvents } from '../api/event-stream.js';
import type { PrintedLine, Run } from '../api/shapes.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { LogEntryView, LogPage, PassView } from '../../contract/runs/run-view.js';
import type { StoredEvent } from '../../contract/streams/stream-event.js';

/** One run, while it goes and after. */
export function RunPlace({ id }: { id: string }): VNode {
  const { run, output, state, log, pass, printed, spoken, problem } = useRun(id);
  const steps = useSuperSteps(run, log);
  useShortcuts({ u: () => goTo('/runs') });
  useTitle(`Run ${id}`);
  return (
    <>
      <p class="crumbs">
        <Link to="/runs">Back to the runs</Link>
      </p>
      <Problem problem={problem} />
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
              <Id text={id} />
              <span>
                started <Time at={run.started_at} />
              </span>
            </p>
          </div>
          <RunError run={run} />
          <div class="columns">
            <div class="column-main">
              <RunWaits run={run} />
              {run.plan !== undefined && <RunPlan plan={run.plan} />}
              {run.status === 'completed' && (
                <Card title="Output">
                  <Json value={output} />
                </Card>
              )}
              {spoken.length > 0 && <RunConversation turns={spoken} />}
              <RunSuperSteps steps={steps} />
              <RunLog key={id} run={run} log={log} pass={pass} />
              <RunGraph run={run} log={log} steps={steps} />
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

/** Asks a run to end, when somebody has said so twice. */
function CancelRun({ id }: { id: string }): VNode | null {
  const { api, me } = useSession();
  const [step, setStep] = useState<'idle' | 'sure' | 'asked'>('idle');
  const [problem, setProblem] = useState<string | null>(null);
  if (!me.roles.includes('operate')) return null;
  const cancel = async (): Promise<void> => {
    setProblem(null);
    try {
      await api.cancel(id);
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
      <Problem problem={problem} />
    </section>
  );
}

interface FollowedRun {
  run: Run | null;
  output: JsonValue;
  state: JsonObject | null;
  log: LogEntryView[];
  /** The pass that the log begins with; null: the first one. */
  pass: PassView | null;
  printed: PrintedLine[];
  spoken: StreamedTurn[];
  problem: string | null;
}

const nothing: FollowedRun = {
  ...{ run: null, output: null, state: null, problem: null },
  ...{ log: [], pass: null, printed: [], spoken: [] },
};

/** A run while it goes: how it stands and what its agents say from its events, what grows from where it was read to. */
function useRun(id: string): FollowedRun {
  const { api } = useSession();
  const [followed, setFollowed] = useState<FollowedRun>(nothing);
  const update = (part: Partial<FollowedRun> | ((before: FollowedRun) => Partial<FollowedRun>)): void =>
    setFollowed((before) => ({ ...before, ...(typeof part === 'function' ? part(before) : part) }));
  const isOver = useRef(false);

  useEffect(() => {
    isOver.current = false;
    setFollowed(nothing);
    const reader = new RunReader(api, id, (part) => {
      if (!isOver.current) update(part);
    });
    const stop = followEvents(api.urlOf(`/runs/${encodeURIComponent(id)}/events`), {
      onEvent: ({ event, data }) => {
        if (event === 'status') {
          update({ run: data as Run, problem: null });
          reader.readOn(data as Run);
        } else if (event === 'stream')
          update(({ spoken }) => ({ spoken: addTurnEvent(spoken, data as StoredEvent) }));
      },
      onState: (state) => {
        // Of a run that isn't there the stream ends at once; why, the run's own path says.
        if (state === 'ended') reader.readOnce();
      },
      onSignedOut: api.onSignedOut,
    });
    return () => {
      isOver.current = true;
      stop();
    };
  }, [api, id]);
  return followed;
}

type Update = (part: Partial<FollowedRun> | ((before: FollowedRun) => Partial<FollowedRun>)) => void;

/** Reads what of a run has grown, one look at a time. */
class RunReader {
  private entries = 0;
  private lines = 0;
  private readonly names: { run: string };
  private isReading = false;
  private isBehind = false;

  constructor(
    private readonly api: Api,
    run: string,
    private readonly update: Update,
  ) {
    this.names = { run };
  }

  /** Once more after the look that is under way. */
  readOn(run: Run): void {
    if (this.isReading) {
      this.isBehind = true;
      return;
    }
    this.isReading = true;
    void this.read(run.closed_at !== null)
      .catch((error: unknown) => this.update({ problem: messageOf(error) }))
      .finally(() => {
        this.isReading = false;
        if (this.isBehind) {
          this.isBehind = false;
          this.readOn(run);
        }
      });
  }

  readOnce(): void {
    this.api.get('/runs/{run}', this.names).then(
      ({ output, state, ...run }) => {
        this.update({ run, output, state });
        this.readOn(run);
      },
      (error: unknown) =>
        this.update({ problem: error instanceof ApiError ? error.message : messageOf(error) }),
    );
  }

  private async read(isClosed: boolean): Promise<void> {
    for (let next: number | null = this.entries; next !== null;) {
      const page: LogPage = await this.api.get('/runs/{run}/log', this.names, { query: `from=${next}` });
      const missed = await this.missedBefore(page.pass);
      // Checkpoints have numbers that go on from pass to pass.
      this.entries = Math.max(this.entries, page.pass?.checkpoints ?? 0) + page.execution_log.length;
      this.update(({ log, pass }) => ({
        log: [...log, ...missed, ...page.execution_log],
        pass: log.length === 0 ? (page.pass ?? null) : pass,
        state: page.state,
      }));
      next = page.next;
    }
    const { shown, next } = await this.api.get('/runs/{run}/printed', this.names, {
      query: `from=${this.lines}`,
    });
    this.lines = next;
    if (shown.length > 0) this.update(({ printed }) => ({ printed: [...printed, ...shown] }));
    if (!isClosed) return;
    const { output, state } = await this.api.get('/runs/{run}', this.names);
    this.update({ output, state });
  }

  /** What passes that ended since the last look have recorded after it. */
  private async missedBefore(newest: PassView | undefined): Promise<LogEntryView[]> {
    const missed: LogEntryView[] = [];
    let pass = newest ?? null;
    // Before the first look, nothing is missed: earlier passes are shown when somebody wants them.
    while (this.entries > 0 && pass?.execution !== undefined && pass.checkpoints > this.entries) {
      const before = await readPass(this.api, this.names.run, pass, this.entries);
      missed.unshift(...before.log);
      ({ pass } = before);
    }
    return missed;
  }
}
