import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { TactusError } from '../../../contract/errors.js';
import { sourceHash, type ProcedureSource } from '../../../contract/procedures/source.js';
import type { Validation } from '../../../validation/index.js';
import { RequestProblem } from '../../http/problem.js';
import type { Drawn, ThreadAnswer, ThreadRequest } from './shown-source.js';

/** Beside the compiled files; for sources that run uncompiled, as in tests, in `dist`. */
const places = ['thread/main.js', '../../../../dist/server/procedures/drawing/thread/main.js'];

/** What looking at a source may take. */
export interface SourceLimits {
  /** All its files, in bytes. */
  bytes: number;
  ms: number;
  heapMb: number;
  /** Threads at once; others wait. */
  threads: number;
  /** Requests that may wait. */
  waiting: number;
  /** Answers that are kept. */
  kept: number;
}

const usual: SourceLimits = {
  bytes: 1_000_000,
  ms: 10_000,
  heapMb: 512,
  threads: 2,
  waiting: 50,
  kept: 50,
};

/**
 * Draws and describes procedures in threads: a source is whatever somebody has started a run with, and its graph may take
 * seconds. Others are answered meanwhile.
 *
 * Owns: the threads that are running, the requests that wait for one, and the newest answers.
 * Asks: a thread of its own for each source.
 * Invariants:
 *  1. At most `threads` run at once and at most `waiting` wait. More are refused.
 *  2. The same source is looked at once, as long as its answer is among the `kept` ones. A failure is not kept.
 *  3. A thread has bounds of time and memory, no environment, and ends with its answer.
 */
export class SourceViews {
  /** Those that were asked for last are at the end. */
  private readonly known = new Map<string, Promise<ThreadAnswer>>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly limits: SourceLimits = usual) {}

  /** null: it can't be drawn. @throws TactusError payload_too_large, instruction_limit; RequestProblem rate_limited */
  async graph(source: ProcedureSource): Promise<Drawn | null> {
    const answer = await this.view({ kind: 'graph', source });
    return answer.kind === 'graph' ? answer.drawn : null;
  }

  /** @throws TactusError payload_too_large, instruction_limit; RequestProblem rate_limited */
  async describe(source: ProcedureSource): Promise<Validation['describe']> {
    const answer = await this.view({ kind: 'describe', source });
    if (answer.kind === 'describe') return answer.described;
    throw new TactusError('internal', 'A thread has answered something else');
  }

  private view(request: ThreadRequest): Promise<ThreadAnswer> {
    const { kind, source } = request;
    const bytes = Object.values(source.files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes > this.limits.bytes)
      throw new TactusError(
        'payload_too_large',
        `The source has ${bytes} bytes; only sources of up to ${this.limits.bytes} are shown`,
      );
    const key = `${kind} ${source.entry} ${sourceHash(source)}`;
    const answer = this.known.get(key) ?? this.inTurn(request);
    this.known.delete(key);
    this.known.set(key, answer);
    answer.catch(() => {
      if (this.known.get(key) === answer) this.known.delete(key);
    });
    const [oldest] = this.known.keys();
    if (this.known.size > this.limits.kept && oldest !== undefined) this.known.delete(oldest);
    return answer;
  }

  private async inTurn(request: ThreadRequest): Promise<ThreadAnswer> {
    if (this.running >= this.limits.threads) {
      if (this.waiting.length >= this.limits.waiting)
        throw new RequestProblem(429, 'rate_limited', 'Too many sources are looked at', undefined, {
          'retry-after': '5',
        });
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.running++;
    try {
      return await this.inThread(request);
    } finally {
      // Whoever is next has this one's place.
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }

  private async inThread(request: ThreadRequest): Promise<ThreadAnswer> {
    const { ms, heapMb } = this.limits;
    const thread = new Worker(mainModule(), {
      ...{ workerData: request, env: {}, execArgv: [], stdout: true, stderr: true },
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<ThreadAnswer>((resolve, reject) => {
        const fail = (reason: string): void => {
          reject(new TactusError('instruction_limit', `The source can't be shown: ${reason}`));
        };
        timer = setTimeout(() => fail(`looking at it takes more than ${ms / 1_000} s`), ms);
        thread.once('message', resolve);
        thread.once('error', (error: NodeJS.ErrnoException) =>
          fail(
            error.code === 'ERR_WORKER_OUT_OF_MEMORY'
              ? `looking at it takes more than ${heapMb} MB`
              : error.message,
          ),
        );
        thread.once('exit', (code) => fail(`the thread that looks at it ended (${code})`));
      });
    } finally {
      clearTimeout(timer);
      await thread.terminate();
    }
  }
}

function mainModule(): string {
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const path = paths.find((each) => existsSync(each));
  if (path === undefined)
    throw new TactusError('internal', 'The code that draws sources is not built. Run: npm run build');
  return path;
}
