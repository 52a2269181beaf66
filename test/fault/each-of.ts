/** Does the work for each item, so many at once, until the first that answers false; what was begun is ended. */
export async function eachOf<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<boolean>,
): Promise<void> {
  let next = 0;
  let goesOn = true;
  const lane = async (): Promise<void> => {
    while (goesOn && next < items.length) {
      const item = items[next++] as T;
      if (!(await work(item))) goesOn = false;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
