import { send } from "./http";

export interface StreamEvent {
  event: string;
  data: unknown;
}

/** Cuts a growing text into whole events; what is left over waits for the next piece. */
export function splitEvents(text: string): { events: StreamEvent[]; rest: string } {
  const blocks = text.replaceAll("\r\n", "\n").split("\n\n");
  const rest = blocks.pop() ?? "";
  return { events: blocks.map(readEvent).filter((event) => event !== null), rest };
}

function readEvent(block: string): StreamEvent | null {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trim());
  }
  return data.length || event !== "message" ? { event, data: data.length ? JSON.parse(data.join("\n")) : {} } : null;
}

/** Read with fetch, because EventSource cannot send the token. */
export async function* stream(path: string): AsyncGenerator<StreamEvent> {
  const answer = await send("GET", path);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    const { events, rest } = splitEvents(waiting + (value ?? "") + (done ? "\n\n" : ""));
    waiting = rest;
    yield* events;
    if (done) return;
  }
}
