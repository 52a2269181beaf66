import { watch } from 'node:fs';
import { dirname } from 'node:path';

/** Sources and what configures them. No procedure can write these, so no run under test starts the next one. */
const watched = /\.(tac|lua|ya?ml)$/i;
/** Editors write a file in several steps. */
const settleMs = 150;

/** Watches the folders of files; `next` gives the name of what was changed since it was asked last. */
export function watchSources(files: readonly string[]): { next(): Promise<string>; stop(): void } {
  let changed: string | null = null;
  let tell: (() => void) | null = null;
  const watchers = [...new Set(files.map((file) => dirname(file)))].map((folder) =>
    watch(folder, { recursive: true }, (_event, name) => {
      if (name === null || !watched.test(name) || name.includes('node_modules')) return;
      changed = name;
      tell?.();
    }),
  );
  return {
    next: async () => {
      if (changed === null) await new Promise<void>((resolve) => (tell = resolve));
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      const name = changed ?? '';
      changed = null;
      return name;
    },
    stop: () => {
      for (const each of watchers) each.close();
    },
  };
}
