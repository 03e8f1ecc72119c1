import { offline, Problem, send } from "../api/http";
import { announce } from "./messages";

const PAUSE = 1000;
const LOOK = 5000;
/** The studio is not reached, or has no time. */
const PASSING = [0, 502, 503, 504];

/** Again when the studio is back, as long as it does not answer; only for what may be done twice. */
export async function persistently<A>(work: () => Promise<A>): Promise<A> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem) || !PASSING.includes(error.status)) throw error;
    }
    await pause();
    await reconnected();
  }
}

async function reconnected(): Promise<void> {
  while (offline.value) {
    await pause();
    await answers();
  }
}

const pause = () => new Promise((resume) => setTimeout(resume, PAUSE));

const answers = () => send("GET", "/status").catch(() => undefined);

/** Notices that the studio has gone before anyone asks it for something, and that it is back. */
export function followConnection(back: () => void): void {
  setInterval(() => !offline.value && !document.hidden && void answers(), LOOK);
  offline.subscribe((gone) => {
    if (!gone) return;
    announce("The studio does not answer");
    void reconnected().then(() => (announce("The studio answers again"), back()));
  });
}
