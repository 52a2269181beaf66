import { silenceMs } from '../connection.js';
import type { Screen } from './screen.js';

/** Tells whoever follows a run, once, that no answer comes, and later that answers come again. */
export class Silence {
  /** Somebody looks on: only then something is said. */
  isFollowed = false;
  /** The note was due, and no answer has come since. */
  private isSilent = false;

  constructor(
    private readonly screen: Pick<Screen, 'note'>,
    private readonly address: string,
  ) {}

  async noteDuring<T>(question: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      if (!this.isSilent) this.note(`No answer from ${this.address} yet; still trying …`);
      this.isSilent = true;
    }, silenceMs);
    try {
      const answer = await question();
      if (this.isSilent) this.note(`${this.address} answers again.`);
      this.isSilent = false;
      return answer;
    } finally {
      clearTimeout(timer);
    }
  }

  private note(text: string): void {
    if (this.isFollowed) this.screen.note(text);
  }
}
