import { fakeProgram, runStart, type FakeOptions } from './fake-host.js';

/**
 * Runs a procedure to its first wait, then answers positions in the given order, each with its position as text; `0.1.0!why` fails.
 * `cancelled`: what was given up, as far as the procedure goes on.
 */
export function answerInOrder(source: string, order: readonly string[], options: FakeOptions = {}) {
  const program = fakeProgram(source, options);
  let turn = program.turn();
  const asked: string[] = [];
  const cancelled: string[] = [];
  const look = (): void => {
    if (turn.kind !== 'blocked') return;
    asked.push(...turn.asked.map(({ position }) => position));
    cancelled.push(...turn.cancelled);
  };
  look();
  for (const [i, entry] of order.entries()) {
    const [position = '', failure] = entry.split('!');
    const outcome =
      failure === undefined
        ? ({ ok: true, value: entry } as const)
        : ({ ok: false, code: 'tool_failed', message: failure } as const);
    program.settle(position, outcome, runStart + i);
    turn = program.turn();
    look();
  }
  return {
    program,
    turn,
    asked,
    cancelled,
    log: program.log.entries.map(({ position, outcome }) => `${position}${outcome.ok ? '' : '!'}`),
  };
}
