/** The focus follows the selection once its card is drawn. */
export function focusSelected(box: HTMLElement): void {
  requestAnimationFrame(() => requestAnimationFrame(() => box.querySelector<HTMLElement>("[aria-current=true]")?.focus({ preventScroll: true })));
}
