// Of the Compression Streams standard, which TypeScript 4 does not know yet.

declare class DecompressionStream {
	constructor(format: 'gzip');
	readonly readable: ReadableStream<Uint8Array>;
	readonly writable: WritableStream<BufferSource>;
}
declare class CompressionStream extends DecompressionStream {}
