/* gzip (RFC 1952, members may follow each other) and zstd (RFC 8878, frames likewise) as streams. */
#include "base/reader_int.h"

#include <zlib.h>
#include <zstd.h>

struct decoder {
	bool is_zstd;
	bool at_boundary;
	z_stream gz;
	ZSTD_DCtx *zstd;
};

struct decoder *decoder_for(struct str head)
{
	bool is_gzip = str_starts(head, STR("\x1f\x8b"));
	bool is_zstd = str_starts(head, STR("\x28\xb5\x2f\xfd"));
	if (!is_gzip && !is_zstd)
		return NULL;
	struct decoder *d = mem_zalloc(1, sizeof(*d));
	d->is_zstd = is_zstd;
	d->at_boundary = true;
	if (is_zstd)
		d->zstd = ZSTD_createDCtx();
	if (is_zstd ? !d->zstd : inflateInit2(&d->gz, 15 + 16) != Z_OK) {
		decoder_free(d);
		return NULL;
	}
	return d;
}

const char *decoder_name(const struct decoder *d)
{
	return d->is_zstd ? "zstd" : "gzip";
}

void decoder_free(struct decoder *d)
{
	if (!d)
		return;
	if (d->is_zstd)
		ZSTD_freeDCtx(d->zstd);
	else
		inflateEnd(&d->gz);
	free(d);
}

bool decoder_at_boundary(const struct decoder *d)
{
	return d->at_boundary;
}

static enum decode_state run_gzip(struct decoder *d, struct str *in, struct buf *out, size_t room,
				  const char **why)
{
	d->gz.next_in = (Bytef *)in->p;
	d->gz.avail_in = in->n > UINT32_MAX ? UINT32_MAX : (uInt)in->n;
	d->gz.next_out = (Bytef *)buf_reserve(out, room);
	d->gz.avail_out = (uInt)room;
	d->at_boundary = false;
	int status = inflate(&d->gz, Z_NO_FLUSH);
	*in = str_from_byte(*in, (size_t)((const char *)d->gz.next_in - in->p));
	out->n += room - d->gz.avail_out;
	if (status == Z_STREAM_END) {
		d->at_boundary = true;
		return inflateReset(&d->gz) == Z_OK ? DECODE_END : DECODE_BROKEN;
	}
	if (status == Z_OK || status == Z_BUF_ERROR)
		return DECODE_MORE;
	*why = d->gz.msg ? d->gz.msg : "not valid deflate data";
	return DECODE_BROKEN;
}

static enum decode_state run_zstd(struct decoder *d, struct str *in, struct buf *out, size_t room,
				  const char **why)
{
	ZSTD_inBuffer input = { in->p, in->n, 0 };
	ZSTD_outBuffer output = { buf_reserve(out, room), room, 0 };
	d->at_boundary = false;
	size_t status = ZSTD_decompressStream(d->zstd, &output, &input);
	*in = str_from_byte(*in, input.pos);
	out->n += output.pos;
	if (ZSTD_isError(status)) {
		*why = ZSTD_getErrorName(status);
		return DECODE_BROKEN;
	}
	d->at_boundary = status == 0;
	return status == 0 ? DECODE_END : DECODE_MORE;
}

enum decode_state decoder_run(struct decoder *d, struct str *in, struct buf *out, size_t room,
			      const char **why)
{
	*why = "";
	return d->is_zstd ? run_zstd(d, in, out, room, why) : run_gzip(d, in, out, room, why);
}
