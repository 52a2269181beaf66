import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { waitUntil } from './wait-until.js';

export interface SmtpStandIn {
  port: number;
  mails: { to: string[]; text: string }[];
  /** Addresses that are refused for good. */
  unknown: Set<string>;
  /** Those of the next mails that are put off once they are sent. */
  putOff: number;
  taken(count: number): Promise<SmtpStandIn['mails']>;
  close(): Promise<void>;
}

/** A mail server that keeps what it is sent. */
export async function startSmtp(options: SMTPServerOptions = {}): Promise<SmtpStandIn> {
  const standIn: SmtpStandIn = {
    ...{ port: 0, mails: [], unknown: new Set<string>(), putOff: 0 },
    taken: (count) => waitUntil(async () => standIn.mails.length >= count && standIn.mails),
    close: () => new Promise((closed) => server.close(() => closed())),
  };
  const refuse = (responseCode: number, message: string): Error =>
    Object.assign(new Error(message), { responseCode });
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      done(standIn.unknown.has(address) ? refuse(550, 'no such user') : null),
    onData: (stream, session, done) => {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        if (standIn.putOff-- > 0) return done(refuse(451, 'try again later'));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        standIn.mails.push({ to, text: Buffer.concat(pieces).toString() });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  standIn.port = (server.server.address() as AddressInfo).port;
  return standIn;
}
