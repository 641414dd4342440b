/**
 * Tests of the client against a real server, and against servers that fail.
 *
 * `mvn -Poperators verify -Dinvoker.test=clients` starts the real one: BLOOMGUARD_URL is its address, BLOOMGUARD_AUTHORIZATION the
 * credentials of an operator. Its filter `codes` counts, `cold` is not filled, `seen` has a filter for each subject, and its batches may
 * take 4 MB.
 */
import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { Bloomguard, BloomguardError, type Key } from '../src/bloomguard.js';

const URL = process.env['BLOOMGUARD_URL'] ?? '';
const AUTHORIZATION = process.env['BLOOMGUARD_AUTHORIZATION'] ?? '';

/** Above the time that a busy machine may take; the time-out itself has tests with a shorter one. */
const PATIENT = 60_000;

function keys(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}

describe('against a real server', () => {
  const failures: BloomguardError[] = [];
  const client = new Bloomguard(URL, {
    authorization: AUTHORIZATION,
    timeout: PATIENT,
    onFailure: (error) => failures.push(error),
  });

  test('checks, adds and removes keys', async () => {
    assert.equal(await client.add('codes', ['ts-a', 'ts-b', 7000001]), 3);
    assert.equal(await client.add('codes', ['ts-a']), 0);
    assert.deepEqual(await client.check('codes', ['ts-a', 'ts-none', '7000001', 7000001n]), [
      'POSSIBLY_PRESENT',
      'ABSENT',
      'POSSIBLY_PRESENT',
      'POSSIBLY_PRESENT',
    ]);
    assert.equal(await client.remove('codes', ['ts-a', 'ts-b', 'ts-none']), 2);
    assert.deepEqual(await client.check('codes', ['ts-b']), ['ABSENT']);
    assert.deepEqual(failures, []);
  });

  test('splits more than 10,000 keys, and keeps their order', async () => {
    const all = keys(20_001, 'ts-many');
    assert.equal(await client.add('codes', [all[0]!, all[9_999]!, all[10_000]!, all[20_000]!]), 4);
    const answers = await client.check('codes', all);
    assert.equal(answers.length, all.length);
    for (const i of [0, 9_999, 10_000, 20_000]) {
      assert.equal(answers[i], 'POSSIBLY_PRESENT');
    }
    assert.ok(answers.filter((answer) => answer === 'ABSENT').length > 19_000);
    assert.equal(await client.remove('codes', [all[9_999]!, all[10_000]!, all[20_000]!]), 3);
    // Added twice, and named in two batches: removed once.
    await client.add('codes', [all[0]!]);
    assert.equal(await client.remove('codes', [...all, all[0]!]), 1);
    assert.deepEqual(await client.check('codes', [all[0]!]), ['POSSIBLY_PRESENT']);
    assert.equal(await client.found('codes', []), 0);
    assert.deepEqual(await client.check('codes', []), []);
  });

  test('tells subjects apart', async () => {
    assert.equal(await client.add('seen', ['a'], 'ts-1'), 1);
    assert.equal(await client.add('seen', ['b'], 'ts-2'), 1);
    assert.deepEqual(await client.check('seen', ['a', 'b'], 'ts-1'), ['POSSIBLY_PRESENT', 'ABSENT']);
  });

  test('takes the word of a filter that cannot tell', async () => {
    failures.length = 0;
    assert.deepEqual(await client.check('cold', ['a', 1]), ['UNKNOWN', 'UNKNOWN']);
    assert.deepEqual(failures, []);
  });

  test('reports found keys', async () => {
    await client.add('codes', ['ts-found']);
    assert.equal(await client.found('codes', ['ts-found']), 0);
    assert.deepEqual(await client.check('codes', ['ts-found']), ['POSSIBLY_PRESENT']);
  });

  test('sizes filters', async () => {
    const sizes = await client.sizing(1_000_000, 0.001, 8);
    assert.equal(sizes.insertions, 1_000_000);
    assert.equal(sizes.exact?.bytes, 8_000_000);
    assert.ok(sizes.layouts['redis-bloom'].bits > sizes.insertions);
    await assert.rejects(client.sizing(0, 0.001), refusal(400));
  });

  test('tells of refusals, and names no key', async () => {
    await assert.rejects(client.check('none', ['a']), refusal(404));
    await assert.rejects(client.check('codes', ['secret\u0000']), (error: BloomguardError) => {
      assert.doesNotMatch(error.message, /secret/);
      return refusal(400)(error);
    });
    await assert.rejects(client.remove('cold', ['a']), refusal(409));
    await assert.rejects(new Bloomguard(URL, { timeout: PATIENT }).check('codes', ['a']), refusal(401));
  });

  test('surfaces Retry-After, and answers UNKNOWN meanwhile', async () => {
    failures.length = 0;
    const large = keys(10_000, 'x'.repeat(240));
    assert.ok((await client.check('codes', large)).every((answer) => answer === 'UNKNOWN'));
    assert.equal(failures[0]?.status, 503);
    assert.equal(failures[0]?.retryAfter, 1);
    await assert.rejects(client.add('codes', large), failed(503, 1));
  });
});

