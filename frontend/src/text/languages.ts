import type { UnreadReviews } from "../api/types";
import { count, counted } from "./numbers";

/** "6 of 8 reviews are in German"; "9 of 20 reviews are in German (6) and French (3)". */
export function listed({ languages, looked_at }: UnreadReviews): string {
  const all = languages.reduce((sum, one) => sum + one.reviews, 0);
  const names = languages.map(({ language, reviews }) => (languages.length > 1 ? `${language} (${count(reviews)})` : language));
  const last = names.pop()!;
  return `${count(all)} of ${counted(looked_at, "review")} ${all === 1 ? "is" : "are"} in ${names.length ? `${names.join(", ")} and ` : ""}${last}`;
}
