/** What an answer says went wrong, by gRPC's numbers. */
export const codes = {
  invalid: 3,
  notFound: 5,
  exists: 6,
  precondition: 9,
  unimplemented: 12,
} as const;

export class Refusal extends Error {
  readonly code: number;

  constructor(kind: keyof typeof codes, message: string) {
    super(message);
    this.code = codes[kind];
  }
}
