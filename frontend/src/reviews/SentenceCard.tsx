import type { ComponentChildren } from "preact";
import { offline } from "../api/http";
import type { Sentence } from "../api/types";
import { Icon } from "../parts/Icon";
import { IconButton } from "../parts/IconButton";
import { label, release } from "../state/corrections";
import { PolarityMark } from "../sentiment/PolarityMark";
import { byScore, decideAnew } from "../state/decisions";
import { draft } from "../state/draft";
import { selected } from "../state/view";
import { AddMenu } from "./AddMenu";
import { Chip, NoneChip, OtherLanguage, RejectedChip } from "./Chip";
import { MarkedText } from "./MarkedText";

interface Props {
  sentence: Sentence;
  index: number;
  total: number;
  children?: ComponentChildren;
}

export function SentenceCard({ sentence: told, index, total, children }: Props) {
  const moved = draft.value;
  const sentence = moved ? decideAnew(told, moved.aspect, moved.threshold) : told;
  const current = selected.value === sentence.id;
  const stop = current ? 0 : -1; // Tab goes through the current sentence only, not through thousands
  const choose = () => (selected.value = sentence.id);
  const rejected = sentence.confirmed ? [] : (sentence.rejected ?? []).filter((id) => !sentence.aspects.includes(id));
  const said = rejected.length ? byScore(sentence, [...sentence.aspects, ...rejected]) : sentence.aspects; // each stays in its place
  return (
    <article class={`card sentence ${current ? "current" : ""} ${sentence.confirmed ? "confirmed" : ""}`} aria-current={current} aria-posinset={index + 1} aria-setsize={total}
      aria-label={sentence.text} tabIndex={stop} onClick={choose} onFocusCapture={choose}>
      <MarkedText id={sentence.id} text={sentence.text} words={sentence.words} />
      {children}
      <div class="sentence-foot">
        <div class="chips">
          {said.map((id) => (
            <span key={id} class="chip-pair">
              {rejected.includes(id) ? <RejectedChip sentence={sentence} id={id} tabIndex={stop} /> : <Chip sentence={sentence} id={id} tabIndex={stop} />}
              {!rejected.includes(id) && <PolarityMark sentence={sentence} id={id} tabIndex={stop} />}
            </span>
          ))}
          {sentence.aspects.length === 0 && <NoneChip sentence={sentence} />}
          <AddMenu sentence={sentence} tabIndex={stop} />
          {sentence.foreign && !sentence.confirmed && <OtherLanguage />}
        </div>
        {sentence.date && <small class="date">{sentence.date.slice(0, 10)}</small>}
        {sentence.unsaved ? (
          <span class="unsaved-mark">{offline.value ? "not saved yet" : "saving …"}</span>
        ) : sentence.confirmed ? (
          <button type="button" class="confirmed-mark" tabIndex={stop} title="You confirmed this. Click to take that back: it is then no longer an example." onClick={() => release(sentence)}>
            <Icon name="check" /> confirmed
          </button>
        ) : (
          <IconButton icon="check" tabIndex={stop} label={sentence.aspects.length ? "Confirm these aspects" : "Confirm: none of these"} onClick={() => label(sentence, sentence.aspects)} />
        )}
      </div>
    </article>
  );
}
