import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { placeNear } from "./place";

interface Props {
  label: string;
  class?: string;
  tabIndex?: number;
  face: ComponentChildren;
  children: ComponentChildren;
}

/** A button that opens a list of choices: arrows move, Escape or a click elsewhere closes. */
export function Menu({ label, face, children, ...rest }: Props) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const toggled = (event: Event) => {
    const open = (event as ToggleEvent).newState === "open";
    button.current?.setAttribute("aria-expanded", String(open));
    if (!open) return;
    placeNear(list.current!, button.current!.getBoundingClientRect());
    list.current!.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
  };
  return (
    <>
      <button ref={button} type="button" {...rest} title={label} aria-label={label} aria-haspopup="menu" aria-expanded="false" popovertarget={id}>
        {face}
      </button>
      <div ref={list} id={id} class="menu" role="menu" aria-label={label} popover="auto" onToggle={toggled} onKeyDown={moveInMenu}
        onClick={(event) => (event.target as HTMLElement).closest("[role^=menuitem]") && list.current?.hidePopover()}>
        {children}
      </div>
    </>
  );
}

export function moveInMenu(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined) return;
  const items = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role^=menuitem]")];
  const at = items.indexOf(document.activeElement as HTMLElement) + step;
  items[Math.max(0, Math.min(items.length - 1, at))]?.focus();
  event.preventDefault();
}

interface ItemProps {
  onClick: () => void;
  checked?: boolean;
  /** Whether others may be checked at the same time. */
  several?: boolean;
  children: ComponentChildren;
}

export const MenuItem = ({ onClick, checked, several, children }: ItemProps) => (
  <button type="button" tabIndex={-1} onClick={onClick}
    {...(checked === undefined ? { role: "menuitem" } : { role: several ? "menuitemcheckbox" : "menuitemradio", "aria-checked": checked })}>
    {children}
  </button>
);
