/** Does tasks side by side, no more than `limit` of them at a time, begun in their order. */
export async function inParallel(tasks: readonly (() => Promise<void>)[], limit: number): Promise<void> {
  const waiting = [...tasks];
  const work = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await task();
  };
  await Promise.all(Array.from({ length: Math.max(1, limit) }, work));
}
