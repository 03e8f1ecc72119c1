import { Icon } from "../parts/Icon";
import { columns } from "../state/columns";
import { inWords } from "../text/conditions";

/** The columns that the reviews are narrowed by; a click takes one away. */
export const WhereChips = ({ where, onChange }: { where: string[]; onChange: (where: string[]) => void }) => (
  <>
    {inWords(where, columns.value).map((own) => (
      <button key={own.column} type="button" class="where-chip" title={`Do not filter by ${own.column}`} onClick={() => onChange(where.filter((text) => !own.where.includes(text)))}>
        {own.words} <Icon name="close" />
      </button>
    ))}
  </>
);
