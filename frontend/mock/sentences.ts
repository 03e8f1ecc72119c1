/** Some hundred sentences from a few patterns; every fifth speaks about two aspects or about none. */
const ABOUT = {
  "room cleanliness": ["The bathroom was spotless and smelled fresh.", "There was dust under the bed and hair in the sink.", "Our room was cleaned every single day.", "The carpet was stained and sticky."],
  parking: ["The garage was full when we came back at night.", "Free parking right behind the house.", "We paid 18 euros a night for the car park.", "It took half an hour to find a parking space."],
  breakfast: ["Breakfast had fresh fruit and warm bread.", "The coffee at breakfast was lukewarm.", "The buffet ran out of eggs by nine.", "Lovely pancakes in the morning 🥞 and good coffee ☕."],
  staff: ["The receptionist was kind and patient.", "Nobody at the front desk could help us.", "Our waiter remembered our names.", "The staff ignored us for twenty minutes."],
  noise: ["We could hear the neighbours talking all night.", "A quiet street, we slept well.", "The traffic woke us at five.", "The bar below played loud music until two."],
  wifi: ["The wifi kept cutting out.", "Fast internet, good enough for video calls.", "The wifi only worked in the lobby."],
};
const NOTHING = ["We came on Monday and left on Thursday.", "My sister had booked this for us.", "<script>alert(1)</script> & other <b>signs</b>", "It was our third time in the city."];

export const ASPECTS = Object.keys(ABOUT);
export const EXAMPLES: Record<string, string[]> = Object.fromEntries(Object.entries(ABOUT).map(([name, texts]) => [name, texts.slice(0, 2)]));

export function reviews(n: number): { text: string; sentences: string[]; date: string; hotel: string }[] {
  const pools = Object.values(ABOUT);
  return Array.from({ length: n }, (_, i) => {
    const pick = (k: number) => pools[(i * 7 + k * 3 + (k * i) % 5) % pools.length]!;
    const one = (k: number) => pick(k)[(i + k) % pick(k).length]!;
    const sentences = [one(0), i % 5 === 0 ? `${one(1).replace(/\.$/, "")}, and ${one(2)[0]!.toLowerCase()}${one(2).slice(1)}` : one(1)];
    if (i % 3 === 0) sentences.push(NOTHING[i % NOTHING.length]!);
    const date = `2024-${String(1 + (i % 12)).padStart(2, "0")}-${String(1 + (i % 28)).padStart(2, "0")}`;
    return { text: sentences.join(" "), sentences, date, hotel: ["Seaview", "Old Mill", "Station Inn"][i % 3]! };
  });
}
