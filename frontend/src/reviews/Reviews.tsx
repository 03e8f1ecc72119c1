import { useEffect, useRef } from "preact/hooks";
import { VirtualList } from "../parts/VirtualList";
import { onMove } from "../state/keyboard";
import { indexOf, loading, need, restarts, sentenceAt, total } from "../state/sentences";
import { selected } from "../state/view";
import { Empty } from "./Empty";
import { FilterLine } from "./FilterLine";
import { focusSelected } from "./focus";
import { SentenceCard } from "./SentenceCard";
import { TryIt } from "./TryIt";
import { Unread } from "./Unread";

export function Reviews() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => onMove(() => focusSelected(box.current!)), []);
  const all = total();
  const row = (index: number) => {
    const sentence = sentenceAt(index);
    return sentence ? <SentenceCard sentence={sentence} index={index} total={all} /> : <div class="card waiting" aria-hidden="true" />;
  };
  return (
    <div ref={box} class={`reviews ${loading.value ? "loading" : ""}`}>
      <VirtualList label="Sentences" total={all} start={restarts.value} current={selected.value === null ? -1 : indexOf(selected.value)} busy={loading.value} row={row} onRange={need}>
        <Unread />
        <TryIt />
        <FilterLine />
        {all === 0 && !loading.value && <Empty />}
      </VirtualList>
    </div>
  );
}
