// Widths of characters: each is measured once, on a canvas, and never by asking the picture.

import { html } from './dom';
import { CharWidth } from './label';


/** A ruler for the font that an element has. */
export function rulerFor(element: Element): CharWidth {
	const style = getComputedStyle(element);
	const context = html('canvas').getContext('2d');
	const fallback = 0.6 * parseFloat(style.fontSize);
	if (!context)
		return () => fallback;
	context.font = style.fontWeight + ' ' + style.fontSize + ' ' + style.fontFamily;
	const common = new Float32Array(0x250);
	const others = new Map<number, number>();
	return (code) => {
		let width = code < 0x250 ? common[code] : others.get(code);
		if (!width) {
			// A lone half of a pair or an accent has no width of its own worth asking for.
			width = context.measureText(String.fromCodePoint(code)).width || 0.01;
			if (code < 0x250)
				common[code] = width;
			else
				others.set(code, width);
		}
		return width;
	};
}
