import { Context } from '@temporalio/activity';

/**
 * What a local activity gives. The marker that it leaves in history says nothing of when it ended that a replay would
 * see: there it may have ended together with others. So the answer brings its time, in ms since 1970.
 */
export interface LocalAnswer<T> {
  value: T;
  at: number;
  /**
   * When the worker was asked, in ms since 1970; null where this was not the first attempt. Workers of 0.1.0 left it
   * out.
   */
  since?: number | null;
}

export async function localAnswer<T>(work: Promise<T>): Promise<LocalAnswer<T>> {
  const { scheduledTimestampMs, attempt } = Context.current().info;
  const value = await work;
  return { value, at: Date.now(), since: attempt === 1 ? scheduledTimestampMs : null };
}
