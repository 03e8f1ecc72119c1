const GAP = 6;

/** Puts a floating box below (or, without room, above) a place on the screen. */
export function placeNear(box: HTMLElement, place: DOMRect): void {
  const { width, height } = box.getBoundingClientRect();
  const below = place.bottom + GAP + height <= innerHeight;
  const left = Math.max(GAP, Math.min(place.left, innerWidth - width - GAP));
  const top = below ? place.bottom + GAP : Math.max(GAP, place.top - GAP - height);
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}
