import { useEffect, useRef, useState } from "preact/hooks";
import type { Group } from "../api/types";
import { change } from "../state/corrections";
import { announce, report } from "../state/messages";
import { aspectById, project, studio } from "../state/project";
import { wanted } from "../state/view";
import { count, percent } from "../text/numbers";

const SHOWN = 3;

/** What the sentences are about that have none of the aspects; one click makes a group an aspect. */
export function NotNamed() {
  const [groups, setGroups] = useState<Group[] | null>(null);
  const [looking, setLooking] = useState(false);
  const id = project.value!.id;
  useEffect(() => setGroups(null), [id]);
  const look = async () => {
    setLooking(true);
    try {
      const found = (await studio().groups()).groups;
      if (project.value?.id === id) setGroups(found);
    } catch (error) {
      report(error);
    }
    setLooking(false);
  };
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (wanted.value !== "not-named") return;
    wanted.value = null;
    box.current!.scrollIntoView();
    void look();
  }, [wanted.value]);
  const adopt = async (group: Group, name: string) => {
    const made = await change(() => studio().addAspect({ name, description: "", examples: group.sentences }));
    if (!made) return;
    setGroups((now) => now && now.filter((other) => other !== group));
    announce(`Added the aspect ${name}`);
  };
  return (
    <section ref={box} class="card chart not-named" aria-label="Not named yet">
      <h2>Not named yet</h2>
      <p class="soft">What people write about in sentences that have none of your aspects. Add a group as an aspect, and its sentences become examples.</p>
      {groups?.length === 0 && <p class="soft" role="status">No groups found: too few sentences have none of your aspects, or they have little in common.</p>}
      {groups?.map((group) => <GroupRow key={group.sentences.join("\n")} group={group} adopt={adopt} />)}
      <button type="button" disabled={looking} onClick={() => void look()}>
        {looking ? "Looking …" : groups ? "Look again" : "Look for groups"}
      </button>
    </section>
  );
}

function GroupRow({ group, adopt }: { group: Group; adopt: (group: Group, name: string) => Promise<void> }) {
  const [name, setName] = useState(group.name);
  const submit = (event: Event) => {
    event.preventDefault();
    void adopt(group, name.trim());
  };
  const takes = group.takes.map(({ aspect, count: n }) => `${count(n)} of “${aspectById.value.get(aspect)?.name ?? "?"}”`);
  return (
    <form class="group" onSubmit={submit}>
      <header>
        <input aria-label="Name of the new aspect" required maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} autocomplete="off" />
        <span class="soft">{count(group.size)} sentences, {percent(group.share)}</span>
        <button type="submit" class="primary">Add as an aspect</button>
      </header>
      <ul>{group.sentences.slice(0, SHOWN).map((text) => <li key={text} dir="auto">{text}</li>)}</ul>
      <p class="soft">
        Typical words: {group.words.slice(0, 6).join(", ")}
        {takes.length > 0 && <>. It would also be found in {takes.join(", ")}</>}
      </p>
    </form>
  );
}
