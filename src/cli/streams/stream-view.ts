import type { StoredEvent } from '../../contract/streams/stream-event.js';
import { jsonText } from '../terminal/json-text.js';
import type { Screen } from '../terminal/screen.js';

/** A stream as people read it: texts under the names of those who say them, one line for all else. */
export class StreamView {
  private speaker = '';

  constructor(private readonly screen: Screen) {}

  show(stored: StoredEvent): void {
    const { screen } = this;
    const { event } = stored;
    if (screen.options.json) return screen.line(stored);
    const { paint } = screen;
    const by = `${event.agent} · ${event.position}`;
    switch (event.type) {
      case 'text':
        if (this.speaker !== by) this.begin(by);
        return screen.say(event.text);
      case 'tool_call':
        return this.line(paint.cyan(`→ ${event.tool} ${jsonText(event.arguments)}`));
      case 'tool_result':
        return this.line(paint.dim(`← ${event.tool} ${event.content}`));
      case 'restart':
        return this.line(
          paint.yellow(`${by} begins anew, for the ${event.attempt}. time: what it said is void`),
        );
      case 'interrupted':
        return this.line(paint.yellow(`${by} was broken off`));
      case 'gap':
        return this.line(paint.yellow(`${event.lost} events were lost here`));
      case 'answer':
        this.speaker = '';
        return this.end();
    }
  }

  end(): void {
    this.screen.endSaying();
  }

  private begin(by: string): void {
    this.line(this.screen.paint.bold(by));
    this.speaker = by;
  }

  private line(text: string): void {
    this.end();
    this.speaker = '';
    this.screen.out(text);
  }
}
