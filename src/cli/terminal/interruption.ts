import { exitCodes } from './exit-codes.js';

export interface Interruption {
  signal: AbortSignal;
  /** Ctrl-C in raw mode, in which the terminal sends no signal. */
  interrupt: () => void;
  dispose: () => void;
}

/** Signals by which somebody ends a command. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal asks a command to end and to say how to go on; the second one ends it at once. */
export function interruption(): Interruption {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  for (const name of endingSignals) process.on(name, interrupt);
  return {
    signal: controller.signal,
    interrupt,
    dispose: () => {
      for (const name of endingSignals) process.removeListener(name, interrupt);
    },
  };
}

/** Resolves when a command is asked to end. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener('abort', () => done(), { once: true });
  });
}
