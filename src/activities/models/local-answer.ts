import { Context } from '@temporalio/activity';
import type { LocalAnswer } from '../../contract/activities.js';

export async function localAnswer<T>(work: Promise<T>): Promise<LocalAnswer<T>> {
  const { scheduledTimestampMs, attempt } = Context.current().info;
  const value = await work;
  return { value, at: Date.now(), since: attempt === 1 ? scheduledTimestampMs : null };
}
