// Answers larger than any buffer of the server: what is in them, and the checks that the Node drivers make.
import { decode, need, same } from './report.mjs';

const MULTIPLIER = 0x9e3779b97f4a7c15n;
const READ_BYTES = 300_000;
const ITEMS = 5000;
const STRUCTURED_FROM = '2025-06-18';

/** The first bytes of every large blob. */
function largeBytes(size) {
    const bytes = Buffer.alloc(size);
    let product = 0n;
    for (let n = 0; n < size; n += 1) {
        bytes[n] = Number(product >> 56n);
        product = BigInt.asUintN(64, product + MULTIPLIER);
    }
    return bytes;
}

/** The large text of that many bytes: digits and line ends. */
function largeText(size) {
    const text = largeBytes(size).map((byte, n) => (n % 64 === 63 ? 10 : 48 + (byte % 10)));
    return text.toString('latin1');
}

/** Fails with the first place where two long values differ. */
function atDifference(got, want) {
    same(got.length, want.length);
    if (typeof got === 'string' ? got === want : got.equals(want)) return;
    const place = [...got].findIndex((value, n) => value !== want[n]);
    throw new Error(`place ${place}: got ${got[place]}, want ${want[place]}`);
}

/** The checks for one leg. */
export class Large {
    constructor(report, peer) {
        this.report = report;
        this.peer = peer;
    }

    async run() {
        await this.report.check(`read a text of ${READ_BYTES} bytes`, async () => {
            atDifference((await this.read('text', 'text/plain')).text, largeText(READ_BYTES));
        });
        await this.report.check(`read a blob of ${READ_BYTES} bytes`, async () => {
            const { blob } = await this.read('blob', 'application/octet-stream');
            atDifference(decode(blob), largeBytes(READ_BYTES));
        });
        await this.report.check(`call test_many_items with ${ITEMS}`, () => this.items());
    }

    async read(kind, mimeType) {
        const uri = `test://large-${kind}/${READ_BYTES}`;
        const { contents } = await this.peer.read(uri);
        same(contents.map(item => [item.uri, item.mimeType]), [[uri, mimeType]]);
        return contents[0];
    }

    async items() {
        const result = await this.peer.call('test_many_items', { count: ITEMS });
        need(!result.isError, 'the call failed');
        const want = { items: Array.from({ length: ITEMS }, (_, n) => ({ n, name: 'an "item"' })) };
        if (this.peer.version >= STRUCTURED_FROM) same(result.structuredContent, want);
        same(result.content.length, 1);
        same(JSON.parse(result.content[0].text), want);
    }
}
