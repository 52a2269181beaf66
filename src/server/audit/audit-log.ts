import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Who did what, or tried to: one line of the log. */
export interface AuditEntry {
  /** When it was answered. */
  at: string;
  /** null: nobody has proved a name. */
  who: string | null;
  /** How that was proved: `token`, `jwt`, `link`, `webhook`, `trusted-namespace`; null: not at all. */
  mode: string | null;
  /** The address that asked; behind a proxy, the proxy's. */
  from: string;
  /** What a proxy says of where it came from. Anybody can write it. */
  forwarded_for?: string;
  what: string;
  namespace?: string;
  run?: string;
  request?: string;
  status: number;
  /** The verdict of a decision, or the code of an error; `done` of all else. */
  outcome: string;
  /** So many refusals before this line have none of their own. */
  left_out?: number;
}

export interface AuditLog {
  write(entry: AuditEntry): void;
  /** Resolves when all is written. */
  close(): Promise<void>;
}

/** A log of JSON, an entry a line. It is opened for each line, so that other programs may move it away. */
export class AuditFile implements AuditLog {
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly onTrouble: (problem: string) => void,
  ) {}

  write(entry: AuditEntry): void {
    const line = `${JSON.stringify(entry)}\n`;
    this.last = this.last.then(() => this.append(line));
  }

  close(): Promise<void> {
    return this.last;
  }

  private async append(line: string): Promise<void> {
    try {
      await mkdir(dirname(this.path), { recursive: true });
      await appendFile(this.path, line, { mode: 0o600 });
    } catch (error) {
      this.onTrouble(`the audit log can't be written: ${String(error)}`);
    }
  }
}
