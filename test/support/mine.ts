import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpServerConfig } from '../../src/contract/tools/tool-servers.js';
import type { JsonObject } from '../../src/contract/json/json.js';
import { waitUntil } from './wait-until.js';

const script = fileURLToPath(new URL('mcp-tasks-server.mjs', import.meta.url));

/** The MCP server whose tools become tasks, by the folder in which it keeps them. */
export class Mine {
  constructor(private readonly folder: string) {}

  get overStdio(): McpServerConfig {
    return { command: process.execPath, args: [script, this.folder], protocol: '2026-07-28' };
  }

  async overHttp(): Promise<{ config: McpServerConfig; stop: () => void }> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const child = spawn(process.execPath, [script, this.folder, String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const config = { url: `http://127.0.0.1:${port}/`, protocol: '2026-07-28' };
    return { config, stop: () => child.kill() };
  }

  /** What it was asked, in order: `tools/call`, `tasks/get` … */
  asked(method: string): JsonObject[] {
    const file = join(this.folder, 'asked');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as JsonObject).filter((each) => each['method'] === method);
  }

  /** Resolves when it was asked so often. */
  async wasAsked(method: string, times = 1): Promise<void> {
    await waitUntil(() => Promise.resolve(this.asked(method).length >= times));
  }

  get tasks(): Record<string, JsonObject> {
    const file = join(this.folder, 'tasks');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, JsonObject>) : {};
  }

  /** All its tasks stand like that from now on; null: it has forgotten them. */
  become(state: JsonObject | null): void {
    const tasks = Object.entries(this.tasks).map(([id, task]) => [id, { ...task, ...state }] as const);
    const kept: JsonObject = state === null ? {} : Object.fromEntries(tasks);
    const file = join(this.folder, 'tasks');
    writeFileSync(`${file}.changed`, JSON.stringify(kept));
    renameSync(`${file}.changed`, file);
  }
}