describe('against a server that fails', () => {
  const servers: Server[] = [];

  /** A server that answers each call with the next of those. */
  async function answering(...answers: ((response: ServerResponse) => void)[]): Promise<string> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => answers.shift()?.(response));
    });
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  const hangs = () => {};
  const json = (status: number, body: string, headers: Record<string, string> = {}) => (response: ServerResponse) =>
    void response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
  const html = (status: number) => json(status, '<html></html>', { 'Content-Type': 'text/html' });
  const results = (word: string, count: number) => json(200, JSON.stringify({ results: Array(count).fill(word) }));

  async function unknown(url: string, asked: readonly Key[], timeout = PATIENT): Promise<BloomguardError> {
    const failures: BloomguardError[] = [];
    const client = new Bloomguard(url, { timeout, onFailure: (error) => failures.push(error) });
    assert.deepEqual(await client.check('codes', asked), asked.map(() => 'UNKNOWN'));
    assert.equal(failures.length, 1);
    return failures[0]!;
  }

  test('every key is UNKNOWN where nothing listens', async () => {
    const url = await answering();
    const server = servers.pop()!;
    await new Promise((closed) => server.close(closed));
    assert.equal((await unknown(url, ['a', 'b'])).status, undefined);
  });

  test('every key is UNKNOWN after the time-out', async () => {
    assert.match((await unknown(await answering(hangs), ['a'], 50)).message, /within 50 ms/);
    const halfAnswered = (response: ServerResponse) => void response.writeHead(200).write('{"results":[');
    await unknown(await answering(halfAnswered), ['a'], 200);
  });

  for (const [what, answer] of Object.entries({
    'a fault': json(500, '{"status":500}', { 'Content-Type': 'application/problem+json' }),
    'a slow body': json(408, '{"status":408}', { 'Content-Type': 'application/problem+json' }),
    'a proxy without a server': html(502),
    "a proxy's own 404": html(404),
    'a page': html(200),
    'a redirection': json(302, '', { Location: '/elsewhere' }),
    'no content': json(204, ''),
    'too few answers': results('ABSENT', 1),
    'too many answers': results('ABSENT', 3),
    'another word': results('absent', 2),
    'half an answer': json(200, '{"results":["ABSENT","ABS'),
  })) {
    test(`every key is UNKNOWN after ${what}`, async () => {
      await unknown(await answering(answer), ['a', 'b']);
    });
  }

  test('the answers before a failure stand, and those after it are UNKNOWN', async () => {
    const url = await answering(results('ABSENT', 10_000), html(503), results('ABSENT', 1));
    const answers = await new Bloomguard(url, { timeout: PATIENT }).check('codes', keys(20_001, 'k'));
    assert.ok(answers.every((answer, i) => answer === (i < 10_000 ? 'ABSENT' : 'UNKNOWN')));
    assert.equal(answers.length, 20_001);
  });

  test('a write that fails says how many keys are done', async () => {
    const url = await answering(json(200, '{"added":7}'), json(503, '{}', { 'Retry-After': '60' }));
    const client = new Bloomguard(url, { timeout: PATIENT });
    await assert.rejects(client.add('codes', keys(10_001, 'k')), (error: BloomguardError) => {
      assert.equal(error.completed, 10_000);
      return failed(503, 60)(error);
    });
    await assert.rejects(new Bloomguard(await answering(html(200)), { timeout: PATIENT }).found('codes', ['a']), failed());
    const removal = await answering(json(200, '{}'));
    await assert.rejects(new Bloomguard(removal, { timeout: PATIENT }).remove('codes', ['a']), failed());
  });

  test('a number that is not exact is no key', async () => {
    const client = new Bloomguard(await answering());
    for (const key of [1.5, 2 ** 53, Number.NaN]) {
      await assert.rejects(client.check('codes', [key]), RangeError);
    }
  });
});

function refusal(status: number): (error: BloomguardError) => true {
  return (error) => {
    assert.ok(error instanceof BloomguardError, String(error));
    assert.equal(error.status, status);
    assert.equal(error.refused, true);
    return true;
  };
}

function failed(status?: number, retryAfter?: number): (error: BloomguardError) => true {
  return (error) => {
    assert.ok(error instanceof BloomguardError, String(error));
    assert.equal(error.status, status);
    assert.equal(error.retryAfter, retryAfter);
    assert.equal(error.refused, false);
    return true;
  };
}
