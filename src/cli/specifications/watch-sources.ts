import { watch } from 'node:fs';
import { join } from 'node:path';

/** Sources and what configures them. No procedure can write these, so no run under test starts the next one. */
const sources = /\.(tac|lua|ya?ml)$/i;
/** Editors write a file in several steps. */
const settleMs = 150;

export function isSource(path: string): boolean {
  return sources.test(path);
}

/** Watches folders, and those below them; `next` gives the paths of what was changed since it was asked last. */
export function watchSources(
  folders: readonly string[],
  isWatched: (path: string) => boolean = isSource,
): { next(): Promise<string[]>; stop(): void } {
  const changed = new Set<string>();
  let tell: (() => void) | null = null;
  const watchers = [...new Set(folders)].map((folder) =>
    watch(folder, { recursive: true }, (_event, name) => {
      if (name === null || name.includes('node_modules')) return;
      const path = join(folder, name);
      if (!isWatched(path)) return;
      changed.add(path);
      tell?.();
    }),
  );
  return {
    next: async () => {
      if (changed.size === 0) await new Promise<void>((resolve) => (tell = resolve));
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      const paths = [...changed];
      changed.clear();
      return paths;
    },
    stop: () => {
      for (const each of watchers) each.close();
    },
  };
}
