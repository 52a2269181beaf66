import { setTimeout as delay } from 'node:timers/promises';
import { describeRun, endOf, type RunReport, viewRun } from '../../client/index.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import type { StreamReader } from '../../streams/run-streams.js';
import { askingOf, type ServedNamespace } from '../served-namespace.js';

/** How often the server is asked whether a run has moved; no worker is asked for that, and nothing is put into history. */
const lookEveryMs = 500;

/** What of a stream was seen: up to which offset, and whether to the run's end. */
export interface SeenEvents {
  offset: number;
  ended: boolean;
}

/** `<offset>` or `<offset>.end`. @throws TactusError usage */
export function readLastEventId(text: string | undefined): SeenEvents {
  const [, offset, ended] = /^(\d{1,15})(\.end)?$/.exec(text ?? '0') ?? [];
  if (offset === undefined)
    throw new TactusError('usage', 'Last-Event-ID is not the id of an event of this stream');
  return { offset: Number(offset), ended: ended !== undefined };
}

export interface FollowedRun {
  namespace: ServedNamespace;
  runId: string;
  streams: StreamReader | null;
  seen: SeenEvents;
  signal: AbortSignal;
}

/**
 * A run as it goes: `status` whenever it has moved, first as it stands; `stream` for what its agents say and do, each with
 * its offset; `end` when it has closed and all is told. Only what is `stream` has a place of its own to go on from: how the
 * run stands is told anew to whoever comes again.
 */
export async function followRun(
  { namespace, runId, streams, seen, signal }: FollowedRun,
  send: (event: ServerEvent) => Promise<void>,
): Promise<void> {
  let { offset } = seen;
  let isClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (isClosed = resolve));
  const text = async (): Promise<void> => {
    if (streams === null) return;
    for await (const { offset: at, event } of streams.read(runId, { after: offset, until: closed, signal })) {
      offset = at;
      await send({ event: 'stream', id: String(at), data: { offset: at, event } });
    }
  };
  const status = async (): Promise<void> => {
    await followStatus(namespace, runId, signal, (report) =>
      send({ event: 'status', data: shortReport(report) }),
    );
    isClosed();
  };
  await Promise.all([text(), status().finally(isClosed)]);
  if (!signal.aborted) await send({ event: 'end', id: `${offset}.end`, data: { run_id: runId } });
}

/** Tells how the run stands, whenever it has moved, until it has closed. */
async function followStatus(
  namespace: ServedNamespace,
  runId: string,
  signal: AbortSignal,
  tell: (report: RunReport) => Promise<void>,
): Promise<void> {
  const run = namespace.tactus.attach(runId);
  const asking = askingOf(namespace);
  let told = '';
  while (!signal.aborted) {
    try {
      const { runId: execution, historyLength, status } = await asking.look(() => describeRun(run));
      const at = `${execution} ${historyLength} ${status.name}`;
      if (at !== told) {
        await tell(await viewRun(run, asking));
        told = at;
      }
      if (endOf(status.name) !== null) return;
    } catch (error) {
      // Who looks on waits until the worker or the server is there again; a run that is gone isn't coming back.
      if (hasCode(error, 'run_not_found')) throw error;
    }
    await delay(lookEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

/** What may be large is read by itself. */
function shortReport({
  output: _output,
  state: _state,
  printed: _printed,
  logs: _logs,
  ...report
}: RunReport) {
  return report;
}

/** One event of a stream. `id` comes back as `Last-Event-ID` from whoever was cut off. */
export interface ServerEvent {
  event: string;
  id?: string;
  data: object;
}
