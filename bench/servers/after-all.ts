const last: (() => void)[] = [];

/** In the place of vitest's, by which folders of tests are removed. */
export function afterAll(work: () => void): void {
  last.push(work);
}

export function removeFolders(): void {
  for (const work of last.splice(0)) work();
}
