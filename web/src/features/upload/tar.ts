/* SPDX-License-Identifier: MIT
 *
 * Creates a tar file (POSIX ustar, with pax headers for long and non-ASCII names) for a dropped
 * folder.
 */
const BLOCK = 512;

function writeField(block: Uint8Array, at: number, text: string): void {
    block.set(new TextEncoder().encode(text), at);
}

function header(name: string, size: number, type: '0' | 'x'): Uint8Array {
    const block = new Uint8Array(BLOCK);
    writeField(block, 0, name);
    writeField(block, 100, '0000644\0' + '0000000\0'.repeat(2));
    writeField(block, 124, `${size.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`);
    writeField(block, 148, `        ${type}`); // the checksum is computed with spaces in its own field
    writeField(block, 257, 'ustar\x0000');
    const sum = block.reduce((all, byte) => all + byte, 0);
    writeField(block, 148, `${sum.toString(8).padStart(6, '0')}\0 `);
    return block;
}

/* Returns "LENGTH path=NAME\n", where LENGTH includes its own digits. */
function paxRecord(name: string): Uint8Array {
    const rest = new TextEncoder().encode(` path=${name}\n`);
    let length = rest.length;
    while (String(length).length + rest.length !== length) {
        length = String(length).length + rest.length;
    }
    const record = new Uint8Array(length);
    writeField(record, 0, String(length));
    record.set(rest, length - rest.length);
    return record;
}

export function padding(size: number): Uint8Array {
    return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

/** Header blocks to write before the bytes of a file; the caller writes `padding(size)` after the
 * bytes. */
export function fileHeader(name: string, size: number): Uint8Array[] {
    if (/^[\x20-\x7e]{1,100}$/.test(name)) return [header(name, size, '0')];
    const record = paxRecord(name);
    return [
        header('path', record.length, 'x'),
        record,
        padding(record.length),
        header('long', size, '0'),
    ];
}

/** The two zero blocks that end a tar file. */
export function tarEnd(): Uint8Array {
    return new Uint8Array(2 * BLOCK);
}
