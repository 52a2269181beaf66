/** Does something for each item, so many at once. */
export async function each<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = 20,
): Promise<void> {
  const left = [...items];
  const go = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, go));
}
