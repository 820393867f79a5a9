// What the shop sells, and how it is found: by a word of its name, or by a tag.
'use strict';

const adjectives = ['red', 'small', 'quiet', 'heavy', 'round', 'bright', 'folding', 'wooden'];
const nouns = ['lamp', 'chair', 'kettle', 'clock', 'shelf', 'basket', 'mirror'];
const products = Array.from({ length: 400 }, (_, id) => {
  const noun = nouns[id * 13 % nouns.length];
  return {
    id, name: `${adjectives[id * 7 % adjectives.length]} ${noun} No. ${id}`, price: (id * 7919 % 9000 + 500) / 100, stock: id * 31 % 17,
    tags: [noun, id % 3 ? 'home' : 'office'], text: `A ${noun} for people who know what a ${noun} is for & like it "so".`,
  };
});

class Index {
  #byWord = new Map();
  constructor(list) {
    for (const product of list) for (const word of this.#wordsOf(product)) this.#put(word, product);
  }
  #wordsOf(product) {
    return new Set([...product.name.toLowerCase().split(/\W+/), ...product.tags]);
  }
  #put(word, product) {
    const found = this.#byWord.get(word);
    if (found) found.push(product);
    else this.#byWord.set(word, [product]);
  }
  * withAll(words) {
    const [first = '', ...others] = words;
    for (const product of this.#byWord.get(first) ?? []) {
      if (others.every((word) => this.#byWord.get(word)?.includes(product))) yield product;
    }
  }
}
const index = new Index(products);

function searchProducts(query) {
  const found = [...index.withAll(query.toLowerCase().split(/\s+/))];
  return found.sort((a, b) => a.price - b.price || a.name.localeCompare(b.name));
}
function priceOf(cart) {
  let cents = 0;
  for (const { id, count } of cart) cents += Math.round(products[id].price * 100) * count;
  return { cents, shipping: cents > 5000 ? 0 : 490 };
}
module.exports = { products, searchProducts, priceOf };
