// ES modules, whose files V8 knows by URL: node module.mjs TRUTH.
import turns from './turns.js';
import { scale } from './part.mjs';

let sink = 1;
export default function summed(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum + (i ^ (sum << 1))) | 0;
  sink = sum;
}
const arrow = (rounds) => {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum * 5 + i) | 0;
  sink = sum;
};
await turns.takeTurns([
  { name: 'summed@module.mjs', weight: 5, run: summed },
  { name: 'arrow@module.mjs', weight: 3, run: arrow },
  { name: 'scale@part.mjs', weight: 2, run: scale },
], process.argv[2]);
