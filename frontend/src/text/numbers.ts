const whole = new Intl.NumberFormat("en");

export const count = (n: number) => whole.format(n);
/** Not every measure is defined: without found sentences there is no precision. */
export const probability = (p: number | null) => (p === null ? "–" : p.toFixed(2));
export const percent = (share: number) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
export const counted = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
/** Of a time as the server has it, where the reader is. */
export const day = (time: string) => new Date(time).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
