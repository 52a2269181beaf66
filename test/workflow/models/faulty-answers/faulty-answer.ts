import type { ErrorCode } from '../../../../src/contract/errors.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import type { Answer } from '../../../support/provider-stand-in.js';
import type { SpokenProtocol } from './protocols.js';

/** By which protocol a model is asked, and whether it answers piece by piece. */
export interface Asked {
  protocol: SpokenProtocol;
  isStreamed: boolean;
}

/** What the agent gives, or the error that the run fails with: its whole message, or what must be in it. */
export type End = { result: JsonValue } | { code: ErrorCode; message: string | RegExp };

/** What a provider answers to a run of one agent, and how that run ends. */
export interface FaultyAnswer {
  name: string;
  /** Where such an answer can come; left out: everywhere. */
  where?: (asked: Asked) => boolean;
  /** Time passes in earnest while nothing comes: it has the worker to itself, for the good answer to come in time. */
  isTimed?: true;
  /** Settings of the agent, in Lua. */
  agent?: string;
  /** Each is given once; who asks for more is refused. */
  answers: (asked: Asked) => Answer[];
  ends: (asked: Asked) => End;
  /** How often each call of the model is tried, in their order. */
  attempts: readonly number[];
  /** Shortest and longest time from the first to the last attempt of the first call, in seconds of the server. */
  waits?: readonly [number, number];
  /** Answers that the run counts as paid for; left out: one, which ends it. */
  paid?: (asked: Asked) => number;
  /** What each call is told beyond the one before it, as `conversationOf` writes it. */
  told?: (asked: Asked) => string[][];
}

export const good = { text: 'Good day' } as const;
export const goodDay = (): End => ({ result: good.text });

/** Fails with this message about the model. */
export function failing(message: string): FaultyAnswer['ends'] {
  return ({ protocol }) => ({ code: 'model_call_failed', message: `${protocol.model}: ${message}` });
}

export const nothing = (): number => 0;

/** More of them than are asked for. */
export function forEver(answer: Answer): Answer[] {
  return Array.from({ length: 20 }, () => answer);
}
