import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { PastRunPlace } from '../../client/runs/index.js';
import type { BacktestedRun } from '../../contract/changes/backtest.js';
import { canonicalJson, type JsonValue } from '../../contract/json/json.js';

/** A line of the file. */
interface Entry {
  /** Of the log that was tested. */
  version: string;
  run: BacktestedRun;
}

/**
 * What a backtest has found so far, in a file of its own below `.tactus-temporal`, so that the same command goes on where it was
 * interrupted. The file is removed when all is done.
 */
export class BacktestJournal {
  private readonly path: string;
  private readonly entries: ReadonlyMap<string, Entry>;

  /** @param of all that the findings depend on, beside the logs */
  constructor(folder: string, of: JsonValue) {
    const name = createHash('sha256').update(canonicalJson(of)).digest('hex').slice(0, 16);
    this.path = join(folder, '.tactus-temporal', 'backtests', `${name}.jsonl`);
    this.entries = new Map(read(this.path).map((entry) => [entry.run.run_id, entry]));
  }

  /** What was found of a run whose log is the same as then; undefined: nothing. */
  known({ runId, version }: PastRunPlace): BacktestedRun | undefined {
    const entry = this.entries.get(runId);
    return entry !== undefined && entry.version === version ? entry.run : undefined;
  }

  add({ version }: PastRunPlace, run: BacktestedRun): void {
    if (version === null) return;
    mkdirSync(dirname(this.path), { recursive: true });
    appendFileSync(this.path, `${JSON.stringify({ version, run } satisfies Entry)}\n`);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function read(path: string): Entry[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Entry];
    } catch {
      // The end of the file, or a line that its process didn't come to the end of.
      return [];
    }
  });
}
