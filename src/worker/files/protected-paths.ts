import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { CodecSettings } from '../../contract/payloads/codec-settings.js';
import type { Environment } from '../../contract/environment.js';
import { getOwn } from '../../contract/json/json.js';
import { modelsFolderVariable } from '../../contract/predictions/loaded-models.js';
import { indexesFolderVariable } from '../../contract/retrieval/retrieval.js';
import { storageKind } from '../../contract/storage/storage-place.js';
import type { ToolConfiguration } from '../tools/configured-tools.js';

export interface ProtectedPlaces {
  tools: Pick<ToolConfiguration, 'toolModules' | 'mcpServers'>;
  storage: string | null;
  index: string | null;
  payloads: string | null;
  codec: Pick<CodecSettings, 'module'>;
  env: Environment;
}

/** Variables that name a file of keys, certificates or secrets: `OPENAI_API_KEY_FILE`, `TEMPORAL_TLS_CLIENT_KEY_PATH`. */
const namesFile = /_(FILE|PATH|CREDENTIALS)$/;

/**
 * The files and folders that no procedure may read or write, wherever its folder of files is: what the worker loads and
 * starts, what it keeps, and what its environment names. Absolute paths.
 */
export function protectedPaths(
  { tools, storage, index, payloads, codec, env }: ProtectedPlaces,
  workingFolder: string,
): string[] {
  const { toolModules, mcpServers = {} } = tools;
  const started = Object.values(mcpServers).flatMap((server) =>
    'command' in server
      ? [server.command, ...(server.args ?? [])].map((word) =>
          resolve(workingFolder, server.cwd ?? '.', word),
        )
      : [],
  );
  const folders = [modelsFolderVariable, indexesFolderVariable].map((name) => getOwn(env, name) ?? '');
  const named = Object.keys(env).flatMap((name) => (namesFile.test(name) ? (getOwn(env, name) ?? '') : []));
  return [
    ...[...toolModules, ...folders, payloads ?? '', codec.module ?? '', ofAddress(storage), ofAddress(index)]
      .filter((path) => path !== '')
      .map((path) => resolve(workingFolder, path)),
    // An argument may be a folder that the server is to share with procedures.
    ...[...started, ...named.map((path) => resolve(workingFolder, path))].filter(isFile),
  ];
}

/** The path in an address of a file or a folder; empty for one of something else. */
function ofAddress(address: string | null): string {
  if (address === null) return '';
  const kind = storageKind(address);
  if (kind === 'file' || kind === 'sqlite') return address.slice(kind.length + 1).replace(/\?.*$/, '');
  return kind === null && (isAbsolute(address) || !/^[a-z][\w+.-]+:/i.test(address)) ? address : '';
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
