import { errorCodes, TactusError } from '../../contract/errors.js';
import type { KeyedIntent, OutboxState } from '../../contract/graphs/super-step.js';
import { currentFrame, type Bridge, type LuaState, type Step } from '../kernel/index.js';

/** Where so many intents wait, the next super-step waits too: each one records them. */
const mostWaiting = 100;

/**
 * Intents of one call of a graph that are to be sent. They are sent in a branch beside the super-steps, one after the other, each
 * once its super-step is recorded.
 *
 * Invariant: the intent that is sent after `sent` others stands at that position of the branch, wherever the loop began.
 */
export class Outbox {
  private waiting: KeyedIntent[] = [];
  private sent = 0;
  private hasBegun = false;
  private isClosed = false;

  constructor(private readonly bridge: Bridge) {}

  /** What the next super-step has of it, with the intents that this one adds. */
  stateWith(added: readonly KeyedIntent[]): OutboxState {
    return { sent: this.sent, waiting: [...this.waiting, ...added] };
  }

  /** Goes on from what the super-step before the first one here has recorded; later ones say nothing new. */
  begin({ sent, waiting }: OutboxState): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.sent = sent;
    this.waiting = [...waiting];
    if (waiting.length > 0) this.bridge.scheduler.wake();
  }

  /** For a graph that goes on in another turn: what no answer has come of is sent again, under the same key. */
  get left(): OutboxState {
    return { sent: 0, waiting: [...this.waiting] };
  }

  add(intents: readonly KeyedIntent[]): void {
    this.waiting.push(...intents);
    if (intents.length > 0) this.bridge.scheduler.wake();
  }

  /** No more will be added: the branch ends when all are sent. */
  close(): void {
    this.isClosed = true;
    this.bridge.scheduler.wake();
  }

  /** Waits while too many wait. */
  *untilThereIsRoom(): Generator<Step, void, unknown> {
    while (this.waiting.length >= mostWaiting) yield { park: true };
  }

  /** Sends intents as they come, until all are sent. One that can't be sent for good holds up no other. */
  *send(L: LuaState): Generator<Step, void, unknown> {
    for (;;) {
      const [next] = this.waiting;
      if (next === undefined) {
        if (this.isClosed) return;
        yield { park: true };
        continue;
      }
      currentFrame(L).next = this.sent;
      try {
        const { key, intent, from } = next;
        const { type: name } = intent;
        const title = from === undefined ? name : `${from}: ${name}`;
        yield { effect: { type: 'intent', name, title, effect: { kind: 'intent', key, intent } } };
      } catch (error) {
        if (!isDeliveryProblem(error)) throw error;
      }
      this.waiting.shift();
      this.sent++;
    }
  }
}

/** What the log says of the intent; nobody else is told. */
function isDeliveryProblem(error: unknown): boolean {
  if (!(error instanceof TactusError)) return false;
  return error.code === 'delivery_failed' || errorCodes[error.code].catchable;
}
