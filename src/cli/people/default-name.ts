import { userInfo } from 'node:os';

/** Who decides where nobody is named: the account at this machine. */
export function defaultName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
