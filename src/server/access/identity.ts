/** What an identity may do: look; decide requests; start, cancel and feed runs. */
export const roles = ['read', 'decide', 'operate'] as const;
export type Role = (typeof roles)[number];

/** Who asks, as far as the server knows. */
export interface Identity {
  /** Goes with decisions as `by`. null: nobody has proved a name, and what a body says is a claim. */
  name: string | null;
  /** How the name was proved; `trusted-namespace`: nobody has to. */
  mode: 'token' | 'jwt' | 'trusted-namespace';
  groups: readonly string[];
  roles: readonly Role[];
  /** Namespaces that it may use. */
  namespaces: readonly string[];
  /** When it ends by itself, in ms since 1970; Infinity: never. */
  until: number;
}
