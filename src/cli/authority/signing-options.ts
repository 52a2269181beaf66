import type { Command } from 'commander';
import type { SigningKey } from '../../authority/signing-key.js';
import { readDuration } from '../terminal/read-duration.js';
import { readSigningKey, type KeyFlags } from './signing-key.js';

/** What the commands that decide take besides the decision. */
export interface DecisionFlags extends KeyFlags {
  as?: string;
  comment?: string;
  valid?: string;
}

/** Who decides, and how a decision is signed. */
export interface Signing {
  as?: string;
  comment?: string;
  key?: SigningKey;
  /** So long the token holds, in ms. */
  validMs?: number;
}

/** The options of a command whose decision may be signed. */
export function takesSigning(command: Command): Command {
  return command
    .option('--key <file>', 'sign with the Ed25519 private key in this file (PEM)')
    .option('--key-secret <name>', 'sign with the secret that this environment variable holds')
    .option('--key-id <id>', "id of the key; else the file's name without its ending")
    .option('--valid <duration>', 'how long the signature holds (default: 10m)');
}

/**
 * What the flags say.
 * @throws TactusError usage
 */
export function readSigning({ as, comment, valid, ...keys }: DecisionFlags): Signing {
  const key = readSigningKey(keys);
  return {
    ...(as === undefined ? {} : { as }),
    ...(comment === undefined ? {} : { comment }),
    ...(key === null ? {} : { key }),
    ...(valid === undefined ? {} : { validMs: readDuration(valid, '--valid') }),
  };
}
