/** With what links are signed that answer a request, as configuration says. */
export interface LinkSettings {
  /** Id of one of the keys that verify. */
  key: string;
  /** Path of its private half in PEM; left out: it is a secret. */
  file?: string;
  /** Name of the environment variable that holds the secret. */
  secret?: string;
  /** So long a link holds at most, in ms. */
  validMs: number;
}
