import type { Verdict } from '../../../contract/people/decision.js';
import type { JsonValue } from '../../../contract/json/json.js';
import { Api, askServer, fileInit, filePath, jsonInit, verdictOf } from '../../api/api.js';
import type { LinkedState } from '../../api/shapes.js';

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
