import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { LogEntryView, PassView } from '../../contract/runs/run-view.js';
import { messageOf } from '../api/api.js';
import type { PrintedLine, Run } from '../api/shapes.js';
import { useSession } from '../shell/session.js';
import { durationText } from '../text/relative-time.js';
import { Card, ErrorText, Json, Problem, Text } from '../text/text.js';
import { readPass } from './read-pass.js';
import type { StreamedTurn } from './streamed-turns.js';

/** So many of the newest lines are shown. */
const mostLines = 500;

/** What the procedure has printed and logged, and what its author is warned of. */
export function RunPrinted({ lines }: { lines: readonly PrintedLine[] }): VNode {
  return (
    <Card title="Printed and logged" of="said">
      {lines.length > mostLines && (
        <p class="muted">
          The newest {mostLines} of {lines.length} lines.
        </p>
      )}
      <ol class="plain lines">
        {lines.slice(-mostLines).map((line, i) => (
          <li key={i}>
            {line.kind !== 'print' && (
              <span class={line.kind === 'log' && line.level !== 'error' ? 'badge' : 'badge warn'}>
                {line.kind === 'log' ? line.level : 'warning'}
              </span>
            )}{' '}
            <Text text={line.kind === 'print' ? line.text : line.message} />
            {line.kind === 'log' && line.context !== null && <Json value={line.context} depth={2} />}
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** What agents say and do, as it comes. */
export function RunConversation({ turns }: { turns: readonly StreamedTurn[] }): VNode {
  return (
    <Card title="What agents say" of="said" note="Written by models, live.">
      {turns.map(({ position, agent, parts, isDone, isBroken, lost }) => (
        <article key={position} class="turn" aria-busy={!isDone}>
          <h3>
            <Text text={agent} short={80} />
            <span class="mono muted">{position}</span>
            {!isDone && <span class="badge">writing …</span>}
            {isBroken && <span class="badge warn">interrupted</span>}
          </h3>
          {lost > 0 && <p class="muted">{lost} parts were lost here.</p>}
          {parts.map((part, i) =>
            part.type === 'text' ? (
              <p key={i}>
                <Text text={part.text} />
              </p>
            ) : (
              <details key={i}>
                <summary>
                  calls <code>{<Text text={part.tool} short={80} />}</code>
                </summary>
                <Json value={part.arguments} />
                {part.result !== null && (
                  <pre>
                    <Text text={part.result} />
                  </pre>
                )}
              </details>
            ),
          )}
        </article>
      ))}
    </Card>
  );
}

/** So many of the newest are shown before somebody asks for all. */
const shownFirst = 200;

/** The execution log as a timeline: each checkpoint with when it was, how long it took, and what came of it. */
interface RunLogProps {
  run: Run;
  log: readonly LogEntryView[];
  /** The pass that the log begins with; null: the first one. */
  pass: PassView | null;
}

export function RunLog({ run, log, pass }: RunLogProps): VNode {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? log : log.slice(-shownFirst);
  const from = new Date(run.started_at).getTime();
  const last = log.reduce((latest, { timestamp }) => Math.max(latest, new Date(timestamp).getTime()), from);
  const length = Math.max(1, (run.closed_at === null ? last : new Date(run.closed_at).getTime()) - from);
  return (
    <Card title="Timeline">
      {pass !== null && <EarlierPasses key={pass.number} run={run} pass={pass} from={from} length={length} />}
      {log.length === 0 && <p class="muted">Nothing recorded yet.</p>}
      {shown.length < log.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show {log.length - shown.length} earlier
        </button>
      )}
      <ol class="log">
        {shown.map((entry) => (
          <LogEntry key={entry.position} entry={entry} from={from} length={length} />
        ))}
      </ol>
    </Card>
  );
}

interface EarlierPassesProps {
  run: Run;
  /** The pass that follows them. */
  pass: PassView;
  from: number;
  length: number;
}

/** The logs of earlier passes of a run that began again, each when somebody wants it. */
function EarlierPasses({ run, pass, from, length }: EarlierPassesProps): VNode {
  const { api } = useSession();
  const [passes, setPasses] = useState<{ number: number; log: LogEntryView[] }[]>([]);
  const [next, setNext] = useState<PassView | null>(pass);
  const [problem, setProblem] = useState<string | null>(null);
  const [isReading, setReading] = useState(false);
  const read = async (of: PassView): Promise<void> => {
    setReading(true);
    setProblem(null);
    try {
      const { log, pass: before } = await readPass(api, run.run_id, of);
      setPasses([{ number: (before?.number ?? 0) + 1, log }, ...passes]);
      setNext(before);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setReading(false);
    }
  };
  return (
    <>
      {next?.execution !== undefined && (
        <button type="button" disabled={isReading} onClick={() => void read(next)}>
          Show earlier checkpoints
        </button>
      )}
      <Problem problem={problem} />
      {passes.map(({ number, log }) => (
        <section key={log[0]?.position} aria-label={`Pass ${number}`}>
          <h3>Pass {number}</h3>
          <ol class="log">
            {log.map((entry) => (
              <LogEntry key={entry.position} entry={entry} from={from} length={length} />
            ))}
          </ol>
        </section>
      ))}
      <h3>Pass {pass.number + 1}</h3>
    </>
  );
}

interface LogEntryProps {
  entry: LogEntryView;
  /** When the run began, in ms since 1970, and how long it has gone on. */
  from: number;
  length: number;
}

function LogEntry({ entry, from, length }: LogEntryProps): VNode {
  const [isOpen, setOpen] = useState(false);
  const { position, name, type, status, duration_ms, timestamp, input, result, error, source } = entry;
  const end = ((new Date(timestamp).getTime() - from) / length) * 100;
  const width = Math.max(1, (duration_ms / length) * 100);
  const depth = Math.min(4, Math.floor((position.split('.').length - 1) / 1));
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class={`log-line depth-${depth}`}>
          <span class="mono muted">{position}</span>
          <span class="log-name">
            <Text text={name} short={160} />
            <span class="log-type">{type.replaceAll('_', ' ')}</span>
            {status === 'failed' && <span class="badge bad">failed</span>}
          </span>
          <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect x="0" y="3.5" width="100" height="1" class="bar-line" />
            <rect
              x={Math.max(0, Math.min(99, end - width))}
              y="1"
              width={Math.min(100, width)}
              height="6"
              class={status === 'failed' ? 'bar-bad' : 'bar-part'}
            />
          </svg>
          <span class="log-time">{durationText(duration_ms)}</span>
        </summary>
        {isOpen && (
          <div class="log-more">
            {source !== null && (
              <p class="muted">
                <Text text={source.file} short={200} />, line {source.line}
              </p>
            )}
            <ErrorText text={error} />
            <h3>Asked</h3>
            <Json value={input} />
            <h3>Result</h3>
            <Json value={result} />
          </div>
        )}
      </details>
    </li>
  );
}
