import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { TactusError } from '../../../contract/errors.js';
import type { WarmModel } from '../../../contract/predictions/warm-model.js';

/** What a worker in Python is started with. */
export interface PythonWorkerOptions {
  /** The executable of its environment. */
  python: string;
  address: string;
  namespace: string;
  taskQueue: string;
  /** Folder of models; null: where the worker looks for one by itself, if it is there. */
  models: string | null;
  /** Hashes and folders of files that may run code as they are read. */
  trusted: readonly string[];
  /** That register functions. */
  modules: readonly string[];
  /** Models that it loads before it is asked. */
  warm: readonly WarmModel[];
  /** Told what it says. */
  tell: (line: string) => void;
}

/** It was started with what it can't work with. */
const refused = 2;
/** Before it is started again; longer each time that it ends soon. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** A worker in Python that is started again where it dies. It ends with this process, however that ends. */
export class PythonWorker {
  /** Rejects where it can't work with what it was started with. */
  readonly ended: Promise<void>;
  private child: ChildProcess | null = null;
  private isStopping = false;
  private wake: () => void = () => undefined;

  constructor(private readonly options: PythonWorkerOptions) {
    this.ended = this.keep();
    this.ended.catch(() => undefined); // told to whoever waits for it
  }

  /** Lets predictions in flight end for a while. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wake();
    this.child?.kill('SIGTERM');
    await this.ended.catch(() => undefined);
  }

  private async keep(): Promise<void> {
    for (let pauseMs = firstPauseMs; !this.isStopping;) {
      const begun = performance.now();
      const code = await this.runOnce();
      if (this.isStopping) return;
      if (code === refused)
        throw new TactusError('config_invalid', 'The worker in Python does not start: see above');
      if (performance.now() - begun > longestPauseMs) pauseMs = firstPauseMs;
      this.options.tell(
        `The worker in Python has ended (${code ?? 'killed'}), and is started again in ${pauseMs / 1_000} s`,
      );
      await this.pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }

  private runOnce(): Promise<number | null> {
    const { python, address, namespace, taskQueue, models, trusted, modules, warm, tell } = this.options;
    const args = [
      '--address',
      address,
      '--namespace',
      namespace,
      '--task-queue',
      taskQueue,
      ...(models === null ? [] : ['--models', models]),
      ...trusted.flatMap((each) => ['--trust', each]),
    ];
    const child = spawn(
      python,
      [
        '-m',
        'tactus_temporal.worker',
        ...args,
        ...modules.flatMap((each) => ['--module', each]),
        ...warm.flatMap(({ type, settings }) => ['--warm', JSON.stringify({ type, ...settings })]),
        '--until-input-ends',
      ],
      // Of a group of its own: Ctrl-C is for this process, which lets it end in order. Its input ends with us.
      { stdio: ['pipe', 'ignore', 'pipe'], detached: process.platform !== 'win32' },
    );
    this.child = child;
    child.stdin.on('error', () => undefined); // it has ended, which `exit` says
    createInterface({ input: child.stderr }).on('line', tell);
    return new Promise((done, fail) => {
      child.once('error', ({ message }) =>
        fail(new TactusError('config_invalid', `The worker in Python can't be started: ${message}`)),
      );
      child.once('exit', done);
    });
  }

  private pause(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}
