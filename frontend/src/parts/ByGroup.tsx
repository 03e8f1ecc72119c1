import type { ComponentChildren } from "preact";
import type { Aspect } from "../api/types";
import { byGroup } from "../state/groups";

interface Props {
  aspects: readonly Aspect[];
  children: (aspect: Aspect) => ComponentChildren;
}

/** Choices of aspects under the headings of their groups. */
export const ByGroup = ({ aspects, children }: Props) => (
  <>
    {byGroup(aspects).map(([group, members]) =>
      group ? (
        <div key={group} role="group" aria-label={group} class="choice-group">
          <p aria-hidden="true">{group}</p>
          {members.map(children)}
        </div>
      ) : (
        members.map(children)
      ),
    )}
  </>
);
