import type { TactusRun } from '../../dist/client/tactus-run.js';
import type { Heard } from './heard.ts';

/** Reads the stream of a run of `writeProcedure`. @param onReady called when its first word is there */
export async function hear(run: TactusRun, onReady: () => void): Promise<Heard> {
  const heard: Heard = { characters: 0, lastText: 0, last: 0 };
  let isReady = false;
  for await (const { event } of run.stream()) {
    heard.last = Date.now();
    if (event.type === 'answer' && !isReady) {
      isReady = true;
      onReady();
    }
    if (event.type !== 'text' || !isReady) continue;
    heard.characters += event.text.length;
    heard.lastText = heard.last;
  }
  return heard;
}
