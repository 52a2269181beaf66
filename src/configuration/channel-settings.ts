import type { Reach } from '../contract/people/channels/channel.js';
import type { RunSettings } from '../contract/runs/run-settings.js';

/** What goes with a run of the channels that there are: their names alone. Nothing where there is none. */
export function channelSettings(
  channels: Reach['channels'] = {},
): Pick<RunSettings, 'channels' | 'knownChannels'> {
  const knownChannels = Object.keys(channels);
  if (knownChannels.length === 0) return {};
  const byDefault = Object.entries(channels).filter(([, channel]) => channel.default !== false);
  return { channels: byDefault.map(([name]) => name), knownChannels };
}
