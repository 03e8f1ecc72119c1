/** What was typed one per line, without empty lines and repetitions. */
export function lines(text: string): string[] {
  return [...new Set(text.split("\n").map((line) => line.trim()).filter(Boolean))];
}

/** Labelled lines: the text, a tab or " | ", its aspects with ";" between them; nothing after the bar means none of these. */
export function labelledLines(text: string): { texts: string[]; labels: string[][] } {
  const texts: string[] = [];
  const labels: string[][] = [];
  for (const line of text.split("\n")) {
    const bar = Math.max(line.lastIndexOf("\t"), line.lastIndexOf("|"));
    const sentence = (bar < 0 ? line : line.slice(0, bar)).trim();
    if (!sentence) continue;
    texts.push(sentence);
    labels.push(bar < 0 ? [] : line.slice(bar + 1).split(";").map((name) => name.trim()).filter(Boolean));
  }
  return { texts, labels };
}
