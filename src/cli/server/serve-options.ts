import { resolve } from 'node:path';
import { TactusError } from '../../contract/errors.js';
import type { ServerSettings } from '../../server/settings.schema.js';
import { configure } from '../configure.js';
import type { ConfiguredLinks } from '../authority/link-signer.js';
import type { Screen } from '../terminal/screen.js';

export interface ServeFlags {
  port?: string;
  host?: string;
  procedures: string[];
}

/** What `serve` was told, by flags and by configuration. */
export interface ServeOptions {
  host: string;
  port: number;
  folders: string[];
  settings: ServerSettings;
  /** What links are looked at and answered with; null: none are taken. */
  links: ConfiguredLinks | null;
}

const defaultPort = 8_700;

/** Flags stand above configuration. @throws TactusError config_invalid, usage */
export async function serveOptions(
  { port, host, procedures }: ServeFlags,
  screen: Screen,
): Promise<ServeOptions> {
  const { server, links, authorityKeys } = await configure(null, {}, screen);
  const { linkSigner } = await import('../authority/link-signer.js');
  const { readServerSettings } = await import('../../server/settings.schema.js');
  const settings = readServerSettings(server);
  const folders = procedures.length > 0 ? procedures : (settings.procedures ?? ['.']);
  return {
    host: host ?? settings.host ?? '127.0.0.1',
    port: port === undefined ? (settings.port ?? defaultPort) : readPort(port),
    folders: folders.map((folder) => resolve(folder)),
    settings,
    links: linkSigner(links, authorityKeys),
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new TactusError('usage', `--port takes a number from 0 to 65535, not ${JSON.stringify(text)}`);
}
