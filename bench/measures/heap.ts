import { Session } from 'node:inspector/promises';

const mostCollections = 10;

/** Bytes that are in use on the JavaScript heaps of this process: its own, and those of its threads. */
export class Heaps {
  private readonly session = new Session();
  private readonly threads = new Set<string>();
  private readonly answers = new Map<number, (result: { usedSize?: number }) => void>();
  private asked = 0;

  /** Call when the threads have started. */
  async open(): Promise<void> {
    this.session.connect();
    this.session.on('NodeWorker.attachedToWorker', ({ params }) => this.threads.add(params.sessionId));
    this.session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      const { id, result } = JSON.parse(params.message) as { id?: number; result?: { usedSize?: number } };
      if (id !== undefined) this.answers.get(id)?.(result ?? {});
    });
    await this.session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  }

  /** Collects the garbage of all heaps first, as often as that frees anything: what one collection finalizes, the next frees. */
  async used(): Promise<number> {
    let bytes = await this.collected();
    for (let times = 1; times < mostCollections; times++) {
      const before = bytes;
      bytes = Math.min(bytes, await this.collected());
      if (before - bytes < before / 1_000) break;
    }
    return bytes;
  }

  private async collected(): Promise<number> {
    globalThis.gc?.();
    let bytes = process.memoryUsage().heapUsed + process.memoryUsage().external;
    for (const thread of this.threads) {
      await this.ask(thread, 'HeapProfiler.collectGarbage');
      bytes += (await this.ask(thread, 'Runtime.getHeapUsage')).usedSize ?? 0;
    }
    return bytes;
  }

  private async ask(sessionId: string, method: string): Promise<{ usedSize?: number }> {
    const id = ++this.asked;
    const answer = new Promise<{ usedSize?: number }>((resolve) => this.answers.set(id, resolve));
    await this.session.post('NodeWorker.sendMessageToWorker', {
      sessionId,
      message: JSON.stringify({ id, method }),
    });
    return answer;
  }
}
