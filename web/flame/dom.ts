// Making elements. The picture is an SVG document or part of an HTML page, so every element names its namespace, and
// text is only ever set as text.

const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';

type Attributes = { [name: string]: string | number };

export function set(element: Element, attributes: Attributes): void {
	for (const name of Object.keys(attributes))
		element.setAttribute(name, String(attributes[name]));
}

export function svg<K extends keyof SVGElementTagNameMap>(
	tag: K, attributes: Attributes = {}, ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
	const element = document.createElementNS(SVG, tag) as SVGElementTagNameMap[K];
	set(element, attributes);
	element.append(...children);
	return element;
}

export function html<K extends keyof HTMLElementTagNameMap>(
	tag: K, attributes: Attributes = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
	const element = document.createElementNS(HTML, tag) as HTMLElementTagNameMap[K];
	set(element, attributes);
	element.append(...children);
	return element;
}

export function byId(id: string): SVGElement | null {
	return document.getElementById(id) as SVGElement | null;
}

/** Runs once before the next picture however often it was asked for. */
export function oncePerPicture(run: () => void): () => void {
	let isAsked = false;
	return () => {
		if (isAsked)
			return;
		isAsked = true;
		requestAnimationFrame(() => {
			isAsked = false;
			run();
		});
	};
}
