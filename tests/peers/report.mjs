// Counting and printing of checks, shared by the Node drivers.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

export const CHECK_MS = 60_000;
const WITNESS = fileURLToPath(new URL('witness', import.meta.url));

/** Fails with `why` unless the condition holds. */
export function need(condition, why) {
    if (!condition) throw new Error(why);
}

/** Fails with both values when they differ. */
export function same(got, want) {
    need(
        isDeepStrictEqual(got, want),
        `got ${JSON.stringify(got)?.slice(0, 300)}, want ${JSON.stringify(want)?.slice(0, 300)}`
    );
}

/** Waits for the error that a request ends with, and fails unless it is the error `code`. */
export async function expectError(code, promise) {
    let got;
    try {
        got = await promise;
    } catch (error) {
        need(error?.code !== undefined, `no JSON-RPC error but ${error}`);
        same(error.code, code);
        return error;
    }
    throw new Error(`no error but ${JSON.stringify(got).slice(0, 200)}`);
}

/** The bytes of a base64 text, which must be spelled as it should be. */
export function decode(base64) {
    const bytes = Buffer.from(base64, 'base64');
    need(bytes.toString('base64') === base64, `no base64: ${base64.slice(0, 300)}`);
    return bytes;
}

/** Waits for a promise, but not for ever. */
export async function within(promise, ms = CHECK_MS) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no outcome within ${ms / 1000} s`)), ms);
    });
    try {
        return await Promise.race([promise, late]);
    } finally {
        clearTimeout(timer);
    }
}

/** Prints one line per check and counts them. */
export class Report {
    constructor(driver) {
        this.driver = driver;
        this.leg = '';
        this.passed = 0;
        this.failed = 0;
    }

    line(name, error) {
        if (error === undefined) {
            this.passed += 1;
            console.log(`ok ${this.driver} ${this.leg} ${name}`);
        } else {
            this.failed += 1;
            const why = String(error?.message ?? error).replace(/\s+/g, ' ').slice(0, 500);
            console.log(`FAIL ${this.driver} ${this.leg} ${name}: ${why}`);
        }
    }

    /** Runs one check with a generous time limit; whatever it throws is the reason of the failure. */
    async check(name, body) {
        try {
            await within(body());
            this.line(name);
        } catch (error) {
            this.line(name, error ?? 'unknown reason');
        }
    }

    finish() {
        console.log(`${this.passed} passed, ${this.failed} failed`);
        process.exit(this.failed || !this.passed ? 1 : 0);
    }
}

/** The record that tests/peers/witness keeps of the server process of one leg. */
export class Witness {
    constructor() {
        this.folder = mkdtempSync(path.join(tmpdir(), 'peer-'));
        this.file = path.join(this.folder, 'record');
    }

    command(server) {
        return { command: WITNESS, args: [this.file, ...server] };
    }

    /** Fails unless the server process `pid` ended with status 0 and without a signal. */
    leftByItself(pid) {
        const lines = readFileSync(this.file, 'utf8').trim().split('\n').map(line => line.split(' '));
        const mine = lines.filter(words => words[1] === String(pid));
        need(mine.some(words => words[0] === 'start'), 'the server was never started');
        need(!mine.some(words => words[0] === 'signal'), 'the client had to stop it with a signal');
        const ends = mine.filter(words => words[0] === 'exit').map(words => words[2]);
        need(ends.length > 0, 'the client killed it before it ended');
        same(ends, ['0']);
    }

    forget() {
        rmSync(this.folder, { recursive: true, force: true });
    }
}

/** Reads `[--any-server|--reference] COMMAND...`; leaves with a usage line when the command is missing. */
export function commandLine(name) {
    const args = process.argv.slice(2);
    const anyServer = args[0] === '--any-server';
    const reference = args[0] === '--reference';
    const server = anyServer || reference ? args.slice(1) : args;
    if (server.length === 0) {
        console.error(`usage: ${name} [--any-server|--reference] SERVER_COMMAND...`);
        process.exit(2);
    }
    return { anyServer, reference, server };
}

/** The folder of an installed package set under target/peers. */
export function installed(folder) {
    return new URL(`../../target/peers/${folder}/node_modules/`, import.meta.url);
}
