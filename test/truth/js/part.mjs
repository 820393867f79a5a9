// A part of module.mjs.
const numbers = new Float64Array(256).fill(1.5);
export function scale(rounds) {
  for (let i = 0; i < rounds; i++) numbers[i & 255] = numbers[i * 7 & 255] * 1.0001 % 1000;
}
