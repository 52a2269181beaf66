import type { LogEntryView } from '../../contract/runs/run-view.js';
import type { GraphNode, Run } from '../api/shapes.js';

export type NodeState = 'now' | 'failed' | 'done' | 'ahead';

/** Where a run stands in the graph of its procedure, by the lines that it waits in, failed in and has come by. */
export function stateOf({ file, line }: GraphNode, run: Run, log: readonly LogEntryView[]): NodeState {
  const isHere = (place: { file: string | null; line: number | null } | null | undefined): boolean =>
    place != null && place.line === line && (place.file === null || sameFile(place.file, file));
  if (run.waits.some(({ source }) => isHere(source))) return 'now';
  if (isHere(run.error)) return 'failed';
  return log.some(({ source }) => isHere(source)) ? 'done' : 'ahead';
}

/** One may be named with more of its folder than the other. */
function sameFile(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}
