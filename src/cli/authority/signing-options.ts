import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, extname } from 'node:path';
import { defined } from '../../contract/json/json.js';
import { signingKeyOfPem, signingKeyOfSecret, type SigningKey } from '../../authority/signature.js';
import { TactusError, readDuration } from '../command.js';

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
    .option('--valid <duration>', 'how long the signature is valid (default: 10m)');
}

/**
 * What the flags say.
 * @throws TactusError usage
 */
export function readSigning({ as, comment, valid, ...keys }: DecisionFlags): Signing {
  const key = readSigningKey(keys);
  return {
    ...defined({ as, comment }),
    ...(key === null ? {} : { key }),
    ...(valid === undefined ? {} : { validMs: readDuration(valid, '--valid') }),
  };
}

/** How a command is told what to sign with. */
interface KeyFlags {
  key?: string;
  keySecret?: string;
  keyId?: string;
}

/**
 * The key that the flags name; null where they name none.
 * @throws TactusError usage
 */
function readSigningKey({ key: file, keySecret, keyId }: KeyFlags): SigningKey | null {
  if (file !== undefined && keySecret !== undefined)
    throw new TactusError('usage', 'Either --key or --key-secret signs, not both');
  if (file !== undefined) return signingKeyOfPem(keyId ?? basename(file, extname(file)), readKeyFile(file));
  if (keySecret === undefined) {
    if (keyId === undefined) return null;
    throw new TactusError('usage', '--key-id goes with --key or --key-secret');
  }
  if (keyId === undefined)
    throw new TactusError('usage', '--key-secret needs --key-id, the id by which workers know it');
  const secret = process.env[keySecret] ?? '';
  if (secret === '') throw new TactusError('usage', `There is no environment variable ${keySecret}`);
  return signingKeyOfSecret(keyId, secret.trim());
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new TactusError('usage', `The key ${file} can't be read: ${(error as Error).message}`);
  }
}

/** Who decides where nobody is named: the account at this machine. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
