import { signal } from "@preact/signals";

const PREFIX = "api/v1";
const TOKEN = "fewaspect-token";

/** Whether the studio answered when it was asked last. */
export const offline = signal(false);

/** Said by a server in front of the studio that does not reach it. */
const UNREACHED = [502, 503, 504];

/** What a problem+json answer says, as an error; status 0: the studio did not answer. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly field?: string,
  ) {
    super(detail);
  }
}

/** The token stands once in the address and is taken out of it, so that it is not shared with a copied link. */
export function takeToken(): void {
  const token = location.hash.startsWith("#token=") && new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  keepToken(token);
  history.replaceState(null, "", location.pathname + location.search);
}

export const keepToken = (token: string) => sessionStorage.setItem(TOKEN, token);

export async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = new Headers();
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  if (method !== "GET") headers.set("X-Fewaspect", "studio");
  const form = body instanceof FormData;
  if (body !== undefined && !form) headers.set("Content-Type", "application/json");
  const payload = body === undefined ? null : form ? body : JSON.stringify(body);
  const answer = await fetch(`${PREFIX}${path}`, { method, headers, body: payload, signal: signal ?? null }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw gone();
  });
  const own = answer.headers.get("Content-Type")?.includes("json"); // the studio has something to say itself
  if (UNREACHED.includes(answer.status) && !own) throw gone();
  offline.value = false;
  if (answer.status === 429) {
    await new Promise((resume) => setTimeout(resume, 1000 * (Number(answer.headers.get("Retry-After")) || 1)));
    return send(method, path, body, signal);
  }
  if (!answer.ok) throw await problem(answer);
  return answer;
}

function gone(): Problem {
  offline.value = true;
  return new Problem(0, "The studio does not answer. Is it still running?");
}

export async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await send(method, path, body, signal);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

async function problem(answer: Response): Promise<Problem> {
  const said = await answer.json().catch(() => ({}));
  const detail = said.plain ?? said.detail ?? said.title ?? `The studio answered ${answer.status}.`;
  return new Problem(answer.status, typeof detail === "string" ? detail : JSON.stringify(detail), said.field);
}

/** A download goes through fetch, because a plain link could not carry the token. */
export async function download(path: string, fallback: string, body?: unknown): Promise<void> {
  const answer = await send(body === undefined ? "GET" : "POST", path, body);
  const named = /filename="?([^";]+)"?/.exec(answer.headers.get("Content-Disposition") ?? "");
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = named?.[1] ?? fallback;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
