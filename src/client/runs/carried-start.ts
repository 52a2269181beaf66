import { randomUUID } from 'node:crypto';
import { TactusError } from '../../contract/errors.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import { maxInlineBytes } from '../../contract/runs/limits.js';
import type { RunStarted } from '../../contract/runs/run-started.js';
import type { Handed } from './hand-work.js';
import { newCarry, type Carry, type StartInput } from '../../contract/runs/start-input.js';
import { packCarried, type CarriedLog } from '../../log/pack.js';

/** The engine that such a run has at least: what engine 1 recorded fits 2. */
export const oldestCarried = 2;

/** What a run is started with that goes on with a log which isn't its own. */
export interface CarriedStart {
  runId: string;
  start: StartInput & { carry: Carry };
  packed: Uint8Array;
  /** What the run's page says of it. */
  summary: string;
}

/**
 * Chance, the clock and the engine are those of which what is recorded came.
 * @throws TactusError payload_too_large
 */
export function carriedStart(
  runId: string,
  { start: given, startedAt, seed, engine }: RunStarted,
  { entries, answers }: CarriedLog,
  summary: string,
  handed: Partial<Handed['carry']> = {},
): CarriedStart {
  const carry = { ...newCarry(runId, randomUUID(), startedAt), seed, engine, ...handed };
  const start = { ...given, carry };
  const packed = packCarried(entries, answers ?? null);
  const bytes = packed.length + jsonSize(start as unknown as JsonValue);
  if (bytes > maxInlineBytes)
    throw new TactusError(
      'payload_too_large',
      `Start and log have ${bytes} bytes together; ${maxInlineBytes} can be sent`,
    );
  return { runId, start, packed, summary };
}
