// Translates expressions from PCRE2 over bytes to JavaScript. What JavaScript would match
// differently is refused with a sentence, because a silently different match would show wrong
// numbers.
//
// Subjects and patterns have one character per byte; bytes from 0x80 become private-use characters, to which no rule
// about letters or white space applies.

const HIGH = 0xf700;

const decoder = new TextDecoder('latin1');

/** One character per byte. */
export function textOfBytes(bytes: Uint8Array): string {
	let text = decoder.decode(bytes);
	// eslint-disable-next-line no-control-regex
	if (/^[\x00-\x7f]*$/.test(text))
		return text;
	text = '';
	for (let at = 0; at < bytes.length; at += 4096) {
		const part = Array.prototype.map.call(bytes.subarray(at, at + 4096), (byte) => byte < 0x80 ? byte : HIGH + byte);
		text += String.fromCharCode(...part as number[]);
	}
	return text;
}

const CLASSES: { [name: string]: string } = {
	alpha: 'A-Za-z', digit: '0-9', alnum: 'A-Za-z0-9', upper: 'A-Z', lower: 'a-z', space: '\\t-\\r ', blank: '\\t ',
	punct: '!-\\/:-@\\[-`{-~', xdigit: '0-9A-Fa-f', word: '\\w', cntrl: '\\x00-\\x1f\\x7f', print: ' -~', graph: '!-~', ascii: '\\x00-\\x7f',
};
/** The characters that class escapes stand for. */
const SETS: { [letter: string]: string } = {
	s: '\\s', d: '\\d', w: '\\w', h: '\\t ' + String.fromCharCode(HIGH + 0xa0), v: '\\n-\\r' + String.fromCharCode(HIGH + 0x85),
};
const CONTROLS: { [letter: string]: string } = { n: '\\n', r: '\\r', t: '\\t', f: '\\f', e: '\\x1b', a: '\\x07' };
const ANCHORS: { [letter: string]: string } = {
	A: '^', z: '$', Z: '(?=\\n?$)', b: '\\b', B: '\\B',
};

class Translation {
	flags = '';
	private at = 0;
	private isRepeatable = false; // what stands before `at`
	private groups = 0;

