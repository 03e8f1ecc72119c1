/** One tab stop for a group of buttons; the arrow keys go through them. */
export function rove(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("button:not(:disabled)")];
  const at = buttons.indexOf(document.activeElement as HTMLElement);
  const next = buttons[at + step];
  if (!next) return;
  buttons[at]!.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  event.preventDefault();
}
