// Templates as text with {{name}} for a value, {{#each list}} ... {{/each}} for each of a list and {{#if name}} ... {{/if}}.
// Each is made once into functions that write their part of the page.
'use strict';

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
function escapeHtml(text) {
  return String(text).replace(/[&<>"']/g, (c) => entities[c]);
}
function valueOf(path, values) {
  let value = values;
  for (const key of path) value = value?.[key];
  return value ?? '';
}

class Template {
  #parts;
  constructor(text) {
    const marks = text.split(/\{\{(.*?)\}\}/);
    this.#parts = Template.#block(marks, { at: 0 }, null);
  }
  // Every second piece is a mark; a block ends at its own closing mark.
  static #block(marks, place, closing) {
    const parts = [];
    while (place.at < marks.length) {
      const piece = marks[place.at++];
      if (place.at % 2 === 1) {
        if (piece !== '') parts.push(function writeText(out) { out.push(piece); });
      } else if (piece === closing) {
        return parts;
      } else {
        parts.push(Template.#mark(marks, place, piece));
      }
    }
    return parts;
  }
  static #mark(marks, place, piece) {
    const path = piece.replace(/^#\w+ /, '').split('.');
    if (piece.startsWith('#each ')) {
      const inner = Template.#block(marks, place, '/each');
      return function writeEach(out, values) {
        for (const item of valueOf(path, values)) for (const part of inner) part(out, item);
      };
    }
    if (piece.startsWith('#if ')) {
      const inner = Template.#block(marks, place, '/if');
      return function writeIf(out, values) {
        if (valueOf(path, values)) for (const part of inner) part(out, values);
      };
    }
    return function writeValue(out, values) { out.push(escapeHtml(valueOf(path, values))); };
  }
  render(values) {
    const out = [];
    for (const part of this.#parts) part(out, values);
    return out.join('');
  }
}
module.exports = { Template };