	constructor(private readonly text: string) {
		this.groups = (text.replace(/\\[^]/g, '').match(/\((?!\?[^<P']|\?<[=!]|\*)/g) || []).length;
	}

	whole(): string {
		let out = '';
		for (let match; (match = /^\(\?([ims]+)\)/.exec(this.text.slice(this.at))); this.at += match[0].length)
			this.flags += match[1];
		while (this.at < this.text.length)
			out += this.one();
		return out;
	}

	private refuse(what: string): never {
		throw new Error(`${what} at character ${this.at} is not supported on an offline page`);
	}

	private take(pattern: RegExp): string | null {
		const match = pattern.exec(this.text.slice(this.at));
		if (!match || match.index)
			return null;
		this.at += match[0].length;
		return match[0];
	}

	private one(): string {
		const wasRepeatable = this.isRepeatable;
		const char = this.text[this.at++];
		this.isRepeatable = !/[(|^$]/.test(char);
		switch (char) {
		case '\\': return this.escape();
		case '[': return this.set();
		case '(': return this.group();
		case '.': return this.flags.includes('s') ? '[^]' : '[^\\n]';
		case '^': return this.flags.includes('m') ? '(?<![^\\n])' : '^';
		case '$': return this.flags.includes('m') ? '(?![^\\n])' : '(?=\\n?$)';
		case '*': case '+': case '?': return this.quantifier(char, wasRepeatable);
		case '{': return this.braces(wasRepeatable);
		case ')': case '|': return char;
		default: return this.literal(char);
		}
	}

	private literal(char: string): string {
		return /[\\^$.*+?()[\]{}|/-]/.test(char) ? '\\' + char : char;
	}

	private quantifier(text: string, isAllowed: boolean): string {
		if (!isAllowed)
			throw new Error(`nothing to repeat before ${text} at character ${this.at}`);
		if (this.text[this.at] === '+')
			this.refuse(`a possessive ${text}+`);
		return text + (this.take(/^\?/) || '');
	}

	/** `{2,}` repeats; any other brace is text. */
	private braces(isAllowed: boolean): string {
		const counts = this.take(/^\d+(,\d*)?\}/);
		return counts ? this.quantifier('{' + counts, isAllowed) : '\\{';
	}

	private group(): string {
		const special = this.take(/^\?(:|=|!|<=|<!|(P?<|')[A-Za-z_]\w*[>'])/);
		if (special)
			return '(' + special.replace(/^\?(P?<|')(\w+)[>']$/, '?<$2>');
		if (/^[?*]/.test(this.text.slice(this.at)))
			this.refuse(`(${this.text.slice(this.at, this.at + 2)}`);
		return '(';
	}

	private escape(): string {
		const char = this.text[this.at++];
		if (char === undefined)
			throw new Error('\\ at end of pattern');
		if (char === 'Q')
			return this.quoted();
		if (ANCHORS[char]) {
			this.isRepeatable = false;
			return ANCHORS[char];
		}
		if (SETS[char.toLowerCase()] && /\w/.test(char))
			return (char === char.toLowerCase() ? '[' : '[^') + SETS[char.toLowerCase()] + ']';
		if (char === 'N')
			return '[^\\n]';
		if (char === 'R')
			return `(?:\\r\\n|[${SETS.v}])`;
		if (/[1-9]/.test(char))
			return this.reference(char);
		return this.character(char);
	}

	private quoted(): string {
		const end = this.text.indexOf('\\E', this.at);
		const text = this.text.slice(this.at, end < 0 ? undefined : end);
		this.at = end < 0 ? this.text.length : end + 2;
		return [...text].map((char) => this.literal(char)).join('');
	}

	private reference(digit: string): string {
		const number = Number(digit + (this.take(/^\d+/) || ''));
		if (number > this.groups || number > 9)
			this.refuse('\\' + number);
		return `(?:\\${number})`;
	}

	/** An escape that is one character. */
	private character(char: string): string {
		if (CONTROLS[char])
			return CONTROLS[char];
		if (char === 'x')
			return this.byte(parseInt((this.take(/^(\{[0-9A-Fa-f]{1,2}\}|[0-9A-Fa-f]{1,2})/) || '0').replace(/[{}]/g, ''), 16));
		if (char === '0')
			return this.byte(parseInt(this.take(/^[0-7]{1,2}/) || '0', 8));
		if (char === 'E')
			return '';
		if (/[A-Za-z0-9]/.test(char))
			this.refuse('\\' + char);
		return this.literal(char);
	}

	private byte(value: number): string {
		return value < 0x80 ? '\\x' + value.toString(16).padStart(2, '0') : String.fromCharCode(HIGH + value);
	}

	private set(): string {
		let out = this.take(/^\^/) ? '[^' : '[';
		for (let isFirst = true; ; isFirst = false) {
			const char = this.text[this.at++];
			if (char === undefined)
				throw new Error('missing terminating ] for character class');
			if (char === ']' && !isFirst)
				return out + ']';
			out += this.member(char);
		}
	}

	private member(char: string): string {
		const name = char === '[' ? this.take(/^:\^?[a-z]+:\]/) : null;
		if (name)
			return CLASSES[name.slice(1, -2)] || this.refuse('[' + name);
		if (char === '[' && /^([.=]).*\1\]/.test(this.text.slice(this.at)))
			this.refuse('[' + this.text[this.at]);
		if (char === '-')
			return '-';
		if (char !== '\\')
			return this.literal(char);
		const letter = this.text[this.at++] || '';
		if (letter === 'b')
			return '\\x08';
		if (SETS[letter])
			return SETS[letter];
		if (letter === 'S' || letter === 'D' || letter === 'W')
			return '\\' + letter;
		return this.character(letter);
	}
}

/** Returns the same expression for this browser. Throws an Error whose message says what is wrong. */
export function compileExpression(pattern: Uint8Array): RegExp {
	const translation = new Translation(textOfBytes(pattern));
	const source = translation.whole();
	return new RegExp(source, translation.flags.includes('i') ? 'i' : '');
}
