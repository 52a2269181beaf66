/** Does what a service is asked: false, and nothing done, where it refuses, as another one is there, or none. */
export async function unlessRefused(
  ask: () => Promise<unknown>,
  isRefused: (error: unknown) => boolean,
): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (!isRefused(error)) throw error;
    return false;
  }
}
