/** Something that a branch can go on from with what is its own. */
export interface Branching {
  /** The same, to be changed apart from this; later changes of this don't show in it. */
  branch(): this;
}

/** What rooms keep for one branch of a run, by who keeps it; read through `PerBranch` alone. */
export type BranchKept = Map<object, Branching>;

/** What a branch begins with. */
export function apart(kept: BranchKept): BranchKept {
  return new Map([...kept].map(([key, value]) => [key, value.branch()]));
}
