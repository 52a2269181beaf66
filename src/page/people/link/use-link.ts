import { useCallback, useEffect } from 'preact/hooks';
import type { JsonValue } from '../../../contract/json/json.js';
import type { Verdict } from '../../../contract/people/decision.js';
import { Api, askServer, fileInit, filePath, jsonInit, messageOf, verdictOf } from '../../api/api.js';
import type { AskedRequest, LinkedState } from '../../api/shapes.js';
import { useOpened } from '../request/use-request.js';

/** The part of the HTTP API that a link leads to. Its token goes with a header, and never into an address. */
export class LinkApi extends Api {
  constructor(private readonly token: string) {
    super('', () => undefined);
  }

  /** @throws ApiError */
  async read(): Promise<LinkedState> {
    return (await askServer('/link', this.signed({}))) as LinkedState;
  }

  /** Digest and name stand in the link. */
  override decide(_request: string, _verb: 'decide', body: object): Promise<Verdict> {
    const { digest: _digest, ...answer } = body as { digest?: string };
    return verdictOf('/api/v1/link/decide', this.signed(jsonInit(answer)));
  }

  override async upload(file: File): Promise<{ value: JsonValue }> {
    return (await askServer(`/link${filePath(file)}`, this.signed(fileInit(file)))) as { value: JsonValue };
  }

  private signed(init: RequestInit): RequestInit {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Link ${this.token}` };
    return { ...init, headers, cache: 'no-store', credentials: 'omit' };
  }
}

export interface OpenedLink {
  /** As it stands; null: not read yet. */
  state: LinkedState | null;
  /** The request as it was when the link was opened; null: it could not be answered then. */
  shown: AskedRequest | null;
  problem: string | null;
  read: () => Promise<void>;
}

const isGone = (found: LinkedState | Error): boolean => !(found instanceof Error) && found.state === 'gone';

/** What a link leads to: read when it is opened, when somebody comes back to it, and when it was answered. */
export function useLink(api: LinkApi): OpenedLink {
  const look = useCallback(() => api.read(), [api]);
  const { state, shown, problem, read } = useOpened<LinkedState>(look, isGone);
  useEffect(() => {
    const again = (): void => {
      if (document.visibilityState === 'visible') void read();
    };
    document.addEventListener('visibilitychange', again);
    return () => document.removeEventListener('visibilitychange', again);
  }, [read]);
  return { state, shown, problem: problem === null ? null : messageOf(problem), read };
}
