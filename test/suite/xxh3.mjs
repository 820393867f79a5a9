// XXH3 with 64 bits and a seed, after the description at github.com/Cyan4973/xxHash, doc/xxhash_spec.md.
// Slow and plain: the second reader of .plume files checks with it what libxxhash wrote.

const mask = (1n << 64n) - 1n;
const primes32 = [0x9E3779B1n, 0x85EBCA77n, 0xC2B2AE3Dn];
const primes64 = [0x9E3779B185EBCA87n, 0xC2B2AE3D27D4EB4Fn, 0x165667B19E3779F9n, 0x85EBCA77C2B2AE63n, 0x27D4EB2F165667C5n];
const secretBytes = Buffer.from(
	'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f' +
	'cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c' +
	'3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8' +
	'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364' +
	'eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e' +
	'2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e', 'hex');

const read32 = (bytes, at) => BigInt(bytes.readUInt32LE(at));
const read64 = (bytes, at) => bytes.readBigUInt64LE(at);
const rotate = (n, bits) => ((n << bits) | (n >> (64n - bits))) & mask;

function swap(n, bytes) {
	let swapped = 0n;
	for (let i = 0; i < bytes; i++, n >>= 8n)
		swapped = (swapped << 8n) | (n & 255n);
	return swapped;
}

function folded(a, b) { // the two halves of the product, xored
	const product = (a & mask) * (b & mask);
	return (product & mask) ^ (product >> 64n);
}

function avalanche(h) {
	h &= mask;
	h ^= h >> 37n;
	h = (h * 0x165667919E3779F9n) & mask;
	return h ^ (h >> 32n);
}

function avalancheOfXXH64(h) {
	h &= mask;
	h ^= h >> 33n;
	h = (h * primes64[1]) & mask;
	h ^= h >> 29n;
	h = (h * primes64[2]) & mask;
	return h ^ (h >> 32n);
}

function upTo16(input, seed) {
	const n = input.length, length = BigInt(n), secret = at => read64(secretBytes, at);
	if (n > 8) {
		const low = read64(input, 0) ^ (((secret(24) ^ secret(32)) + seed) & mask);
		const high = read64(input, n - 8) ^ (((secret(40) ^ secret(48)) - seed) & mask);
		return avalanche(length + swap(low, 8) + high + folded(low, high));
	}
	if (n >= 4) {
		const mixed = seed ^ (swap(seed & 0xffffffffn, 4) << 32n);
		const both = (read32(input, n - 4) + (read32(input, 0) << 32n)) & mask;
		let h = both ^ (((secret(8) ^ secret(16)) - mixed) & mask);
		h ^= rotate(h, 49n) ^ rotate(h, 24n);
		h = (h * 0x9FB21C651E98DF25n) & mask;
		h ^= (h >> 35n) + length;
		h = (h * 0x9FB21C651E98DF25n) & mask;
		return h ^ (h >> 28n);
	}
	if (n === 0)
		return avalancheOfXXH64(seed ^ secret(56) ^ secret(64));
	const combined = BigInt(((input[0] << 16) | (input[n >> 1] << 24) | input[n - 1] | (n << 8)) >>> 0);
	return avalancheOfXXH64(combined ^ (((read32(secretBytes, 0) ^ read32(secretBytes, 4)) + seed) & mask));
}

function upTo240(input, seed) {
	const n = input.length;
	const mix = (at, key) => folded(read64(input, at) ^ ((read64(secretBytes, key) + seed) & mask),
		read64(input, at + 8) ^ ((read64(secretBytes, key + 8) - seed) & mask));
	let sum = BigInt(n) * primes64[0];
	if (n <= 128) {
		for (let pair = (n - 1) >> 5; pair >= 0; pair--)
			sum += mix(16 * pair, 32 * pair) + mix(n - 16 * (pair + 1), 32 * pair + 16);
		return avalanche(sum);
	}
	for (let i = 0; i < 8; i++)
		sum += mix(16 * i, 16 * i);
	sum = avalanche(sum);
	for (let i = 8; i < n >> 4; i++)
		sum += mix(16 * i, 16 * (i - 8) + 3);
	return avalanche(sum + mix(n - 16, 136 - 17));
}

function seededSecret(seed) {
	const secret = Buffer.alloc(192);
	for (let at = 0; at < 192; at += 16) {
		secret.writeBigUInt64LE((read64(secretBytes, at) + seed) & mask, at);
		secret.writeBigUInt64LE((read64(secretBytes, at + 8) - seed) & mask, at + 8);
	}
	return secret;
}

function long(input, seed) {
	const n = input.length, secret = seededSecret(seed);
	const lanes = BigUint64Array.of(primes32[2], primes64[0], primes64[1], primes64[2], primes64[3], primes32[1],
		primes64[4], primes32[0]);
	const accumulate = (at, key) => {
		for (let i = 0; i < 8; i++) {
			const data = read64(input, at + 8 * i), keyed = data ^ read64(secret, key + 8 * i);
			lanes[i ^ 1] += data;
			lanes[i] += (keyed & 0xffffffffn) * (keyed >> 32n);
		}
	};
	const stripes = (n - 1) >> 6;
	for (let stripe = 0; stripe < stripes; stripe++) {
		accumulate(64 * stripe, 8 * (stripe & 15));
		for (let i = 0; (stripe & 15) === 15 && i < 8; i++)
			lanes[i] = (lanes[i] ^ (lanes[i] >> 47n) ^ read64(secret, 128 + 8 * i)) * primes32[0];
	}
	accumulate(n - 64, 192 - 64 - 7);
	let sum = BigInt(n) * primes64[0];
	for (let i = 0; i < 4; i++)
		sum += folded(lanes[2 * i] ^ read64(secret, 11 + 16 * i), lanes[2 * i + 1] ^ read64(secret, 19 + 16 * i));
	return avalanche(sum);
}

// input: a Buffer; seed: a BigInt.
export function xxh3(input, seed = 0n) {
	return input.length <= 16 ? upTo16(input, seed) : input.length <= 240 ? upTo240(input, seed) : long(input, seed);
}
