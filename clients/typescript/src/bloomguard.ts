/** A key: a number and its decimal string are the same key. */
export type Key = string | number | bigint;

export type Membership = 'POSSIBLY_PRESENT' | 'ABSENT' | 'UNKNOWN';

export interface Options {
  /** The milliseconds that one call may take, from the connection to the end of the answer: 500 unless set. */
  timeout?: number;
  /** The header `Authorization`, such as `Basic …` or `Bearer …`, for a server with the profile `secured`. */
  authorization?: string;
  /** Is told of each failure that made `check` answer `UNKNOWN`. */
  onFailure?: (error: BloomguardError) => void;
}

/** The size of a filter in one layout. */
export interface Size {
  bits: number;
  hashes: number;
  bytes: number;
  bitsPerKey: number;
  blockWords?: number;
  partitions: number;
  heapArrays?: number;
  overload: { times: number; insertions: number; fpp: number }[];
}

export interface Sizes {
  insertions: number;
  fpp: number;
  layouts: Record<'classic' | 'blocked' | 'guava' | 'counting' | 'redis' | 'redis-bloom', Size>;
  exact?: { keyBytes: number; bytes: number };
}

/** A call that the server refused, or that failed. The message has no key. */
export class BloomguardError extends Error {
  override readonly name = 'BloomguardError';

  /** The number of keys in the batches before, whose calls were answered. */
  completed = 0;

  constructor(
    message: string,
    /** The status of the answer; undefined if there was none in time. */
    readonly status?: number,
    /** The seconds after which the server asks to try again (`Retry-After`). */
    readonly retryAfter?: number,
    /** Whether the server refuses the call as it is, so that the caller must change it. Other calls failed. */
    readonly refused = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The most keys that a server takes in one call. */
const BATCH = 10_000;

const WORDS: ReadonlySet<unknown> = new Set<Membership>(['POSSIBLY_PRESENT', 'ABSENT', 'UNKNOWN']);

/** A Bloomguard server's membership API. A call is never repeated; more than 10,000 keys are several calls, one after the other. */
export class Bloomguard {
  readonly #base: string;
  readonly #timeout: number;
  readonly #headers: Record<string, string>;
  readonly #onFailure: (error: BloomguardError) => void;

  /** @param url of the server, such as `http://bloomguard:8080` */
  constructor(url: string | URL, options: Options = {}) {
    this.#base = String(url).replace(/\/+$/, '') + '/v1/';
    this.#timeout = options.timeout ?? 500;
    this.#headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
    if (options.authorization !== undefined) {
      this.#headers['Authorization'] = options.authorization;
    }
    this.#onFailure = options.onFailure ?? (() => {});
  }

  /**
   * One answer for each key, in their order. Only `ABSENT` says that a key need not be looked up. A call that fails makes its keys, and
   * those after them, `UNKNOWN`.
   *
   * @throws BloomguardError if the server refuses the call: an unknown filter, an invalid key, missing credentials
   */
  async check(filter: string, keys: readonly Key[], subject?: string): Promise<Membership[]> {
    const answers: Membership[] = [];
    try {
      await this.#batches('POST', filter, 'check', keys, subject, (answer, asked) => {
        const results = field(answer, 'results');
        if (!Array.isArray(results) || results.length !== asked || !results.every((word) => WORDS.has(word))) {
          throw foreign();
        }
        answers.push(...(results as Membership[]));
      });
    } catch (error) {
      if (!(error instanceof BloomguardError) || error.refused) {
        throw error;
      }
      this.#onFailure(error);
    }
    while (answers.length < keys.length) {
      answers.push('UNKNOWN');
    }
    return answers;
  }

  /**
   * Adds keys, before their rows become visible, and returns how many were new.
   *
   * @throws BloomguardError if the keys after the first `completed` may not be in the filter; they may be added again
   */
  add(filter: string, keys: readonly Key[], subject?: string): Promise<number> {
    return this.#sum('POST', filter, 'keys', 'added', keys, subject);
  }

