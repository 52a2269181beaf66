/** What an answer says went wrong, by a status of HTTP. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly more: object = {},
  ) {
    super(message);
  }
}
