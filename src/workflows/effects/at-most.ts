/** Work of which so much may be under way at once; what is more waits in a row. */
export class AtMost {
  private underWay = 0;
  private readonly row: (() => void)[] = [];

  constructor(private readonly most: number) {}

  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.underWay < this.most) return this.begin(work);
    return new Promise((resolve, reject) => {
      this.row.push(() => void this.begin(work).then(resolve, reject));
    });
  }

  private begin<T>(work: () => Promise<T>): Promise<T> {
    this.underWay++;
    const over = (): void => {
      this.underWay--;
      this.row.shift()?.();
    };
    const begun = work();
    begun.then(over, over);
    return begun;
  }
}
