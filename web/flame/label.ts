// Labels that fit. Paths lose their middle directories first, then arguments and template parameters go from the end,
// then qualifiers; a function's own name is cut last.

/** Width of one code point, px. */
export type CharWidth = (codePoint: number) => number;

const ELLIPSIS = '\u2026';
/** More characters than any window shows; what is longer is cut before it is looked at. */
const LONGEST = 1200;

export function textWidth(text: string, charWidth: CharWidth): number {
	let width = 0;
	for (let i = 0; i < text.length; i++) {
		const code = text.codePointAt(i) as number;
		if (code > 0xffff)
			i++;
		width += charWidth(code);
	}
	return width;
}

/** Whether the character at an index belongs to the one before it: half of a pair, an accent, part of an emoji. */
function continues(text: string, at: number): boolean {
	if (at <= 0 || at >= text.length)
		return false;
	const unit = text.charCodeAt(at);
	if (unit < 0x300)
		return false;
	if (unit >= 0xdc00 && unit <= 0xdfff)
		return true;
	if (text.charCodeAt(at - 1) === 0x200d)
		return true;
	const char = String.fromCodePoint(text.codePointAt(at) as number);
	return /^[\p{M}\u200d\u{1f3fb}-\u{1f3ff}]/u.test(char);
}

/** The largest cut at or before `at` that splits nothing a reader sees as one character. */
export function safeCut(text: string, at: number): number {
	let cut = Math.min(at, text.length);
	for (let tries = 0; tries < 64 && continues(text, cut); tries++)
		cut--;
	return cut;
}

/** As much of the beginning as fits together with `end`. */
export function cutEnd(text: string, end: string, room: number, charWidth: CharWidth): string {
	let left = room - textWidth(end, charWidth);
	let at = 0;
	while (at < text.length) {
		const code = text.codePointAt(at) as number;
		left -= charWidth(code);
		if (left < 0)
			break;
		at += code > 0xffff ? 2 : 1;
	}
	const head = text.slice(0, safeCut(text, at));
	return head ? head + end : '';
}

/** Beginning and end of a text of any length, with as much of both as fits. */
export function cutMiddle(text: string, room: number, charWidth: CharWidth): string {
	const whole = limit(text);
	if (textWidth(whole, charWidth) <= room)
		return whole;
	let tail = whole.length;
	let width = 0;
	while (tail > 0 && width < room * 0.4)
		width += charWidth(whole.charCodeAt(--tail));
	while (continues(whole, tail))
		tail++;
	return cutEnd(whole.slice(0, tail), ELLIPSIS + whole.slice(tail), room, charWidth);
}

/** Beginning and end of what is longer than anybody reads. */
export function limit(name: string): string {
	if (name.length <= LONGEST)
		return name;
	const half = LONGEST / 2;
	const tail = name.slice(-half);
	return name.slice(0, safeCut(name, half)) + ELLIPSIS + tail.slice(continues(name, name.length - half) ? 1 : 0);
}

