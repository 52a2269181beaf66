import { TactusError } from '../../errors.js';
import type { Reach } from './channel.js';

/**
 * Links need a key that signs them, and an address that they lead to.
 * @throws TactusError config_invalid where a channel has links, and there is neither
 */
export function assertLinks({ channels = {}, publicUrl }: Reach, hasKey: boolean): void {
  const linking = Object.keys(channels).find((name) => channels[name]?.links === true);
  if (linking === undefined) return;
  const needs = (what: string): TactusError =>
    new TactusError('config_invalid', `channels.${linking}.links needs ${what}`);
  if (!hasKey) throw needs('authority.links, the key that links are signed with: none are made without');
  if (publicUrl === undefined) throw needs('public_url, where people find the page');
}
