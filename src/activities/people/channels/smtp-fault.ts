import { plainText } from '../../../contract/text/plain-text.js';
import { Fault } from '../../retries/fault.js';

interface SmtpError {
  code?: unknown;
  command?: unknown;
  responseCode?: unknown;
}

/** What a mail that wasn't taken amounts to. `isOfPerson`: its address alone was refused, for good. */
export function smtpFault(error: unknown): { fault: Fault; isOfPerson: boolean } {
  const { code, command, responseCode } = (error ?? {}) as SmtpError;
  const message = plainText(error instanceof Error ? error.message : String(error)).slice(0, 300);
  const status = typeof responseCode === 'number' ? responseCode : null;
  const isRefused = status !== null && status >= 500;
  const retryable = !isRefused && code !== 'EAUTH' && code !== 'ETLS';
  return { fault: new Fault(message, { retryable }), isOfPerson: isRefused && command === 'RCPT TO' };
}
