import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ListeningPort {
  ip: string;
  port: number;
}

/** Where a process listens by TCP over IPv4: Linux alone. */
export function listeningPorts(pid: number): ListeningPort[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return []; // closed meanwhile
      }
    }),
  );
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode = '']) => state === '0A' && sockets.has(inode))
    .map(([, local = '']) => placeOf(local));
}

/** `0100007F:1F90` is 127.0.0.1:8080. */
function placeOf(local: string): ListeningPort {
  const [ip = '', port = ''] = local.split(':');
  const bytes = Buffer.from(ip, 'hex').reverse();
  return { ip: bytes.join('.'), port: Number.parseInt(port, 16) };
}
