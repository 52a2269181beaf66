import type { UnloadedFile } from '../../testing/unloaded-file.js';
import type { Screen } from '../terminal/screen.js';

/** A file of several that couldn't be loaded, and why. */
export function unloadedText({ file, error }: UnloadedFile, paint: Screen['paint']): string {
  return `${paint.red('✗')} ${file} can't be loaded\n${error.message.replace(/^/gm, '        ')}`;
}
