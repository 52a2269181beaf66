import { readFileSync } from 'node:fs';
import type { JsonValue } from '../../src/contract/json/json.js';
import type { Answer } from './provider-stand-in.js';

/** A response of a real provider, written down. */
export function recordedAnswer(name: string): Extract<Answer, { status: number }> {
  const text = readFileSync(new URL(`../fixtures/provider/${name}.json`, import.meta.url), 'utf8');
  return JSON.parse(text) as { status: number; headers: Record<string, string>; body: JsonValue };
}
