import type { SigningKey } from '../authority/signing-key.js';
import { type Asking, askingWithin, type StartOptions, type TactusClient } from '../client/index.js';
import type { ProcedureSource } from '../contract/procedures/source.js';
import type { FilePayloadStore } from '../worker/payloads/index.js';

/** A procedure that may be started by its name. */
export interface FoundProcedure {
  source: ProcedureSource;
  options: Omit<StartOptions, 'runId' | 'task'>;
}

/** Procedures that the server starts. */
export interface Procedures {
  /** Their names, in order. */
  list(): Promise<string[]>;
  /** @throws TactusError source_not_found, source_invalid, config_invalid */
  find(name: string): Promise<FoundProcedure>;
}

/** A namespace of Temporal's, and what belongs to it. */
export interface ServedNamespace {
  name: string;
  tactus: TactusClient;
  /** It has an index of its runs. */
  isIndexed: boolean;
  /** Where files of people are kept; null: they can't be handed in. */
  files: FilePayloadStore | null;
  /** Signs decisions for those who have proved a name; null: runs that want signatures take none from here. */
  signingKey: SigningKey | null;
  /** Told of what goes wrong here. */
  onTrouble: (problem: string) => void;
}

/** How long a worker's answer is waited for, in ms: people look on. */
const answerMs = 10_000;

/** How runs of a namespace are asked, bounded in time. @throws TactusError no_worker */
export function askingOf({ tactus }: ServedNamespace): Asking {
  return askingWithin(tactus.client, answerMs);
}
