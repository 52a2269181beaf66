/** What a faulty deploy does: the workflow of all runs throws an error that nobody knows. */
export async function tactus(): Promise<never> {
  throw new TypeError('undefined is not a deploy');
}
