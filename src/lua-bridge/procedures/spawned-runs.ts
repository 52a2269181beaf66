import type { ChildRun } from '../../contract/runs/child-run.js';
import type { RunMeter } from '../vm/meter.js';
import { jsonSize } from '../../contract/json/json.js';

/** A run that the procedure has started without waiting for it. */
export interface SpawnedRun {
  id: string;
  /** As it was named; null for a run that was started elsewhere. */
  file: string | null;
  /** In ms since 1970, by the procedure's clock. */
  startedAt: number | null;
  /** How it ended; null as long as the procedure hasn't been told of an end. */
  ended: { child: ChildRun; at: number } | null;
}

const runBytes = 500;

/** The runs that a procedure has spoken of by their ids. What it was told once it needn't ask for again. */
export class SpawnedRuns {
  private readonly known = new Map<string, SpawnedRun>();

  constructor(private readonly meter: RunMeter) {}

  add(id: string, file: string, startedAt: number): void {
    this.meter.keep(runBytes);
    this.known.set(id, { id, file, startedAt, ended: null });
  }

  find(id: string): SpawnedRun {
    return this.known.get(id) ?? { id, file: null, startedAt: null, ended: null };
  }

  /** The procedure is told how a run stands. The first end that it is told of counts. */
  note(child: ChildRun, at: number): void {
    const run = this.find(child.id);
    if (!child.terminal || run.ended !== null) return;
    this.meter.keep(runBytes + jsonSize(child.output));
    this.known.set(child.id, { ...run, ended: { child, at } });
  }
}
