/** Heights of the rows of a long list: measured where seen, guessed elsewhere. */
export class Heights {
  private measured = new Map<number, number>();
  private sum = 0;

  constructor(private readonly first_guess: number) {}

  get guess(): number {
    return this.measured.size ? this.sum / this.measured.size : this.first_guess;
  }

  set(index: number, height: number): boolean {
    const before = this.measured.get(index);
    if (before === height) return false;
    this.sum += height - (before ?? 0);
    this.measured.set(index, height);
    return true;
  }

  clear(): void {
    this.measured.clear();
    this.sum = 0;
  }

  /** Where a row begins. */
  top(index: number): number {
    let known = 0;
    let sum = 0;
    for (const [i, height] of this.measured) if (i < index) (known++, (sum += height));
    return sum + (index - known) * this.guess;
  }

  /** The row at a distance from the top of a list of `total` rows. */
  at(distance: number, total: number): number {
    let low = 0;
    let high = Math.max(0, total - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.top(middle) <= distance) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
