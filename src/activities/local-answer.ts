/**
 * What a local activity gives. The marker that it leaves in history says nothing of when it ended that a replay would
 * see: there it may have ended together with others. So the answer brings its time, in ms since 1970.
 */
export interface LocalAnswer<T> {
  value: T;
  at: number;
}

export async function localAnswer<T>(work: Promise<T>): Promise<LocalAnswer<T>> {
  const value = await work;
  return { value, at: Date.now() };
}
