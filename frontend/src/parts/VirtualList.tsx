import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Heights } from "./heights";

const SPARE = 4;

interface Props {
  label: string;
  total: number;
  /** Another value scrolls back to the top. */
  start: unknown;
  /** This row is brought into view when it changes. */
  current: number;
  busy: boolean;
  row: (index: number) => ComponentChildren;
  onRange: (first: number, last: number) => void;
  children?: ComponentChildren;
}

/** A list of any length that draws only the rows in view; what comes before and after is empty space of the right height. */
export function VirtualList({ label, total, start, current, busy, row, onRange, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const [heights] = useState(() => new Heights(104));
  const [[first, last], setRange] = useState<[number, number]>([0, 20]);

  const atEnd = useRef(false);

  const look = () => {
    const { scrollTop, clientHeight } = box.current!;
    const offset = rows.current!.offsetTop;
    const from = Math.max(0, heights.at(scrollTop - offset, total) - SPARE);
    const to = Math.min(Math.max(0, total - 1), heights.at(scrollTop - offset + clientHeight, total) + SPARE);
    setRange((old) => (old[0] === from && old[1] === to ? old : [from, to]));
    onRange(from, to);
  };

  const measure = () => {
    let changed = false;
    for (const element of rows.current!.querySelectorAll<HTMLElement>(":scope > [data-index]")) {
      changed = heights.set(Number(element.dataset.index), element.offsetHeight) || changed;
    }
    if (changed) look();
    if (atEnd.current) box.current!.scrollTop = box.current!.scrollHeight; // the last rows may be higher than was guessed
  };
  const scrolled = () => {
    const { scrollTop, clientHeight, scrollHeight } = box.current!;
    atEnd.current = scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 2;
    look();
  };
  const latest = useRef(measure);
  latest.current = measure;

  useLayoutEffect(measure);
  useLayoutEffect(() => {
    heights.clear();
    atEnd.current = false;
    box.current!.scrollTop = 0;
    look();
  }, [start]);
  useEffect(look, [total]);
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      heights.clear(); // lines break elsewhere now
      latest.current();
    });
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (current < 0) return;
    const view = box.current!;
    const top = rows.current!.offsetTop + heights.top(current);
    const bottom = rows.current!.offsetTop + heights.top(current + 1);
    if (top < view.scrollTop) view.scrollTop = current === 0 ? 0 : top - 8;
    else if (bottom > view.scrollTop + view.clientHeight) view.scrollTop = bottom - view.clientHeight + 8;
  }, [current, start]);

  const shown = Array.from({ length: Math.max(0, Math.min(last, total - 1) - first + 1) }, (_, i) => first + i);
  return (
    <div class="virtual" ref={box} onScroll={scrolled}>
      {children}
      <div ref={rows} role={total ? "feed" : undefined} aria-label={total ? label : undefined} aria-busy={busy}>
        <div style={{ height: `${heights.top(first)}px` }} />
        {shown.map((index) => (
          <div key={index} data-index={index}>
            {row(index)}
          </div>
        ))}
        <div style={{ height: `${Math.max(0, heights.top(total) - heights.top(Math.min(last + 1, total)))}px` }} />
      </div>
    </div>
  );
}
