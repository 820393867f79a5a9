// Counts and shares as text. Counts are exact whatever their size: they stay BigInt until they are words.

/** Shown counts are value * factor * 10^-decimals. */
export interface Unit {
	factor: number;
	decimals: number;
	name: string;
	ns: number; // what 1 stands for; 0: not a length of time
}

/** "0.0025", "1e-9" or "12" as digits * 10^-places. */
function decimal(text: string): { digits: bigint; places: number } {
	const [mantissa, exponent] = text.toLowerCase().split('e');
	const [whole, part = ''] = mantissa.split('.');
	const places = part.length - Number(exponent || 0);
	const digits = BigInt(whole + part);
	return places >= 0 ? { digits, places } : { digits: digits * tenTo(-places), places: 0 };
}

function tenTo(power: number): bigint {
	return BigInt('1' + '0'.repeat(power));
}

function grouped(digits: string): string {
	return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** 1234567n in thousandths as "1,234.567"; zeros at the end of the fraction are left out. */
export function count(value: bigint, unit: Unit): string {
	const factor = decimal(String(unit.factor));
	const places = unit.decimals + factor.places;
	const product = value * factor.digits;
	const sign = product < BigInt(0) ? '-' : '';
	const digits = String(product).replace('-', '').padStart(places + 1, '0');
	const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
	return sign + grouped(digits.slice(0, digits.length - places)) +
		(places && fraction ? '.' + fraction : '');
}

/** "1,234 samples", "1 sample"; units such as "ms" are no plurals. */
export function counted(value: bigint, unit: Unit): string {
	const text = count(value, unit);
	return text + ' ' + (text === '1' ? unit.name.replace(/(\w{3}[^s])s$/, '$1') : unit.name);
}

/** A length of time in three digits: "1.24 s", "350 ms", "1,234 s"; the writer of the titles has the same rule. */
export function span(ns: number): string {
	if (!(ns > 0))
		return '0 s';
	const units: [number, string][] = [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']];
	const [size, name] = units.find(([least]) => ns >= least * 0.9995) || units[3];
	const value = ns / size;
	return (value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : integer(Math.round(value))) + ' ' + name;
}

export function integer(n: number): string {
	return grouped(String(n));
}

export function plural(n: number, thing: string): string {
	return integer(n) + ' ' + thing + (n === 1 ? '' : 's');
}

/** Never says 0% of something that is there, nor 100% of something that has an exception. */
export function share(part: bigint, whole: bigint): string {
	if (part === whole && whole > BigInt(0))
		return '100%';
	if (part <= BigInt(0) || whole <= BigInt(0))
		return '0%';
	const percent = 100 * Number(part) / Number(whole);
	if (percent < 0.005)
		return '<0.01%';
	if (percent < 100 && percent >= 99.995)
		return '>99.99%';
	return percent.toFixed(2) + '%';
}

/** A change as a share, in percentage points: "+1.25", "-0.30", "0.00". */
export function points(change: number): string {
	const text = (100 * change).toFixed(2);
	return Number(text) === 0 ? '0.00' : change > 0 ? '+' + text : text;
}
