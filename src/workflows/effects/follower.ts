import { CancellationScope } from '@temporalio/workflow';
import type { Sequence } from '../sequence.js';

/** Begins something with Temporal, and is told of its end in its turn. */
export interface Follower {
  follow<T>(begin: () => Promise<T>, kept: (value: T) => void, broken: (error: unknown) => void): void;
}

/** Follows for as long as the execution lasts. */
export function lastingFollower(sequence: Sequence): Follower {
  return {
    follow: (begin, kept, broken) =>
      sequence.follow(
        CancellationScope.nonCancellable(() => begin()),
        kept,
        broken,
      ),
  };
}
