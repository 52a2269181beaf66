import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { signingKeyOfPem, signingKeyOfSecret, type SigningKey } from '../../authority/signing-key.js';
import { TactusError } from '../../contract/errors.js';

/** How a command is told what to sign with. */
export interface KeyFlags {
  key?: string;
  keySecret?: string;
  keyId?: string;
}

/**
 * The key that the flags name; null where they name none.
 * @throws TactusError usage
 */
export function readSigningKey({ key: file, keySecret, keyId }: KeyFlags): SigningKey | null {
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
