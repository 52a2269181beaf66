/** An answer that has just been taken may not be in the log yet: after these pauses it is looked for again, in ms. */
const pausesMs = [200, 500, 1_000, 2_000];

/** Looks until what is found is recorded, or for some seconds; what was found last. */
export async function whenRecorded<T>(
  look: () => Promise<T>,
  isUnrecorded: (found: T) => boolean,
): Promise<T> {
  let found = await look();
  for (const pause of pausesMs) {
    if (!isUnrecorded(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, pause));
    found = await look();
  }
  return found;
}
