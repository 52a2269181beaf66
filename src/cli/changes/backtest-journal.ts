import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createHash, randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { PastRunPlace } from '../../client/runs/index.js';
import type { BacktestedRun } from '../../contract/changes/backtest.js';
import { canonicalJson, type JsonValue } from '../../contract/json/json.js';

/** A line of the file: the name of the attempt, or what was found of a run. */
type Line = { attempt: string } | Entry;

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
  private begun: string | undefined;

  /** @param of all that the findings depend on, beside the logs */
  constructor(folder: string, of: JsonValue) {
    const name = createHash('sha256').update(canonicalJson(of)).digest('hex').slice(0, 16);
    this.path = join(folder, '.tactus-temporal', 'backtests', `${name}.jsonl`);
    const lines = read(this.path);
    this.entries = new Map(lines.flatMap((each) => ('run' in each ? [[each.run.run_id, each]] : [])));
    this.begun = lines.find((each) => 'attempt' in each)?.attempt;
  }

  /** Names this attempt, also where it goes on after an interruption. */
  get attempt(): string {
    if (this.begun === undefined) this.write({ attempt: (this.begun = randomUUID().slice(0, 8)) });
    return this.begun;
  }

  /** What was found of a run whose log is the same as then; undefined: nothing. */
  known({ runId, version }: PastRunPlace): BacktestedRun | undefined {
    const entry = this.entries.get(runId);
    return entry !== undefined && entry.version === version ? entry.run : undefined;
  }

  add({ version }: PastRunPlace, run: BacktestedRun): void {
    if (version === null) return;
    this.write({ version, run });
  }

  private write(line: Line): void {
    mkdirSync(dirname(this.path), { recursive: true });
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function read(path: string): Line[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      // The end of the file, or a line that its process didn't come to the end of.
      return [];
    }
  });
}