/** /home/me/app/lib/a.js as /home/.../lib/a.js, and so on to .../a.js. */
function* shorterPaths(name: string): Generator<string> {
	const found = /(^|\s)([^\s<(]*\/[^\s<(/]+\/\S*)/.exec(name);
	if (!found)
		return;
	const before = name.slice(0, found.index) + found[1];
	const after = name.slice(found.index + found[0].length);
	const parts = found[2].split('/');
	const first = parts[0] || '/' + parts[1];
	for (let kept = parts.length - (parts[0] ? 2 : 3); kept >= 1; kept--)
		yield before + [first, ELLIPSIS, ...parts.slice(-kept)].join('/') + after;
	yield before + ELLIPSIS + '/' + parts[parts.length - 1] + after;
}

/** What may follow the arguments of a function: qualifiers, and what compilers add to clones. */
const AFTER_ARGUMENTS = /^( const)?( volatile)?( ?&{1,2})?( \[[^\]]*\])*(\.(constprop|part|isra|cold|clone|lto_priv|localalias|llvm|\d+)\b)*$/;

/** Where the arguments at the end of a name begin, or -1. */
function argumentsAt(name: string): number {
	const close = name.lastIndexOf(')');
	if (close < 0 || !AFTER_ARGUMENTS.test(name.slice(close + 1)))
		return -1;
	let depth = 0;
	for (let i = close; i > 0; i--) {
		if (name[i] === ')')
			depth++;
		else if (name[i] === '(' && --depth === 0)
			return i;
	}
	return -1;
}

/** Whether the < at an index opens template parameters, and is no operator. */
function opensTemplate(name: string, at: number): boolean {
	return (at === 0 || /[\w<, (]/.test(name[at - 1])) && !/operator<?$/.test(name.slice(Math.max(0, at - 9), at));
}

/** Outermost <...> of a name, as [open, close]. */
function templates(name: string): [number, number][] {
	const found: [number, number][] = [];
	let depth = 0;
	let open = 0;
	for (let i = 0; i < name.length; i++) {
		if (name[i] === '<' && opensTemplate(name, i)) {
			if (depth++ === 0)
				open = i;
		} else if (name[i] === '>' && depth > 0 && name[i - 1] !== '-' && --depth === 0) {
			if (open > 0 || name.startsWith('::', i + 1))
				found.push([open, i]);
		}
	}
	return found;
}

function* shorterTemplates(name: string): Generator<string> {
	let shorter = name;
	for (const [open, close] of templates(name).reverse()) {
		if (close - open <= 2)
			continue;
		shorter = shorter.slice(0, open + 1) + ELLIPSIS + shorter.slice(close);
		yield shorter;
	}
}

/** What compilers and Go put behind a dot, as in `f.part.0` and `f.func1`, names nothing; nor do the endings of files. */
const NO_FUNCTION = /^(constprop|part|isra|cold|clone|lto_priv|localalias|llvm|abi|func|gowrap|deferwrap|\d|\w*:\d|[^\w(])/;

/** Whether the dot at an index is that of `http.(*conn).serve` or `Socket._write`. */
function isQualifierDot(name: string, at: number): boolean {
	return /[\w\])>]/.test(name[at - 1] || '') && !!name[at + 1] && !NO_FUNCTION.test(name.slice(at + 1, at + 40));
}

/** The indices behind each :: and each dot of a method that is inside no brackets. */
function qualifierEnds(name: string): number[] {
	const ends = [];
	let depth = 0;
	for (let i = 0; i < name.length; i++) {
		const char = name[i];
		if (/[({[]/.test(char) || (char === '<' && opensTemplate(name, i)))
			depth++;
		else if (/[)}\]]/.test(char) || (char === '>' && name[i - 1] !== '-'))
			depth = Math.max(0, depth - 1);
		else if (depth === 0 && ((char === ':' && name[i - 1] === ':') || (char === '.' && isQualifierDot(name, i))))
			ends.push(i + 1);
	}
	return ends;
}

/** a::b::c without a, then without b. */
function* fewerQualifiers(name: string): Generator<string> {
	const ends = qualifierEnds(name);
	for (const end of ends)
		yield (name[end - 1] === '.' ? '' : ELLIPSIS + '::') + name.slice(end);
	if (ends.length)
		yield name.slice(ends[ends.length - 1]);
}

function fitting(candidates: Iterable<string>, fits: (text: string) => boolean): { text: string; fits: boolean } | null {
	let text = null;
	for (const candidate of candidates) {
		if (fits(candidate))
			return { text: candidate, fits: true };
		text = candidate;
	}
	return text === null ? null : { text, fits: false };
}

/** Everything before the file of `foo /home/me/a.js:1:2`; where nothing has a name there, the file without directories. */
function withoutPath(name: string): string {
	const space = name.search(/\s\S*\//);
	if (space > 0 && !/^(\w+:)?[^\w]*$/.test(name.slice(0, space)))
		return name.slice(0, space);
	return name.slice(name.lastIndexOf('/') + 1);
}

/** `foo` of `foo a.js:12`, `foo a.py`, `foo <frozen importlib>`. */
function withoutPlace(name: string): string {
	const place = /^(.*\S) (?:\S+:\d+|\S+\.py|<frozen [^>]*>)$/.exec(name);
	return place ? place[1] : name;
}

/** `[libx264.so.164]+0x522d0`: many frames have the file, only this function has the offset, so the file is cut. */
function shortenOffset(name: string, room: number, charWidth: CharWidth): string | null {
	const parts = /^(\[[^\]]+)\](\+0x[0-9a-f]+)$/.exec(name);
	if (!parts)
		return null;
	if (textWidth(`[${ELLIPSIS}]${parts[2]}`, charWidth) <= room)
		return cutEnd(parts[1], `${ELLIPSIS}]${parts[2]}`, room, charWidth);
	return textWidth(parts[2], charWidth) <= room ? parts[2] : cutEnd(parts[2], ELLIPSIS, room, charWidth);
}

/** The longest telling form of a name that fits in `room` px, or "" when fewer than three characters of it would. */
export function shorten(name: string, room: number, charWidth: CharWidth): string {
	let text = limit(name);
	const fits = (candidate: string) => textWidth(candidate, charWidth) <= room;
	if (fits(text))
		return text;
	const offset = shortenOffset(text, room, charWidth);
	if (offset !== null)
		return offset.length < 3 ? '' : offset;
	const path = fitting(shorterPaths(text), fits);
	if (path && path.fits)
		return path.text;
	text = path ? withoutPath(text) : withoutPlace(text);
	const open = argumentsAt(text);
	if (open > 0) {
		const own = text.slice(0, open + 1);
		if (fits(own + ELLIPSIS + ')'))
			return fits(text) ? text : cutEnd(text, ELLIPSIS + ')', room, charWidth);
		text = own + ELLIPSIS + ')';
	}
	const bare = open > 0 ? text.slice(0, open) : text;
	for (const steps of [shorterTemplates(text), shorterTemplates(bare)]) {
		const shorter = fitting(steps, fits);
		if (shorter && shorter.fits)
			return shorter.text;
		text = shorter ? shorter.text : bare;
	}
	if (fits(text))
		return text;
	const own = fitting(fewerQualifiers(text), fits);
	if (own && own.fits)
		return own.text;
	const cut = cutEnd(own ? own.text : text, ELLIPSIS, room, charWidth);
	return cut.length < 3 ? '' : cut;
}
