import type { VNode } from 'preact';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { Shown } from '../../contract/runs/run-view.js';
import { GraphDrawing } from '../../page/runs/graph-drawing.js';
import type { DrawnGraph } from '../../page/runs/graph-layout.js';
import { Text } from '../../page/text/text.js';
import { AnswerField, RequestCard } from '../people/request-card.js';
import { LogList } from './log-list.js';
import type { RunView } from './run-host.js';
import type { RunRecord } from './run-record.js';
import { standingOf } from './standing.js';

/** What people do with a run. */
export interface RunActions {
  kill: () => void;
  resume: () => void;
  discard: () => void;
  answer: (position: Position, value: JsonValue) => string | null;
  skip: (position: Position) => void;
  fork: (at: Position) => void;
}

export interface RunPaneProps extends RunActions {
  record: RunRecord;
  view: RunView;
  /** Of the source of the run; null: it can't be drawn. */
  graph: DrawnGraph | null;
}

/** The run: how it is, what it waits for, what it came to, and its log. */
export function RunPane(props: RunPaneProps): VNode {
  const { view } = props;
  const { runId, forkedFrom } = props.record;
  const isOpen = view.status === 'running' || view.status === 'waiting';
  return (
    <section class="run" aria-label="Run">
      <header class="bar">
        <h2>
          {runId} <span class={`status ${view.status}`}>{view.status}</span>
        </h2>
        <div class="actions">
          {isOpen && (
            <button type="button" class="danger" onClick={props.kill}>
              Kill
            </button>
          )}
          {(view.status === 'killed' || view.error?.code === 'internal') && (
            <button type="button" class="primary" onClick={props.resume}>
              Resume
            </button>
          )}
          {!isOpen && (
            <button type="button" onClick={props.discard}>
              Discard
            </button>
          )}
        </div>
      </header>
      {forkedFrom !== null && (
        <p class="note">
          Forked from {forkedFrom.runId} at {forkedFrom.at}.
        </p>
      )}
      {view.status === 'killed' && (
        <p class="note">
          The engine is gone. Only the log is left, in your browser: reload the page if you like. Resume
          continues from the log and repeats no recorded call.
        </p>
      )}
      <p class="note">
        Model calls paid so far: <strong data-model-calls>{view.modelCalls}</strong>
      </p>
      <Waits {...props} />
      {view.status === 'completed' && <Ended title="Output" text={JSON.stringify(view.output, null, 2)} />}
      {view.error !== null && <Failed error={view.error} />}
      {view.shown.length > 0 && <Ended title="Printed" text={view.shown.map(lineOf).join('\n')} />}
      {Object.keys(view.state).length > 0 && (
        <Ended title="State" text={JSON.stringify(view.state, null, 2)} />
      )}
      {view.log.length > 0 && (
        <LogList
          {...{ log: view.log, replayed: view.replayed, forkPositions: view.forkPositions, fork: props.fork }}
        />
      )}
      {props.graph !== null && (
        <section class="drawing" aria-label="Graph">
          <h3>Graph</h3>
          <GraphDrawing graph={props.graph} standing={standingOf(view)} />
        </section>
      )}
    </section>
  );
}

function Waits({ view, answer, skip }: RunPaneProps): VNode {
  return (
    <>
      {view.waits.map((wait) => (
        <div key={wait.position}>
          {wait.kind === 'model' && <p class="note">The scripted model answers {wait.name} …</p>}
          {wait.kind === 'person' && (
            <RequestCard
              position={wait.position}
              ask={wait.ask}
              answer={(value) => answer(wait.position, value)}
            />
          )}
          {wait.kind === 'event' && (
            <section class="request" aria-label={`Event ${wait.name}`}>
              <h3>
                <Text text={`Waits for the event ${wait.name}`} />
              </h3>
              <AnswerField
                isText={false}
                label="Value"
                decide={(value) => void answer(wait.position, value)}
              />
            </section>
          )}
          {wait.endsAt !== null && wait.kind !== 'model' && (
            <p class="note">
              Until {new Date(wait.endsAt).toLocaleString()}.{' '}
              <button type="button" class="small" onClick={() => skip(wait.position)}>
                Skip the time
              </button>
            </p>
          )}
        </div>
      ))}
    </>
  );
}

function Ended({ title, text }: { title: string; text: string }): VNode {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <pre>
        <Text text={text} />
      </pre>
    </section>
  );
}

function Failed({ error }: { error: NonNullable<RunView['error']> }): VNode {
  const place = error.line === null ? '' : `${error.file ?? ''}:${error.line}\n`;
  return (
    <section class="problem" aria-label="Error">
      <h3>{error.code}</h3>
      <pre>
        <Text text={`${place}${error.message}`} />
      </pre>
    </section>
  );
}

function lineOf(shown: Shown): string {
  if (shown.kind === 'print') return shown.text;
  return shown.kind === 'log' ? `${shown.level}: ${shown.message}` : `warning: ${shown.message}`;
}
