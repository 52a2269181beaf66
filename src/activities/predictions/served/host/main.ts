/**
 * The process that runs models: it is asked one thing at a time by the worker that started it, and ends with it. A model
 * that crashes, hangs or takes all memory takes this process along, and no worker.
 */
import { writeFileSync } from 'node:fs';
// Before anything that loads the runtime.
import './onnx/halves.js';
import { answer } from './answer.js';
import type { HostRequest } from './model-kind.js';

endFirst();
// A terminal interrupts the whole group: the worker is to end what it is at.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (request: HostRequest) => {
  void answer(request).then((said) => process.send?.(said));
});

/** Where memory runs out, the system ends this process before any other. */
function endFirst(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Some containers allow nobody to write there: then the system chooses by itself, and models run all the same.
  }
}
