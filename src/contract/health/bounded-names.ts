/** Each value of a label is a series that Prometheus keeps. Procedures name models as they like. */
const mostNames = 200;
const others = 'other';

/** Names that become values of a label: `mostNames` at most, and what comes later is `other`. */
export class BoundedNames {
  private readonly names = new Set<string>();

  bounded(name: string): string {
    if (this.names.has(name)) return name;
    if (this.names.size >= mostNames) return others;
    this.names.add(name);
    return name;
  }
}
