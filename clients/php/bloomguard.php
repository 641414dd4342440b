<?php

declare(strict_types=1);

/**
 * The membership API of a Bloomguard server. PHP 8.1 or newer; no extension, no framework.
 *
 * No call is repeated; more than 10,000 keys are several calls, one after the other. A key is a string or an int, which is the same key as
 * its decimal string.
 */
final class Bloomguard
{
    /** The most keys that a server takes in one call. */
    private const BATCH = 10000;

    /**
     * @param string $url of the server, such as http://bloomguard:8080
     * @param float $timeout in seconds: for the connection, for each wait for bytes, and about for the whole answer
     * @param string|null $authorization the header, such as 'Basic …' or 'Bearer …', for a server with the profile `secured`
     * @param Closure|null $onFailure is told of each BloomguardException that made check() answer UNKNOWN
     */
    public function __construct(
        private string $url,
        private float $timeout = 0.5,
        private ?string $authorization = null,
        private ?Closure $onFailure = null,
    ) {
    }

    /**
     * One answer for each key, in their order: 'POSSIBLY_PRESENT', 'ABSENT' or 'UNKNOWN'. Only ABSENT says that a key need not be looked up.
     * A call that fails makes its keys, and those after them, UNKNOWN.
     *
     * @param list<string|int> $keys
     * @return list<string>
     * @throws BloomguardException if the server refuses the call: an unknown filter, an invalid key, missing credentials
     */
    public function check(string $filter, array $keys, ?string $subject = null): array
    {
        $answers = [];
        try {
            foreach ($this->batches('POST', $filter, 'check', $keys, $subject) as $asked => $answer) {
                $results = $answer['results'] ?? null;
                if (!is_array($results) || count($results) !== $asked || array_diff($results, ['POSSIBLY_PRESENT', 'ABSENT', 'UNKNOWN'])) {
                    throw BloomguardException::foreign();
                }
                array_push($answers, ...$results);
            }
        } catch (BloomguardException $failure) {
            if ($failure->refused) {
                throw $failure;
            }
            $this->onFailure && ($this->onFailure)($failure);
        }
        $missing = count($keys) - count($answers);
        return $missing > 0 ? [...$answers, ...array_fill(0, $missing, 'UNKNOWN')] : $answers;
    }

    /**
     * Adds keys, before their rows become visible, and returns how many were new.
     *
     * @throws BloomguardException if the keys after the first $completed may not be in the filter; they may be added again
     */
    public function add(string $filter, array $keys, ?string $subject = null): int
    {
        return $this->sum('added', $this->batches('POST', $filter, 'keys', $keys, $subject));
    }

    /**
     * Takes one addition of each key back, however often it is named, in a filter of the layout `counting`, and returns of how many keys.
     *
     * @throws BloomguardException whose $completed is the number of distinct keys of which that is sure; with a $retryAfter, the others may
     *     be removed again, and else not, because that could count twice
     */
    public function remove(string $filter, array $keys): int
    {
        return $this->sum('removed', $this->batches('DELETE', $filter, 'keys', array_values(array_unique($keys)), null));
    }

    /** Reports keys that exist although they were answered ABSENT, and returns how many were wrongly rejected. */
    public function found(string $filter, array $keys): int
    {
        return $this->sum('wrong', $this->batches('POST', $filter, 'found', $keys, null));
    }

    /** The size of a filter for that many keys in each layout, as the server's JSON. */
    public function sizing(int $insertions, float $fpp, ?int $keyBytes = null): array
    {
        $query = http_build_query(['insertions' => $insertions, 'fpp' => $fpp, 'keyBytes' => $keyBytes]);
        $sizes = $this->call('GET', "sizing?$query", null);
        return isset($sizes['layouts']) ? $sizes : throw BloomguardException::foreign();
    }

    private function sum(string $name, iterable $answers): int
    {
        $sum = 0;
        foreach ($answers as $answer) {
            $sum += is_int($answer[$name] ?? null) ? $answer[$name] : throw BloomguardException::foreign();
        }
        return $sum;
    }

    /** The answer to each batch, by its number of keys. */
    private function batches(string $method, string $filter, string $call, array $keys, ?string $subject): Generator
    {
        $completed = 0;
        foreach (array_chunk($keys, self::BATCH) as $some) {
            $body = json_encode(['keys' => $some] + ($subject === null ? [] : ['subject' => $subject]));
            if ($body === false) {
                throw new BloomguardException('A key is no UTF-8', refused: true);
            }
            try {
                yield count($some) => $this->call($method, 'filters/' . rawurlencode($filter) . "/$call", $body);
            } catch (BloomguardException $failure) {
                $failure->completed = $completed;
                throw $failure;
            }
            $completed += count($some);
        }
    }

    private function call(string $method, string $path, ?string $body): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => array_filter([
                'Accept: application/json',
                'Content-Type: application/json',
                $this->authorization === null ? null : "Authorization: $this->authorization",
            ]),
            'content' => $body ?? '',
            'timeout' => $this->timeout,
            'ignore_errors' => true,
            'follow_location' => 0,
            'protocol_version' => '1.1',
        ]]);
        $end = hrtime(true) + (int) ($this->timeout * 1e9);
        $stream = @fopen(rtrim($this->url, '/') . "/v1/$path", 'r', false, $context);
        if ($stream === false) {
            throw new BloomguardException("The server gave no answer within $this->timeout s");
        }
        $answer = '';
        while (!feof($stream) && hrtime(true) < $end) {
            $answer .= fread($stream, 65536);
        }
        $state = stream_get_meta_data($stream);
        fclose($stream);
        if (!$state['eof'] || $state['timed_out']) {
            throw new BloomguardException("The server gave no whole answer within $this->timeout s");
        }
        return $this->content($state['wrapper_data'], $answer);
    }

    /** @param list<string> $head the lines before the body */
    private function content(array $head, string $answer): array
    {
        $status = (int) (explode(' ', $head[0])[1] ?? 0);
        $content = json_decode($answer, true);
        if ($status === 200) {
            return is_array($content) && $content !== [] ? $content : throw BloomguardException::foreign();
        }
        $headers = [];
        foreach (array_slice($head, 1) as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $headers[strtolower($name)] = trim($value);
        }
        // An answer in the 400s is a refusal if the server itself gave it, and not a proxy that has no server.
        $problem = str_starts_with($headers['content-type'] ?? '', 'application/problem+json');
        $retryAfter = $headers['retry-after'] ?? '';
        throw new BloomguardException(
            "The server answered $status" . ($problem && isset($content['detail']) ? ": {$content['detail']}" : ''),
            $status,
            ctype_digit($retryAfter) ? (int) $retryAfter : null,
            $problem && $status >= 400 && $status < 500 && $status !== 408 && $status !== 429,
        );
    }
}

/** A call that the server refused, or that failed. The message has no key. */
final class BloomguardException extends RuntimeException
{
    /** The number of keys in the batches before, whose calls were answered. */
    public int $completed = 0;

    /**
     * @param int|null $status of the answer; null if there was none in time
     * @param int|null $retryAfter the seconds after which the server asks to try again
     * @param bool $refused whether the server refuses the call as it is, so that the caller must change it; other calls failed
     */
    public function __construct(
        string $message,
        public readonly ?int $status = null,
        public readonly ?int $retryAfter = null,
        public readonly bool $refused = false,
    ) {
        parent::__construct($message);
    }

    public static function foreign(): self
    {
        return new self('The answer is not one of a Bloomguard server');
    }
}
