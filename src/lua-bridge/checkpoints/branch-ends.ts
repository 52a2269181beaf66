import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { TactusError, type ErrorCode } from '../../contract/errors.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { cutMessage } from '../../contract/text/plain-text.js';
import { otherWinner } from '../../log/compare.js';
import {
  errorText,
  lua,
  LuaRaised,
  pushText,
  setField,
  type Bridge,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import type { BranchOptions } from './branches.js';

/** What a message says of one branch is no longer than this, in bytes. */
const mostReasonBytes = 300;

/** Pushes what a branch calls. */
type PushCalled = (thread: LuaState) => void;

/**
 * Branches of which one is enough.
 *
 * Owns: which branch has ended well first, and what each that failed failed with.
 * Invariants:
 *  1. One branch wins. When it has, no other goes on.
 *  2. A branch that fails ends no other.
 */
export class Race {
  private first: number | null = null;
  private readonly failures = new Map<number, { code: ErrorCode | null; text: string }>();

  constructor(
    private readonly bridge: Bridge,
    private readonly count: number,
  ) {}

  /** Which branch has won, from 1. */
  get winner(): number {
    return this.first ?? 0;
  }

  /** @param number of the branch, from 1 */
  branch(number: number, push: PushCalled): Native {
    const { failures } = this;
    const { notes } = this.bridge.scheduler;
    const win = (): void => void (this.first ??= number);
    return function* (thread) {
      push(thread);
      try {
        yield { call: 0, results: 1 };
        win();
        return 1;
      } catch (error) {
        if (!(error instanceof LuaRaised)) throw error;
        const text = errorText(thread, -1);
        failures.set(number, { code: notes.codeOfText(text), text });
        return 0;
      }
    };
  }

  get options(): Pick<BranchOptions, 'name' | 'isEnough' | 'ends'> {
    return {
      name: 'race',
      isEnough: () => this.first !== null,
      ends: () => {
        if (this.first === null) throw this.lost();
        return { winner: this.first };
      },
    };
  }

  /**
   * Compares how it ended with what is recorded of that.
   * @throws TactusError non_determinism where another branch has won
   */
  compare(recorded: JsonValue, place: Pick<Checkpoint, 'position' | 'source'>): void {
    const before = isObject(recorded) ? Number(recorded['winner']) : 0;
    if (before !== this.winner) throw otherWinner(before, this.winner, place);
  }

  /** It has the code that all of them have; where they have several, none. */
  private lost(): TactusError {
    const failures = [...this.failures].sort(([a], [b]) => a - b);
    const codes = new Set(failures.map(([, { code }]) => code));
    const [code] = codes.size === 1 ? codes : [null];
    const reasons = failures.map(([number, { text }]) => `${number}: ${cutMessage(text, mostReasonBytes)}`);
    return new TactusError(
      code ?? 'lua_error',
      cutMessage(
        `Parallel.race: none of ${this.count} branches succeeded. ${reasons.join('; ')}`,
        this.bridge.limits.errorMessageBytes,
      ),
    );
  }
}

/** Branches that are all waited for, whatever becomes of them: each gives how it ended. */
export class Settled {
  private fulfilled = 0;
  private rejected = 0;

  /** The branch gives `{status = "fulfilled", value = …}` or `{status = "rejected", reason = …}`. */
  branch(push: PushCalled): Native {
    const note = (status: 'fulfilled' | 'rejected'): void => void this[status]++;
    return function* (thread) {
      push(thread);
      try {
        yield { call: 0, results: 1 };
        pushEnd(thread, 'fulfilled', 'value');
        note('fulfilled');
      } catch (error) {
        if (!(error instanceof LuaRaised)) throw error;
        pushEnd(thread, 'rejected', 'reason');
        note('rejected');
      }
      return 1;
    };
  }

  get options(): Pick<BranchOptions, 'name' | 'ends'> {
    return {
      name: 'all_settled',
      ends: () => ({ fulfilled: this.fulfilled, rejected: this.rejected }),
    };
  }
}

/** Puts what is on top of the stack into a table that says how the branch ended. */
function pushEnd(thread: LuaState, status: string, key: 'value' | 'reason'): void {
  lua.lua_checkstack(thread, 3);
  lua.lua_createtable(thread, 0, 2);
  pushText(thread, status);
  setField(thread, -2, 'status');
  lua.lua_insert(thread, -2);
  setField(thread, -2, key);
}