  /**
   * Takes one addition of each key back, however often it is named, in a filter of the layout `counting`, and returns of how many keys.
   *
   * @throws BloomguardError whose `completed` is the number of distinct keys of which that is sure; with a `retryAfter`, the others may
   *     be removed again, and else not, because that could count twice
   */
  async remove(filter: string, keys: readonly Key[]): Promise<number> {
    return this.#sum('DELETE', filter, 'keys', 'removed', [...new Set(keys.map(text))]);
  }

  /** Reports keys that exist although they were answered `ABSENT`, and returns how many were wrongly rejected. */
  found(filter: string, keys: readonly Key[]): Promise<number> {
    return this.#sum('POST', filter, 'found', 'wrong', keys);
  }

  /** The size of a filter for that many keys in each layout. */
  async sizing(insertions: number, fpp: number, keyBytes?: number): Promise<Sizes> {
    const query = new URLSearchParams({ insertions: String(insertions), fpp: String(fpp) });
    if (keyBytes !== undefined) {
      query.set('keyBytes', String(keyBytes));
    }
    const answer = await this.#call('GET', `sizing?${query}`);
    if (field(answer, 'layouts') === undefined) {
      throw foreign();
    }
    return answer as Sizes;
  }

  async #sum(method: string, filter: string, call: string, name: string, keys: readonly Key[], subject?: string): Promise<number> {
    let sum = 0;
    await this.#batches(method, filter, call, keys, subject, (answer) => {
      const count = field(answer, name);
      if (typeof count !== 'number') {
        throw foreign();
      }
      sum += count;
    });
    return sum;
  }

  async #batches(
    method: string,
    filter: string,
    call: string,
    keys: readonly Key[],
    subject: string | undefined,
    use: (answer: unknown, asked: number) => void,
  ): Promise<void> {
    const path = `filters/${encodeURIComponent(filter)}/${call}`;
    const texts = keys.map(text);
    for (let begin = 0; begin < texts.length; begin += BATCH) {
      const some = texts.slice(begin, begin + BATCH);
      try {
        use(await this.#call(method, path, JSON.stringify({ keys: some, subject })), some.length);
      } catch (error) {
        if (error instanceof BloomguardError) {
          error.completed = begin;
        }
        throw error;
      }
    }
  }

  async #call(method: string, path: string, body?: string): Promise<unknown> {
    let response: Response;
    let answer: string;
    try {
      response = await fetch(this.#base + path, {
        method,
        headers: this.#headers,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#timeout),
        ...(body === undefined ? {} : { body }),
      });
      answer = await response.text();
    } catch (cause) {
      throw new BloomguardError(`The server gave no answer within ${this.#timeout} ms`, undefined, undefined, false, { cause });
    }
    const content = parsed(answer);
    if (response.status !== 200) {
      throw failure(response, content);
    }
    if (content === undefined) {
      throw foreign();
    }
    return content;
  }
}

function foreign(): BloomguardError {
  return new BloomguardError('The answer is not one of a Bloomguard server');
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}

/** An answer in the 400s is a refusal if the server itself gave it, and not a proxy that has no server. */
function failure(response: Response, content: unknown): BloomguardError {
  const problem = (response.headers.get('Content-Type') ?? '').startsWith('application/problem+json');
  const passing = response.status === 408 || response.status === 429 || response.status >= 500;
  const detail = problem ? field(content, 'detail') : undefined;
  const retryAfter = response.headers.get('Retry-After') ?? '';
  return new BloomguardError(
    `The server answered ${response.status}${typeof detail === 'string' ? `: ${detail}` : ''}`,
    response.status,
    /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined,
    problem && response.status >= 400 && !passing,
  );
}

function field(content: unknown, name: string): unknown {
  return typeof content === 'object' && content !== null ? (content as Record<string, unknown>)[name] : undefined;
}

/** A key as a string; the number 2^53 may have been another one before it was rounded. */
function text(key: Key): string {
  if (typeof key === 'number' && !Number.isSafeInteger(key)) {
    throw new RangeError('A key that is a number must be a safe integer: pass a bigint or a string');
  }
  return String(key);
}
