import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { dialog } from "../state/view";
import { IconButton } from "./IconButton";
import { Toasts } from "./Toasts";

interface Props {
  title: string;
  wide?: boolean;
  onClose?: () => void;
  children: ComponentChildren;
}

/** The browser's own modal dialog: it keeps the focus inside, closes with Escape and gives the focus back. Messages must stand inside it to be reached. */
export function Dialog({ title, wide, onClose = closeDialog, children }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => box.current?.showModal(), []);
  // Not left to the event "close": that comes a moment after the box is gone, and a key pressed in between would be lost.
  const leave = () => {
    box.current?.close();
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    event.preventDefault();
    leave();
  };
  return (
    <dialog
      ref={box} class={wide ? "wide" : ""} aria-labelledby={heading} onKeyDown={onKeyDown}
      onClose={() => box.current && onClose()} onClick={(event) => event.target === box.current && leave()}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={leave} />
      </header>
      {children}
      <Toasts />
    </dialog>
  );
}

export const closeDialog = () => {
  dialog.value = null;
};
